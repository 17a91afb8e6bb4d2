//! The targets, one file for each kind of reader.

mod batch;
mod body;
mod cursor;
mod header;
mod oracle;
mod query;
mod record;
mod text;

use crate::{Target, Verdict};

/// Returns every target.
pub fn all() -> Vec<Target> {
    [
        body::targets(),
        batch::targets(),
        query::targets(),
        text::targets(),
        cursor::targets(),
        header::targets(),
        record::targets(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A target with these seeds and words.
fn target(name: &str, seeds: &[&str], words: &[&str], run: fn(&[u8]) -> Verdict) -> Target {
    Target {
        name: name.to_owned(),
        seeds: seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        run,
    }
}

fn verdict(is_taken: bool) -> Verdict {
    if is_taken {
        Verdict::Taken
    } else {
        Verdict::Refused
    }
}
