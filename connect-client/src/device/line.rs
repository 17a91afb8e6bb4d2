//! The lines of a file of rows.
//!
//! A line is `STATE CHECKSUM JSON`. The checksum is the CRC-32 of the JSON, in eight hexadecimal
//! digits. The state has eight characters, overwritten in place:
//!
//! - `--------`: the row was not sent.
//! - eight hexadecimal digits: it was sent at this second since 1970, and not answered.
//! - an `x` in front: it was removed.
//!
//! A power failure can leave a time half written, with `-` in it. Such a row was not sent: a time is
//! written before the row is sent, and cleared once the row is known not to have arrived.

use serde::Serialize;

use crate::wire::Timestamp;

/// The bytes to remove a line, written over its first byte.
pub(super) const REMOVED: &[u8] = b"x";

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Removed,
    /// The row is there, and was perhaps sent at this time.
    Kept(Option<Timestamp>),
}

/// Makes the line of an unsent row.
pub(super) fn line(row: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_string(row)?;
    let (state, checksum) = (state(None), checksum(&json));
    Ok(format!("{state} {checksum} {json}\n").into_bytes())
}

/// The state of a kept row, at the start of its line.
pub(super) fn state(sent_at: Option<Timestamp>) -> String {
    match sent_at {
        None => "-".repeat(8),
        Some(time) => {
            let seconds = u32::try_from(time.seconds().max(0)).unwrap_or(u32::MAX);
            format!("{seconds:08x}")
        }
    }
}

/// Reads the state and the JSON in a line.
/// `None` when the line is damaged.
pub(super) fn read(line: &[u8]) -> Option<(State, &str)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (state, line) = line.split_once(' ')?;
    let (found, json) = line.split_once(' ')?;
    (found == checksum(json)).then_some((read_state(state)?, json))
}

fn read_state(state: &str) -> Option<State> {
    let (is_removed, digits) = match state.strip_prefix('x') {
        Some(rest) => (true, rest),
        None => (false, state),
    };
    let is_digit = |byte| matches!(byte, b'-' | b'0'..=b'9' | b'a'..=b'f');
    if state.len() != 8 || !digits.bytes().all(is_digit) {
        return None;
    }
    if is_removed {
        return Some(State::Removed);
    }
    let seconds = u32::from_str_radix(digits, 16).ok();
    let sent_at = seconds.map(|seconds| Timestamp::EPOCH.plus_seconds(seconds.into()));
    Some(State::Kept(sent_at))
}

fn checksum(json: &str) -> String {
    format!("{:08x}", crc32fast::hash(json.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let time = Timestamp::EPOCH.plus_seconds(1_800_000_000);
        let sent = state(Some(time));
        assert_eq!(sent, "6b49d200");
        for (text, expected) in [
            ("--------", Some(State::Kept(None))),
            (&*sent, Some(State::Kept(Some(time)))),
            // Written halfway when the power failed.
            ("6b49----", Some(State::Kept(None))),
            ("----d200", Some(State::Kept(None))),
            ("-------0", Some(State::Kept(None))),
            ("x-------", Some(State::Removed)),
            ("xb49d200", Some(State::Removed)),
            ("6B49D200", None),
            ("+b49d200", None),
            ("-x------", None),
            ("-------", None),
            ("", None),
        ] {
            assert_eq!(read_state(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_is_not_as_it_was_written_is_none() {
        let written = String::from_utf8(line(&"Tea").unwrap()).unwrap();
        let kept = Some((State::Kept(None), "\"Tea\""));
        assert_eq!(read(written.as_bytes()), kept);
        for bad in [
            written.replace("Tea", "Pea"),
            written.replace('\n', ""),
            written.replacen('-', "\0", 1),
            written.replace(' ', ""),
            String::from("\n"),
        ] {
            assert_eq!(read(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
