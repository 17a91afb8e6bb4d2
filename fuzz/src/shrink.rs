//! Shortening of failing inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Target, Verdict};

/// Runs a target on an input, and catches its panic.
///
/// # Errors
/// The message of the panic.
pub fn run(target: &Target, input: &[u8]) -> Result<Verdict, String> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("a panic without words").to_owned()
    })
}

/// Returns a shorter failing input.
/// Parts are left out as long as the target still fails.
pub fn shrink(target: &Target, input: &[u8]) -> Vec<u8> {
    let mut input = input.to_vec();
    let mut size = input.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < input.len() {
            let end = (at + size).min(input.len());
            let shorter = [&input[..at], &input[end..]].concat();
            if run(target, &shorter).is_err() {
                input = shorter;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    input
}
