//! The common HTML frame of every page.

use maud::{DOCTYPE, Markup, html};

/// Makes a page. `style` is the element with its style.
pub(crate) fn document(title: &str, style: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                // Without an icon, browsers ask for /favicon.ico.
                link rel="icon" href="data:,";
                (style)
            }
            body { (body) }
        }
    }
}
