//! Messages with elements in them.

use fluent_bundle::FluentValue;
use maud::{Markup, html};

/// Stands for `<` of an argument, where only the message itself may have elements.
const ESCAPED: char = '\u{E000}';

/// Makes a message with elements: `<a>words</a>` of it becomes what `a` makes of the words.
macro_rules! marked {
    ($id:literal $(, [$($name:ident = $value:expr),* $(,)?])? $(, $element:ident = $make:expr)+ $(,)?) => {
        $crate::dashboard::messages::markup::message(
            $id,
            &[$($((stringify!($name), $value.into())),*)?],
            &[$((stringify!($element), &$make)),+],
        )
    };
}
/// Makes the element around the words.
pub(in crate::dashboard) type MakeElement<'m> = &'m dyn Fn(&str) -> Markup;

/// See [`marked!`].
pub(in crate::dashboard) fn message(
    id: &str,
    arguments: &[(&str, FluentValue<'_>)],
    elements: &[(&str, MakeElement<'_>)],
) -> Markup {
    let escaped = |value: &FluentValue<'_>| match value {
        FluentValue::String(text) => text.replace('<', &ESCAPED.to_string()).into(),
        other => other.clone().into_owned(),
    };
    let arguments: Vec<_> = arguments
        .iter()
        .map(|(name, value)| (*name, escaped(value)))
        .collect();
    elements_of(&super::message(id, &arguments), elements)
}

fn elements_of(text: &str, elements: &[(&str, MakeElement<'_>)]) -> Markup {
    let plain = |text: &str| text.replace(ESCAPED, "<");
    let first = elements
        .iter()
        .filter_map(|(name, make)| Some((text.find(&format!("<{name}>"))?, name, make)));
    let Some((start, name, make)) = first.min_by_key(|(start, ..)| *start) else {
        return html! { (plain(text)) };
    };
    let (before, rest) = text.split_at(start);
    let rest = &rest[name.len() + 2..];
    let end = format!("</{name}>");
    let (words, rest) = rest.split_once(&end).unwrap_or((rest, ""));
    html! { (plain(before)) (make(&plain(words))) (elements_of(rest, elements)) }
}

/// Makes `<code>` of words.
pub(in crate::dashboard) fn code(words: &str) -> Markup {
    html! { code { (words) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_elements_of_the_message_are_elements() {
        let link = |words: &str| html! { a href="/x" { (words) } };
        let elements: [(&str, MakeElement<'_>); 2] = [("a", &link), ("code", &code)];
        for (text, expected) in [
            ("Fine.", "Fine."),
            (
                "<a>Add</a> one & <code>x</code>.",
                "<a href=\"/x\">Add</a> one &amp; <code>x</code>.",
            ),
            (
                "<b>no</b> \u{E000}a>no\u{E000}/a>",
                "&lt;b&gt;no&lt;/b&gt; &lt;a&gt;no&lt;/a&gt;",
            ),
            ("<a>open \u{E000}", "<a href=\"/x\">open &lt;</a>"),
        ] {
            assert_eq!(elements_of(text, &elements).into_string(), expected);
        }
    }
}
