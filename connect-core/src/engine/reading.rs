//! Parsing of request bodies; large ones are parsed off the request threads.

use std::{num::NonZero, sync::LazyLock, thread::available_parallelism};

use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    change::Change,
    request::{FromJson, Input},
};
use crate::{
    transaction::{Error, Fault, Reason},
    wire::read::Invalid,
};

/// The bytes of the smallest body parsed on another thread.
/// There it delays no other request. Parsing 2 MB takes a millisecond, and listing its errors up to 13.
const LARGE: usize = 64 * 1024;

/// The limit of large bodies parsed at once, one for each processor.
/// More would be no faster, and each takes its size in memory a few times over.
static AT_ONCE: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZero::get)));

/// The parsed body of a write.
pub(super) struct ParsedWrite {
    /// The requested change, or the reason for refusing it.
    pub(super) change: Result<Box<dyn Change>, Error>,
    /// Set for a dry run, including a refused one.
    pub(super) is_dry_run: bool,
}

impl ParsedWrite {
    /// Parses the body of a write; `change` converts it into the change.
    pub(super) async fn of<T, F>(input: Input<T>, change: F) -> Self
    where
        T: FromJson + Send + 'static,
        F: FnOnce(T) -> Result<Box<dyn Change>, Error> + Send + 'static,
    {
        match input {
            Input::Json(json) if json.len() >= LARGE => {
                // The semaphore is never closed.
                let _permit = AT_ONCE.acquire().await;
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

/// The error of a refused body, with all fields at fault.
/// An error with a list of fields is kept: rules find errors across several fields.
fn with_all_faults<T: FromJson>(error: Error, json: &[u8]) -> Error {
    match error {
        Error::Invalid(Reason {
            field: Some(field),
            problem,
            details,
            ..
        }) if details.is_empty() => T::faults(json).after(Invalid::new(field, problem)).into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        thread::{self, ThreadId},
        time::Duration,
    };

    use futures_util::future::join_all;

    use super::*;
    use crate::wire::read::ReadError;

    /// The thread of the parsing.
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
            let read = ParsedWrite::of(Input::Json(vec![b' '; bytes]), change).await;
            assert!(matches!(read.change, Err(Error::NotFound(_))), "{bytes}");
        }
    }

    #[tokio::test]
    async fn as_many_large_bodies_are_read_at_once_as_there_are_processors() {
        let most = available_parallelism().unwrap().get();
        let under_way = Arc::new(AtomicUsize::new(0));
        let read = (0..most + 10).map(|_| {
            let under_way = under_way.clone();
            ParsedWrite::of(Input::Json(vec![b' '; LARGE]), move |_: Reader| {
                let at_once = under_way.fetch_add(1, SeqCst) + 1;
                thread::sleep(Duration::from_millis(20));
                under_way.fetch_sub(1, SeqCst);
                assert!(at_once <= most, "{at_once}");
                Err(Error::NotFound(Reason::new("as it should be")))
            })
        });
        for read in join_all(read).await {
            assert!(matches!(read.change, Err(Error::NotFound(_))));
        }
    }
}
