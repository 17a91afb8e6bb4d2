//! The wording of doc comments: the first line names what a thing is or does.

use crate::layering::{members, sources};

/// The words that a first line must not open with: they announce an answer instead of giving it.
const OPENINGS: [&str; 10] = [
    "What", "Whether", "How", "Where", "Why", "Who", "Whoever", "Whose", "When", "Which",
];

/// Returns the first line of every doc comment of a file.
fn first_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_doc = |line: &str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("//!")
    };
    let before = std::iter::once("").chain(text.lines());
    let lines = before.zip(text.lines());
    let first = lines.filter(move |(before, line)| is_doc(line) && !is_doc(before));
    first.map(|(_, line)| line.trim_start()[3..].trim())
}

fn opens_badly(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_alphabetic()).next();
    word.is_some_and(|word| OPENINGS.contains(&word))
}

#[test]
fn no_doc_comment_opens_with_a_question_word() {
    let mut read = 0;
    let mut bad = Vec::new();
    for member in members() {
        for (file, text) in sources(&member) {
            for line in first_lines(&text) {
                read += 1;
                if opens_badly(line) {
                    bad.push(format!("{member}/src/{file}: {line}"));
                }
            }
        }
    }
    assert_eq!(bad, Vec::<String>::new());
    assert!(read > 2000, "only {read} doc comments were found");
}

#[test]
fn only_first_words_count() {
    let text =
        "//! How it is.\n\n/// The time\n/// When it was.\nfn a() {}\n    /// Whoever.\n    b,\n";
    let lines: Vec<_> = first_lines(text).collect();
    assert_eq!(lines, ["How it is.", "The time", "Whoever."]);
    let bad: Vec<_> = lines.into_iter().filter(|line| opens_badly(line)).collect();
    assert_eq!(bad, ["How it is.", "Whoever."]);
}
