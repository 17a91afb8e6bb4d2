//! A target: a reader under test, and its verdict on an input.

/// The verdict of a reader on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input was taken; a driver bases further inputs on it.
    Taken,
    /// The input was refused.
    Refused,
}

/// A reader under test.
pub struct Target {
    /// The name on the command line.
    pub name: String,
    /// Valid inputs, to begin with.
    pub seeds: Vec<Vec<u8>>,
    /// Texts meaningful to the reader.
    pub words: Vec<String>,
    /// Runs the reader on an input.
    ///
    /// # Panics
    /// The reader panics, or a taken input does not read back the same.
    pub run: fn(&[u8]) -> Verdict,
}

impl Verdict {
    /// The verdict on an input, taken or not.
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
