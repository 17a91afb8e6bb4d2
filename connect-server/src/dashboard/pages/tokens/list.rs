//! The list of tokens: those in use, then the ended ones.

use std::borrow::Cow;

use connect_core::{Error, Grant, Token, wire::limits::ENDED_TOKEN_DAYS};
use maud::html;

use super::{NEW, PATH, UsedToken, last_use::LastUses, revoke_button, scopes, status};
use crate::dashboard::{
    Answer, components, layout,
    page_request::SignedIn,
    table::{self, Cell, Column, Table, Value},
};

/// The most ended tokens shown.
const MOST_ENDED: usize = 100;

/// Shows the list.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let tokens = to.connect.tokens(to.account().id).await?;
    let has_ended = |(token, _): &UsedToken| to.connect.has_ended(token);
    let (mut ended, in_use): (Vec<_>, Vec<_>) = tokens.into_iter().partition(has_ended);
    ended.reverse();
    let count = ended.len();
    let uses = LastUses::find(to).await?;
    if table::is_file(to) {
        let all = table(to, &uses, in_use.iter().chain(&ended));
        return Ok(all.file(to, "tokens").await);
    }
    let shown = table(
        to,
        &uses,
        in_use.iter().chain(ended.iter().take(MOST_ENDED)),
    );
    let new = html! { a.button href=(NEW) { (text!("tokens-create")) } };
    let content = html! {
        p.hint { (text!("tokens-about")) }
        @if in_use.is_empty() {
            (components::empty(&text!("tokens-empty"), new))
        } @else {
            p { (new) }
        }
        @if !in_use.is_empty() || count > 0 {
            (shown.render(to))
            p.hint { (text!("tokens-last-used-hint")) }
        }
        @if count > 0 {
            p.hint {
                (text!("tokens-ended", count = count)) " "
                @if count > MOST_ENDED {
                    (text!("tokens-ended-newest", count = MOST_ENDED)) " "
                }
                (text!("tokens-ended-removed", days = ENDED_TOKEN_DAYS))
            }
        }
    };
    Ok(layout::page(to, PATH, &text!("section-tokens"), content))
}

fn table<'t>(
    to: &SignedIn<'_>,
    uses: &LastUses,
    tokens: impl Iterator<Item = &'t UsedToken>,
) -> Table {
    let columns = [
        Column::text("name", text!("word-name")),
        Column::text("token", text!("field-token")),
        Column::text("tasks", text!("tokens-tasks")),
        Column::text("created", text!("tokens-made")),
        Column::text("used", text!("word-last-used")),
        Column::text("expires", text!("tokens-expires")),
        Column::text("status", text!("word-status")),
        Column::action(text!("word-actions")),
    ];
    let mut table = Table::new(PATH, text!("section-tokens"), columns);
    for used_token in tokens {
        let (token, used) = used_token;
        let revoke = match to.connect.has_ended(token) {
            true => html! {},
            false => revoke_button(to, token),
        };
        table.add([
            Cell::link(&format!("{PATH}/{}", token.id), &token.name),
            Cell::code(format!("{}…", token.prefix)),
            Cell::text(tasks(to, token)),
            Cell::time(token.created_at),
            Cell::of(uses.of(used_token), used.map_or(Value::Empty, Value::Time)),
            Cell::time_or(token.expires_at, &text!("word-never")),
            Cell::of(
                status::badge(to, token),
                Value::Text(status::words(to, token).into_owned()),
            ),
            Cell::action(revoke),
        ]);
    }
    table
}

/// The tasks of a token in short, and its locations if they are not all.
/// The page of the token has them location by location.
fn tasks(to: &SignedIn<'_>, token: &Token) -> Cow<'static, str> {
    let tasks = match &token.grants[..] {
        [] => Cow::Borrowed(""),
        [first, rest @ ..] if rest.iter().all(|grant| has_same_scopes(grant, first)) => {
            scopes::tasks(&first.scopes)
        }
        _ => text!("tokens-tasks-differ"),
    };
    let locations = &to.account().locations;
    match &token.grants[..] {
        [] => tasks,
        all if all.len() >= locations.len() => tasks,
        [Grant { location_id, .. }] => {
            let mut locations = locations.iter();
            let location = locations.find(|location| location.id == *location_id);
            let location = location.map_or("", |location| &location.name);
            text!("tokens-tasks-at", tasks = tasks, location = location)
        }
        some => text!("tokens-tasks-at-some", tasks = tasks, count = some.len()),
    }
}

/// Returns whether two grants are for the same tasks, in any order.
fn has_same_scopes(one: &Grant, other: &Grant) -> bool {
    let has_all = |of: &Grant, all: &Grant| all.scopes.iter().all(|it| of.scopes.contains(it));
    has_all(one, other) && has_all(other, one)
}
