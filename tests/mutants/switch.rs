//! The switch between the code and its mutants, read from the environment once per process.
//!
//! `MUTANT` is the number of the mutant that is on. `MUTANTS_REACHED` is a file that gets the number of
//! each mutated function the first time that it is called.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::Write,
    path::PathBuf,
    sync::{Mutex, OnceLock},
};

enum Mode {
    Off,
    On(u32),
    Noting(PathBuf, Mutex<HashSet<u32>>),
}

static MODE: OnceLock<Mode> = OnceLock::new();

fn mode() -> Mode {
    if let Some(file) = std::env::var_os("MUTANTS_REACHED") {
        return Mode::Noting(file.into(), Mutex::default());
    }
    match std::env::var("MUTANT").map(|number| number.parse()) {
        Ok(Ok(number)) => Mode::On(number),
        _ => Mode::Off,
    }
}

/// Returns which of the mutants `first..=last`, those of one function, is on, or 0 for none.
pub(crate) fn among(first: u32, last: u32) -> u32 {
    match MODE.get_or_init(mode) {
        Mode::Off => 0,
        Mode::On(number) => {
            if (first..=last).contains(number) {
                *number
            } else {
                0
            }
        }
        Mode::Noting(file, seen) => {
            if seen.lock().is_ok_and(|mut seen| seen.insert(first)) {
                // One write, at the end of a file that other processes write to as well.
                let file = OpenOptions::new().create(true).append(true).open(file);
                let _ = file.and_then(|mut file| file.write_all(format!("{first}\n").as_bytes()));
            }
            0
        }
    }
}
