//! The last requests of tokens, where an owner and an integrator find the same line.

use std::collections::HashMap;

use connect_core::{
    AnsweredRequest, Error, RequestFilter, RequestOutcome, Token,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

use crate::dashboard::{
    Answer, components, fields, layout,
    page_request::{CURSOR, SignedIn},
    sections::REQUESTS,
    table::{self, Cell, Column, Table, Value},
};

/// The filters of the list, as named in the address.
const TOKEN: &str = "token";
const OUTCOME: &str = "outcome";
const TEXT: &str = "text";

/// The requests of a page.
const SHOWN: usize = 50;

/// The outcomes in the address, each with its message.
const OUTCOMES: [(&str, RequestOutcome); 3] = [
    ("done", RequestOutcome::Done),
    ("refused", RequestOutcome::Refused),
    ("failed", RequestOutcome::Failed),
];

/// Returns the address of the requests of a token.
pub(super) fn of_token(token: Id<Token>) -> String {
    format!("{REQUESTS}?{TOKEN}={token}")
}

/// Returns the address of the request with an ID.
pub(super) fn of_id(id: &str) -> String {
    fields::address(REQUESTS, [(TEXT, id)])
}

/// Shows a page of requests, newest first.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.account().id;
    let tokens = to.connect.tokens(account).await?;
    let names: HashMap<Id<Token>, &str> = tokens
        .iter()
        .map(|(token, _)| (token.id, &*token.name))
        .collect();
    let filter = filter(to, &names);
    let (connect, wanted) = (&to.connect, &filter);
    let limit = table::limit(to).unwrap_or(SHOWN);
    let found = table::rows(to, |cursor| async move {
        connect
            .requests(account, wanted, cursor.as_deref(), limit)
            .await
    });
    let found = found.await?;
    let table = table(to, &found.data, &names);
    if table::is_file(to) {
        return Ok(table.file(to, "requests").await);
    }
    let table = table.part(table::is_part(to, found.next_cursor.as_deref()));
    let content = html! {
        p.hint { (text!("requests-about")) }
        (filters(to, &tokens))
        @if found.data.is_empty() {
            (components::empty(&text!("requests-none"), html! {}))
        } @else { (table.render(to)) }
        @if let Some(next) = &found.next_cursor { p { a href=(next_page(to, next)) { (text!("shop-next-page")) } } }
    };
    Ok(layout::page(
        to,
        REQUESTS,
        &text!("section-requests"),
        content,
    ))
}

/// Reads the filters of the address. A text beginning with `/` is a part of paths.
/// A token that is gone is left out, as in the choice of tokens on the page.
fn filter(to: &SignedIn<'_>, names: &HashMap<Id<Token>, &str>) -> RequestFilter {
    let token: Option<Id<Token>> = to.query.get(TOKEN).parse().ok();
    let token = token.filter(|token| names.contains_key(token));
    let outcome = OUTCOMES
        .iter()
        .find(|(name, _)| *name == to.query.get(OUTCOME));
    let text = Some(to.query.get(TEXT))
        .filter(|text| !text.is_empty())
        .map(str::to_owned);
    let (path, id) = match text {
        Some(text) if text.starts_with('/') => (Some(text), None),
        text => (None, text),
    };
    RequestFilter {
        token,
        outcome: outcome.map(|(_, outcome)| *outcome),
        id,
        path,
        ..RequestFilter::default()
    }
}

fn filters(to: &SignedIn<'_>, tokens: &[(Token, Option<Timestamp>)]) -> Markup {
    let chosen = |name: &str| to.query.get(name);
    html! {
        form.filter method="get" action=(REQUESTS) {
            label for=(TOKEN) { (text!("field-token")) }
            select id=(TOKEN) name=(TOKEN) {
                option value="" { (text!("word-all")) }
                @for (token, _) in tokens {
                    option value=(token.id) selected[token.id.to_string() == chosen(TOKEN)] { (token.name) }
                }
            }
            label for=(OUTCOME) { (text!("word-result")) }
            select id=(OUTCOME) name=(OUTCOME) {
                option value="" { (text!("word-all")) }
                @for (name, _) in OUTCOMES {
                    option value=(name) selected[name == chosen(OUTCOME)] {
                        (text_of!("request-outcome", name).unwrap_or_default())
                    }
                }
            }
            label for=(TEXT) { (text!("requests-text")) }
            input id=(TEXT) name=(TEXT) type="search" value=(chosen(TEXT));
            button.quiet { (text!("word-find")) }
        }
    }
}

fn table(
    to: &SignedIn<'_>,
    requests: &[AnsweredRequest],
    names: &HashMap<Id<Token>, &str>,
) -> Table {
    let token = Column::text("token", text!("field-token"));
    let mut table = Table::new(REQUESTS, text!("section-requests"), columns([token]))
        .for_file(table::is_file(to));
    for request in requests {
        let token = request.token_id;
        let name = names.get(&token).copied().unwrap_or_default();
        let token = Cell::link(&format!("/dashboard/tokens/{token}"), name);
        table.add(cells(request, [token]));
    }
    table
}

/// The table of the last requests of one token.
pub(super) fn short_table(requests: &[AnsweredRequest]) -> Markup {
    let mut table = Table::new(REQUESTS, text!("tokens-last-requests"), columns([]));
    for request in requests {
        table.add(cells(request, []));
    }
    table.render_plain()
}

/// The columns of requests, with these ones behind the time.
fn columns(more: impl IntoIterator<Item = Column>) -> impl Iterator<Item = Column> {
    let rest = [
        Column::text("request", text!("tokens-request")),
        Column::text("status", text!("word-status")),
        Column::text("problem", text!("word-problem")),
        Column::text("client", text!("requests-client")),
        Column::text("key", text!("tokens-idempotency-key")),
        Column::text("id", text!("tokens-request-id")),
    ];
    let time = Column::text("time", text!("word-time"));
    std::iter::once(time).chain(more).chain(rest)
}

/// The row of a request, with these cells behind the time.
fn cells(request: &AnsweredRequest, more: impl IntoIterator<Item = Cell>) -> Vec<Cell> {
    let is_bad = RequestOutcome::of(request) != RequestOutcome::Done;
    let status = html! { span.tag.bad[is_bad] { (request.status) } };
    let client = [Some(request.address.to_string()), request.client.clone()];
    let client: Vec<String> = client.into_iter().flatten().collect();
    let key = request.idempotency_key.as_deref();
    let mut cells = vec![Cell::time(request.at)];
    cells.extend(more);
    cells.extend([
        Cell::code(format!("{} {}", request.method, request.path)),
        Cell::of(status, Value::Number(request.status.to_string())),
        problem(request),
        Cell::text(client.join(" ")),
        key.map_or_else(Cell::empty, Cell::code),
        Cell::code(&*request.request_id),
    ]);
    cells
}

/// The errors of a request: the field of each, and its message.
fn problem(request: &AnsweredRequest) -> Cell {
    let parts = request.errors.iter().map(|error| {
        let field = error.field.as_deref().unwrap_or_default();
        (field, without_field(&error.message, field))
    });
    let parts: Vec<_> = parts.collect();
    let shown = html! {
        @for (field, message) in &parts {
            div { @if !field.is_empty() { code { (field) } " " } (message) }
        }
    };
    let lines: Vec<String> = parts
        .iter()
        .map(|(field, message)| format!("{field} {message}").trim().to_owned())
        .collect();
    match lines.is_empty() {
        true => Cell::empty(),
        false => Cell::of(shown, Value::Text(lines.join("; "))),
    }
}

/// Leaves the field at the beginning of a message out, as the field stands beside it.
fn without_field<'m>(message: &'m str, field: &str) -> &'m str {
    match message.split_once(": ") {
        // The field of an item of a batch has the item in front.
        Some((name, rest)) if field.ends_with(name) => rest,
        _ => message,
    }
}

/// The address of the next page, with the same filters.
fn next_page(to: &SignedIn<'_>, cursor: &str) -> String {
    let kept = to.query.pairs().filter(|(name, _)| *name != CURSOR);
    fields::address(REQUESTS, kept.chain([(CURSOR, cursor)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stands_beside_its_message_once() {
        for (field, message, shown) in [
            ("name", "name: is missing", "is missing"),
            ("items[3].name", "name: is missing", "is missing"),
            ("name", "is missing", "is missing"),
            ("name", "priceCents: is missing", "priceCents: is missing"),
            ("", "wait: too many", "wait: too many"),
        ] {
            assert_eq!(without_field(message, field), shown, "{field}: {message}");
        }
    }
}
