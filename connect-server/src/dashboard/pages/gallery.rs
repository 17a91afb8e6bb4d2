//! All components of pages, to look at in the demo.

use connect_core::Reason;
use maud::html;

use crate::dashboard::{
    Answer, components,
    inputs::{self, Field},
    layout,
    page_request::SignedIn,
    sections::COMPONENTS,
};

/// Shows the page.
pub(super) fn show(to: &SignedIn<'_>) -> Answer {
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
    let row = html! {
        tr { td { (words) } td { (components::time(now)) } td { span.tag.good { (words) } } td.number { "12.50" } }
        tr { td { (words) } td { (components::time(now)) } td { span.tag.bad { (words) } } td.number { "3.00" } }
        tr { td { (words) } td { (components::time(now)) } td { span.tag { (words) } } td.number { "0.80" } }
    };
    let head = html! {
        th { (text!("word-name")) } th { (text!("word-time")) } th { (text!("word-status")) }
        th.number { (text!("word-total")) }
    };
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
            section.card { h2 { (words) } (components::table("A", head.clone(), row.clone())) }
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
            (components::confirmed(&words, &words, &words, html! { button.danger type="button" { (words) } }))
        }
    };
    layout::page(to, COMPONENTS, &text!("section-components"), content)
}
