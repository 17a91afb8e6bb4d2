//! The entry point of writes.
//! A stored answer is found, the form of the body is checked, and the write goes to its location's queue.

use async_trait::async_trait;

use super::{
    answer::Answer,
    change::{Change, Job},
    connect::Connect,
    reading::ParsedWrite,
    request::{FromJson, Request},
    stored_answer::{answer_key, replay},
    write_queue,
};
use crate::{
    auth::Access,
    transaction::{Error, Reads, Refusal, UnitOfWork},
};

impl Connect {
    /// Performs a write, in the order given in [`write`](super::write).
    /// `change` converts the body into the change.
    pub(crate) async fn write<T: FromJson + Send + 'static>(
        &self,
        at: Access,
        request: Request<T>,
        change: impl FnOnce(T) -> Result<Box<dyn Change>, Error> + Send + 'static,
    ) -> Result<Answer, Refusal> {
        // A recently used key gets its stored answer at once.
        if let Some(idempotency) = &request.idempotency {
            let caller = at.actor();
            let key = answer_key(caller.id(), &idempotency.key);
            if self.core.replay_hints.has(&key) {
                let stored = self.store().get(&key).await?;
                if let Some(answer) =
                    replay(&caller, &key, stored.as_ref(), idempotency, self.now())?
                {
                    return answer;
                }
            }
            self.core.replay_hints.remember(key);
        }
        let ParsedWrite { change, is_dry_run } = ParsedWrite::of(request.input, change).await;
        let change = match change {
            Ok(change) => change,
            // Without an idempotency key the refusal is not stored.
            Err(error) if request.idempotency.is_none() => return Err(error.into()),
            Err(error) => Box::new(RefusedWrite { error, is_dry_run }),
        };
        let job = Job {
            change,
            at,
            idempotency: request.idempotency,
        };
        write_queue::run(&self.core.queues, job).await
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
