//! The entry point of writes.
//! A stored answer is found, the body is parsed, and the write goes to its location's queue.
//! Large bodies are parsed off the request threads.

use std::{num::NonZero, sync::LazyLock, thread::available_parallelism};

use async_trait::async_trait;
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    answer::Answer,
    change::{Change, Job},
    connect::Connect,
    request::{FromJson, Input, Request},
    stored_answer::{answer_key, replay},
    write_queue,
};
use crate::{
    auth::Access,
    transaction::{Error, Fault, Reads, Reason, Refusal, UnitOfWork},
    wire::read::Invalid,
};

/// The bytes of the smallest body parsed on another thread.
/// There it delays no other request. Parsing 2 MB takes a millisecond, and listing its errors up to 13.
const LARGE: usize = 64 * 1024;

/// The limit of large bodies parsed at once, one for each processor.
/// More would be no faster, and each takes its size in memory a few times over.
static AT_ONCE: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZero::get)));

impl Connect {
    /// Performs a write, in the order given in [`write`](super::write).
    /// `change` converts the body into the change. The future owns its data, so it can be spawned.
    pub(crate) fn write<T: FromJson + Send + 'static, F>(
        &self,
        at: &Access,
        request: Request<T>,
        change: F,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<T, F>
    where
        F: FnOnce(T) -> Result<Box<dyn Change>, Error> + Send + 'static,
    {
        let (this, at) = (self.clone(), at.clone());
        async move {
            // A recently used key gets its stored answer at once.
            if let Some(idempotency) = &request.idempotency {
                let caller = at.actor();
                let key = answer_key(caller.id(), &idempotency.key);
                if this.core.replay_hints.has(&key) {
                    let stored = this.store().get(&key).await?;
                    if let Some(answer) =
                        replay(&caller, &key, stored.as_ref(), idempotency, this.now())?
                    {
                        return answer;
                    }
                }
                this.core.replay_hints.remember(key);
            }
            let change = match parsed(request.input, change).await {
                Ok(change) => change,
                // Without an idempotency key the refusal is not stored.
                Err(refused) if request.idempotency.is_none() => return Err(refused.error.into()),
                Err(refused) => Box::new(refused),
            };
            let job = Job {
                change,
                authorship: this.authorship_at(&at),
                at,
                idempotency: request.idempotency,
            };
            write_queue::run(&this.core.queues, job).await
        }
    }
}

/// Parses the body of a write; `change` converts it into the change.
async fn parsed<T, F>(input: Input<T>, change: F) -> Result<Box<dyn Change>, RefusedWrite>
where
    T: FromJson + Send + 'static,
    F: FnOnce(T) -> Result<Box<dyn Change>, Error> + Send + 'static,
{
    let (is_dry_run, change) = match input {
        Input::Json(json) if json.len() >= LARGE => {
            // The semaphore is never closed.
            let _permit = AT_ONCE.acquire().await;
            let parsing = spawn_blocking(move || parsed_json(&json, change)).await;
            parsing.unwrap_or_else(|_| (false, Err(Fault::Panicked.into())))
        }
        Input::Json(json) => parsed_json(&json, change),
        Input::Value(input) => (input.is_dry_run(), change(input)),
        Input::Refused(error) => (false, Err(error)),
    };
    change.map_err(|error| RefusedWrite { error, is_dry_run })
}

/// Parses a JSON body. Returns whether it is a dry run, and the change.
fn parsed_json<T: FromJson>(
    json: &[u8],
    change: impl FnOnce(T) -> Result<Box<dyn Change>, Error>,
) -> (bool, Result<Box<dyn Change>, Error>) {
    let (is_dry_run, change) = match T::from_json(json) {
        Ok(input) => (input.is_dry_run(), change(input)),
        Err(error) => (T::asks_for_dry_run(json), Err(error.into())),
    };
    let change = change.map_err(|error| with_all_faults::<T>(error, json));
    (is_dry_run, change)
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

/// A write with a refused body.
/// With an idempotency key it is queued all the same, so that the refusal is stored like every other
/// answer, or an earlier answer is found.
struct RefusedWrite {
    error: Error,
    is_dry_run: bool,
}

#[async_trait]
impl Change for RefusedWrite {
    fn reads(&self, _: &Access, _: &mut Reads) {}

    async fn apply(&self, _: &mut UnitOfWork<'_>, _: &Access) -> Result<Answer, Error> {
        Err(self.error.clone())
    }

    fn is_dry_run(&self) -> bool {
        self.is_dry_run
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

    fn refused(parsed: Result<Box<dyn Change>, RefusedWrite>) -> Error {
        parsed.err().unwrap().error
    }

    #[tokio::test]
    async fn a_large_body_is_read_on_another_thread() {
        let here = thread::current().id();
        for (bytes, is_here) in [(LARGE - 1, true), (LARGE, false)] {
            let change = move |Reader(thread)| {
                assert_eq!(thread == here, is_here, "{bytes} bytes");
                Err(Error::NotFound(Reason::new("as it should be")))
            };
            let read = parsed(Input::Json(vec![b' '; bytes]), change).await;
            assert!(matches!(refused(read), Error::NotFound(_)), "{bytes}");
        }
    }

    #[tokio::test]
    async fn as_many_large_bodies_are_read_at_once_as_there_are_processors() {
        let most = available_parallelism().unwrap().get();
        let under_way = Arc::new(AtomicUsize::new(0));
        let read = (0..most + 10).map(|_| {
            let under_way = under_way.clone();
            parsed(Input::Json(vec![b' '; LARGE]), move |_: Reader| {
                let at_once = under_way.fetch_add(1, SeqCst) + 1;
                thread::sleep(Duration::from_millis(20));
                under_way.fetch_sub(1, SeqCst);
                assert!(at_once <= most, "{at_once}");
                Err(Error::NotFound(Reason::new("as it should be")))
            })
        });
        for read in join_all(read).await {
            assert!(matches!(refused(read), Error::NotFound(_)));
        }
    }
}
