//! Sentences made from the messages of the core.

/// A text with a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    let stop = if text.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{}{}{stop}", first.unwrap_or_default(), characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_and_end_as_sentences_do() {
        for (text, expected) in [
            ("name: must not be empty", "Name: must not be empty."),
            ("Wait.", "Wait."),
            ("", "."),
            ("émail?", "Émail?"),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }
}
