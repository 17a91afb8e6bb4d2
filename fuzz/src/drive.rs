//! The driver on stable Rust: bounded runs, reproducible by seed.

use std::time::{Duration, Instant};

use crate::{
    Target, Verdict,
    mutate::Mutator,
    shrink::{run, shrink},
};

/// The number of faults to end a run.
const ENOUGH: usize = 5;

/// The outcome of a run.
#[derive(Debug)]
pub struct Summary {
    /// The inputs tried, seeds included.
    pub inputs: u64,
    /// The inputs taken.
    pub taken: u64,
    /// The duration of the run.
    pub time: Duration,
    /// The failing inputs, shortened, with the message of the panic.
    pub faults: Vec<(Vec<u8>, String)>,
}

/// Runs a target on so many inputs.
/// `progress` is called at every thousandth.
///
/// A run ends early after five faults.
pub fn drive(target: &Target, inputs: u64, seed: u64, mut progress: impl FnMut(u64)) -> Summary {
    let began = Instant::now();
    let mut mutator = Mutator::new(target, seed);
    let mut summary = Summary {
        inputs: 0,
        taken: 0,
        time: Duration::ZERO,
        faults: Vec::new(),
    };
    let mut seeds = target.seeds.iter().cloned();
    while summary.inputs < inputs && summary.faults.len() < ENOUGH {
        let seed = seeds.next();
        let is_seed = seed.is_some();
        let input = seed.unwrap_or_else(|| mutator.next_input());
        summary.inputs += 1;
        match run(target, &input) {
            Ok(Verdict::Refused) => {}
            Ok(Verdict::Taken) => {
                summary.taken += 1;
                if !is_seed {
                    mutator.keep(input);
                }
            }
            Err(_) => {
                let short = shrink(target, &input);
                let words = run(target, &short).err();
                summary.faults.push((short, words.unwrap_or_default()));
            }
        }
        if summary.inputs.is_multiple_of(1000) {
            progress(summary.inputs);
        }
    }
    summary.time = began.elapsed();
    summary
}
