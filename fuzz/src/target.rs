//! A target: a reader under test, and what it says of an input.

/// The judgement of a service about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input was taken. A driver makes further inputs of it.
    Taken,
    /// The input was refused.
    Refused,
}

/// A reader under test.
pub struct Target {
    /// The name on the command line.
    pub name: String,
    /// Inputs that are taken, to begin with.
    pub seeds: Vec<Vec<u8>>,
    /// Texts that mean something to the reader.
    pub words: Vec<String>,
    /// Gives the reader an input.
    ///
    /// # Panics
    /// The reader panics, or what it takes does not read back the same.
    pub run: fn(&[u8]) -> Verdict,
}

impl Verdict {
    /// The judgement of a reader that has taken the input, or not.
    pub(crate) fn of(is_taken: bool) -> Self {
        if is_taken { Self::Taken } else { Self::Refused }
    }
}

impl Target {
    /// A target with these seeds and words.
    pub(crate) fn new(
        name: &str,
        seeds: &[&str],
        words: &[&str],
        run: fn(&[u8]) -> Verdict,
    ) -> Self {
        Self {
            name: name.to_owned(),
            seeds: seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            run,
        }
    }
}
