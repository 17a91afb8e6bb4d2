//! All components of pages, to look at in the demo.

use connect_core::{Error, Reason};
use maud::{Markup, html};

use crate::dashboard::{
    Answer,
    chart::{Bars, NamedAmount},
    components,
    inputs::{self, Field},
    layout,
    messages::numbers,
    page_request::SignedIn,
    sections::COMPONENTS,
    table::{self, Cell, Column, Table},
};

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let now = to.connect.now();
    let reason = Reason::of("name", text!("gallery-problem"));
    let name = Field {
        label: text!("word-name"),
        name: "name",
        kind: "text",
        value: "",
        hint: text!("gallery-hint"),
        autocomplete: "off",
    };
    let words = text!("gallery-words");
    let columns = [
        Column::text("name", text!("word-name")),
        Column::text("time", text!("word-time")),
        Column::text("", text!("word-status")),
        Column::number("total", text!("word-total")),
        Column::action(text!("word-actions")),
    ];
    let mut table = Table::new(COMPONENTS, "A".into(), columns).part(true);
    for (number, (class, cents)) in [("good", 1250), ("bad", 300), ("", 80)]
        .into_iter()
        .enumerate()
    {
        let name = format!("{words} {number}");
        table.add([
            Cell::link(COMPONENTS, &*name),
            Cell::time(now),
            Cell::action(html! { span class={ "tag " (class) } { (words) } }),
            Cell::amount(cents, numbers::money(cents, "EUR")),
            Cell::action(dialog(&name)),
        ]);
    }
    if table::is_file(to) {
        return Ok(table.file(to, "components").await);
    }
    let amounts = [1250, 300, -80].map(|cents| NamedAmount {
        name: words.clone(),
        cents,
    });
    let headings = [words.clone(), text!("word-total")];
    let bars = Bars::new(words.clone(), headings, amounts, "EUR");
    let content = html! {
        p.notice role="status" { (words) }
        p.warning { (words) }
        p.problem { (words) }
        dl.figures {
            @for figure in ["€1,234.50", "87", "€14.19", "2"] {
                div { dt { (words) } dd { (figure) } dd.hint { span.up { "+4 %" } " " (words) } }
            }
        }
        div.cards {
            section.card { h2 { (words) } (table.render(to)) }
            section.card { h2 { (words) } (bars.render()) }
            section.card {
                h2 { (words) }
                dl.facts { dt { (words) } dd { code { "code" } } dt { (words) } dd { a href=(COMPONENTS) { (words) } } }
            }
        }
        h2 { (words) }
        (components::empty(&words, html! { a.button href=(COMPONENTS) { (words) } }))
        h2 { (words) }
        (name.render(Some(&reason)))
        (inputs::choice(&words, "choice", [("a", &*words), ("b", &*words)], "a", None))
        fieldset {
            legend { (words) }
            div.choices {
                (inputs::check_box("box", "a", true, html! { (words) }, &inputs::Problem::of("box", None)))
                (inputs::check_box("box", "b", false, html! { (words) }, &inputs::Problem::of("box", None)))
            }
        }
        div.actions {
            button type="button" { (words) }
            button.quiet type="button" { (words) }
            button.danger type="button" { (words) }
            (dialog(&words))
        }
    };
    Ok(layout::page(
        to,
        COMPONENTS,
        &text!("section-components"),
        content,
    ))
}

/// A button with its dialog.
fn dialog(name: &str) -> Markup {
    let action = html! { button.danger type="button" { (text!("gallery-words")) } };
    components::confirmed(
        name,
        &text!("gallery-words"),
        &text!("gallery-words"),
        action,
    )
}
