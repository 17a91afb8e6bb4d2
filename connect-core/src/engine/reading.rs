//! Reading the body of a write, a large one beside the threads on which requests are answered.

use tokio::task::spawn_blocking;

use super::{
    change::Change,
    request::{FromJson, Input},
};
use crate::{
    error::{Error, Reason},
    record::Fault,
    wire::read::Invalid,
};

/// The bytes from which on a body is read on a thread of its own, so that it holds up no other
/// request. Reading 2 MB takes a millisecond, and finding what is wrong with them up to 13.
const LARGE: usize = 64 * 1024;

/// The body of a write, read.
pub(super) struct Reading {
    /// The change that it asks for, or the reason why it is refused.
    pub(super) change: Result<Box<dyn Change>, Error>,
    /// Set when it asks for a dry run, also when it is refused.
    pub(super) is_dry_run: bool,
}

impl Reading {
    /// Reads the body of a write; `change` makes the change of it.
    pub(super) async fn of<T, F>(input: Input<T>, change: F) -> Self
    where
        T: FromJson + Send + 'static,
        F: FnOnce(T) -> Result<Box<dyn Change>, Error> + Send + 'static,
    {
        match input {
            Input::Json(json) if json.len() >= LARGE => {
                let reading = spawn_blocking(move || Self::of_json(&json, change)).await;
                reading.unwrap_or_else(|_| Self::refused(Fault::Panicked.into()))
            }
            Input::Json(json) => Self::of_json(&json, change),
            Input::Value(input) => Self {
                is_dry_run: input.is_dry_run(),
                change: change(input),
            },
            Input::Refused(error) => Self::refused(error),
        }
    }

    fn of_json<T: FromJson>(
        json: &[u8],
        change: impl FnOnce(T) -> Result<Box<dyn Change>, Error>,
    ) -> Self {
        let (is_dry_run, change) = match T::from_json(json) {
            Ok(input) => (input.is_dry_run(), change(input)),
            Err(error) => (T::asks_for_dry_run(json), Err(error.into())),
        };
        Self {
            change: change.map_err(|error| with_all_faults::<T>(error, json)),
            is_dry_run,
        }
    }

    fn refused(error: Error) -> Self {
        Self {
            change: Err(error),
            is_dry_run: false,
        }
    }
}

/// The error of a body that was refused, with all fields that are at fault. One that tells them
/// already stays: rules find faults that no field has by itself.
fn with_all_faults<T: FromJson>(error: Error, json: &[u8]) -> Error {
    match error {
        Error::Invalid(Reason {
            field: Some(field),
            problem,
            details,
        }) if details.is_empty() => T::faults(json).after(Invalid::new(field, problem)).into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{self, ThreadId};

    use super::*;
    use crate::wire::read::ReadError;

    /// The thread that a body was read on.
    struct Reader(ThreadId);

    impl FromJson for Reader {
        fn from_json(_: &[u8]) -> Result<Self, ReadError> {
            Ok(Self(thread::current().id()))
        }
    }

    #[tokio::test]
    async fn a_large_body_is_read_on_another_thread() {
        let here = thread::current().id();
        for (bytes, is_here) in [(LARGE - 1, true), (LARGE, false)] {
            let change = move |Reader(thread)| {
                assert_eq!(thread == here, is_here, "{bytes} bytes");
                Err(Error::NotFound(Reason::new("as it should be")))
            };
            let read = Reading::of(Input::Json(vec![b' '; bytes]), change).await;
            assert!(matches!(read.change, Err(Error::NotFound(_))), "{bytes}");
        }
    }
}
