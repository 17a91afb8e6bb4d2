//! The wording of doc comments, and the names of types.
//!
//! The first line of a doc comment is a verb with its object, or a noun phrase, of at most 12 words.
//! Relative pronouns and nameless persons make riddles of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::layering::{members, sources};

/// The words of riddles.
const RIDDLES: [&str; 13] = [
    "that",
    "which",
    "who",
    "whose",
    "whom",
    "whoever",
    "what",
    "whatever",
    "nobody",
    "somebody",
    "others",
    "those",
    "whichever",
];

/// The most first lines with one of these words, in percent.
const MOST_FIRST_LINES: usize = 15;

/// The most of these words in 1000 words of doc comments.
const MOST_IN_THOUSAND: usize = 18;

/// The most words of nine in ten first lines.
const MOST_WORDS: usize = 12;

/// The most names in a crate with several meanings.
const MOST_AMBIGUOUS: usize = 10;

/// The counted words of doc comments.
#[derive(Default)]
struct Count {
    words: usize,
    riddles: usize,
    /// The lengths of first lines in words, and the number of those with a riddle.
    first_lines: Vec<usize>,
    first_riddles: usize,
}

impl Count {
    fn add(&mut self, text: &str) {
        let mut is_inside = false;
        for line in text.lines() {
            let line = line.trim_start();
            let doc = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"));
            if let Some(doc) = doc {
                let riddles = words(doc).filter(|word| RIDDLES.contains(&&**word)).count();
                self.words += words(doc).count();
                self.riddles += riddles;
                if !is_inside {
                    self.first_lines.push(doc.split_whitespace().count());
                    self.first_riddles += usize::from(riddles > 0);
                }
            }
            is_inside = doc.is_some();
        }
    }
}

/// The words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[test]
fn doc_comments_are_no_riddles() {
    for member in members() {
        let mut count = Count::default();
        for (_, text) in sources(&member) {
            count.add(&text);
        }
        let Count { words, riddles, .. } = count;
        let lines = count.first_lines.len();
        assert!(
            100 * count.first_riddles <= MOST_FIRST_LINES * lines,
            "{member}: {} of {lines} first lines have one of {RIDDLES:?}",
            count.first_riddles
        );
        assert!(
            1000 * riddles <= MOST_IN_THOUSAND * words,
            "{member}: {riddles} of {words} words of doc comments are of {RIDDLES:?}"
        );
        count.first_lines.sort_unstable();
        let at_ninety = count.first_lines[lines * 9 / 10];
        assert!(
            at_ninety <= MOST_WORDS,
            "{member}: one in ten first lines has {at_ninety} words or more"
        );
    }
}

#[test]
fn first_lines_and_all_words_are_counted() {
    let mut count = Count::default();
    count.add(
        "//! What it is.\n//! It's that.\n\n/// The time\nfn a() {} // whose\n    /// Whoever.\n",
    );
    assert_eq!(count.first_lines, [3, 2, 1]);
    assert_eq!((count.first_riddles, count.riddles, count.words), (2, 3, 8));
}

/// The names of the types of a file, without its tests.
fn types(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    text.unwrap_or_default().lines().filter_map(|line| {
        let line = line.trim_start();
        let line = match line.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ")?.1,
            None => line.strip_prefix("pub ").unwrap_or(line),
        };
        let (keyword, rest) = line.split_once(' ')?;
        let name = rest.split(|c: char| !c.is_alphanumeric()).next();
        name.filter(|_| ["struct", "enum", "trait"].contains(&keyword))
    })
}

#[test]
fn one_name_means_one_type() {
    for member in members() {
        let files = sources(&member);
        let files = files
            .iter()
            .filter(|(file, _)| !file.ends_with("tests.rs") && !file.contains("tests/"));
        let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, text) in files {
            for name in types(text) {
                places.entry(name).or_default().insert(file);
            }
        }
        places.retain(|_, files| files.len() > 1);
        assert!(
            places.len() <= MOST_AMBIGUOUS,
            "{member}: {} names mean several types: {places:#?}",
            places.len()
        );
    }
}

#[test]
fn types_are_found() {
    let text = "pub struct Till<'t>(u8);\n    pub(in crate::a) enum Sale {\n}\ntrait Row: Sized {}\n\
                // struct No\nimpl Till {}\n#[cfg(test)]\nmod tests {\n    struct Fake;\n}\n";
    assert_eq!(types(text).collect::<Vec<_>>(), ["Till", "Sale", "Row"]);
}
