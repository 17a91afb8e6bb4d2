//! Mutated inputs: parts are replaced, repeated, removed or swapped for words.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::Target;

/// The longest input, in bytes.
const LONGEST: usize = 4096;
/// The most inputs kept as a base for new ones.
const KEPT: usize = 1024;

/// Words meaningful to many readers: edges of numbers, times and texts.
const WORDS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "9",
    "0.5",
    "0.005",
    "0.0005",
    "1e2",
    "1e-2",
    "1E+2",
    "1e999",
    "1e-999",
    "12.50",
    "100",
    "100.01",
    "1000000000",
    "1000000000.001",
    "1000000000000",
    "1000000000001",
    "-1000000000000",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "00",
    "+1",
    ".5",
    "5.",
    "NaN",
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\u00e9\"",
    "\"é\"",
    "\"a\\nb\"",
    "\"\u{202e}\"",
    "\\",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "&",
    "=",
    "%",
    "+",
    "%00",
    "%2B",
    "%ff",
    "%C3%A9",
    "\0",
    "\u{7f}",
    "\u{a0}",
    "\u{feff}",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59-00:01",
    "2026-02-29",
    "2024-02-29",
    "2026-11-20",
    "2026-11-20T09:15:30.123456Z",
    "2026-11-20t09:15:30.123456789+01:00",
    "2026-11-20T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "00000000000000000000000000000000",
];

/// Makes inputs for a target, the same ones for the same seed.
pub struct Mutator {
    random: StdRng,
    words: Vec<Vec<u8>>,
    /// Seeds first, then taken inputs.
    kept: Vec<Vec<u8>>,
    seeds: usize,
    longest_kept: usize,
}

impl Mutator {
    /// Makes inputs of a target's seeds and words.
    pub fn new(target: &Target, seed: u64) -> Self {
        let words = WORDS.iter().map(|word| word.as_bytes().to_vec());
        let own = target.words.iter().map(|word| word.clone().into_bytes());
        let quoted = target
            .words
            .iter()
            .map(|word| format!("\"{word}\":").into_bytes());
        let longest_seed = target.seeds.iter().map(Vec::len).max();
        Self {
            random: StdRng::seed_from_u64(seed),
            words: words.chain(own).chain(quoted).collect(),
            kept: target.seeds.clone(),
            seeds: target.seeds.len(),
            longest_kept: 2 * longest_seed.unwrap_or_default() + 64,
        }
    }

    /// Returns the next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let at = self.random.random_range(0..self.kept.len());
        let mut input = self.kept[at].clone();
        // Mostly one change or two: heavily changed inputs are refused early.
        while {
            self.change(&mut input);
            self.random.random_range(0..2) == 0
        } {}
        input.truncate(LONGEST);
        input
    }

    /// Keeps a taken input as a base for new ones.
    /// Inputs far longer than the seeds are dropped: they take long to read, and show little new.
    pub fn keep(&mut self, input: Vec<u8>) {
        if input.len() > self.longest_kept {
            return;
        }
        if self.kept.len() < self.seeds + KEPT {
            self.kept.push(input);
        } else {
            let at = self.random.random_range(self.seeds..self.kept.len());
            self.kept[at] = input;
        }
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        match self.random.random_range(0..10) {
            0 => {
                let (at, byte) = (self.place(input), self.random.random());
                match input.get_mut(at) {
                    Some(old) => *old = byte,
                    None => input.push(byte),
                }
            }
            1 => {
                let at = self.place(input);
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << self.random.random_range(0..8);
                }
            }
            2 => {
                let (start, end) = self.part(input);
                input.drain(start..end);
            }
            3 => {
                let (start, end) = self.part(input);
                let part = input[start..end].to_vec();
                let times = [1, 1, 1, 2, 8, 60][self.random.random_range(0..6)];
                let at = self.edge(input);
                input.splice(at..at, part.repeat(times));
            }
            4 => {
                let other = self.kept[self.random.random_range(0..self.kept.len())].clone();
                let (from, to) = self.part(&other);
                let (start, end) = self.part(input);
                input.splice(start..end, other[from..to].iter().copied());
            }
            5 => {
                let at = self.edge(input);
                let word = self.word();
                input.splice(at..at, word);
            }
            6 => {
                let number = self.random.random::<i64>() >> self.random.random_range(0..64);
                let (start, end) = self.part(input);
                input.splice(start..end, number.to_string().into_bytes());
            }
            _ => {
                let (start, end) = self.part(input);
                let word = self.word();
                input.splice(start..end, word);
            }
        }
    }

    fn word(&mut self) -> Vec<u8> {
        self.words[self.random.random_range(0..self.words.len())].clone()
    }

    fn place(&mut self, input: &[u8]) -> usize {
        self.random.random_range(0..=input.len())
    }

    /// An edge between two tokens.
    fn edge(&mut self, input: &[u8]) -> usize {
        let from = self.place(input);
        (from..input.len())
            .find(|at| is_edge(input, *at))
            .unwrap_or(input.len())
    }

    /// A part of the input between two edges.
    /// It is mostly one token, sometimes several, or a whole JSON value.
    fn part(&mut self, input: &[u8]) -> (usize, usize) {
        let start = self.edge(input);
        let after = |from: usize| {
            (from + 1..input.len())
                .find(|at| is_edge(input, *at))
                .unwrap_or(input.len())
        };
        let mut end = after(start).min(input.len());
        if self.random.random_range(0..3) == 0 {
            end = value_end(input, start).unwrap_or(end);
        }
        while end < input.len() && self.random.random_range(0..4) == 0 {
            end = after(end);
        }
        (start, end.max(start))
    }
}

/// Returns whether a token begins here.
/// A token is a run of letters and digits, or any other byte.
fn is_edge(input: &[u8], at: usize) -> bool {
    let is_word = |at: usize| input[at].is_ascii_alphanumeric();
    at == 0 || !is_word(at) || !is_word(at - 1)
}

/// The end of the text, list or object beginning here.
fn value_end(input: &[u8], start: usize) -> Option<usize> {
    let (open, close) = match input.get(start)? {
        b'"' => {
            let rest = &input[start + 1..];
            return Some(start + 2 + rest.iter().position(|byte| *byte == b'"')?);
        }
        b'{' => (b'{', b'}'),
        b'[' => (b'[', b']'),
        _ => return None,
    };
    let mut depth = 0_usize;
    for (at, byte) in input.iter().enumerate().skip(start) {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}
