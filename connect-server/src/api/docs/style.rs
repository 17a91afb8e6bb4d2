//! The style of the page.

use indexmap::IndexSet;

/// The style of everything but the samples.
const STYLE: &str = include_str!("style.css");

/// Returns the style of a page with samples in these languages.
///
/// Only the samples in the chosen language are shown; a browser without `:has` shows all.
pub(super) fn of(languages: &IndexSet<&str>) -> String {
    let mut style = STYLE.to_owned();
    style.push_str("@supports selector(:has(*)) {\n.sample { display: none }\n");
    for i in 0..languages.len() {
        style.push_str(&format!(
            ":root:has(#language-{i}:checked) .sample.language-{i} {{ display: block }}\n\
             :root:has(#language-{i}:checked) label[for=language-{i}] {{ \
             color: var(--text); border-color: var(--link) }}\n"
        ));
    }
    style.push_str(".sample figcaption { display: none }\n}\n");
    style
}
