//! The limit on open files. A connection is a file.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for all connections of the server, in and out.
const ENOUGH: u64 = 16_384;

/// Raises the limit on open files, as far as permitted.
/// Many systems start processes with 1024, for programs unable to handle more.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
    // None stands for no limit.
    let Some(now) = limit.current.filter(|now| *now < most) else {
        return;
    };
    let wanted = Rlimit {
        current: Some(most),
        ..limit
    };
    match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => tracing::debug!(from = now, to = most, "raised the limit on open files"),
        Err(error) => tracing::warn!(%error, now, "cannot raise the limit on open files"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_limit_is_raised_and_a_high_one_stays() {
        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
        for (current, expected) in [(256, most), (most, most), (most - 1, most)] {
            let current = Some(current);
            setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
            raise();
            assert_eq!(getrlimit(Resource::Nofile).current, Some(expected));
        }
    }
}
