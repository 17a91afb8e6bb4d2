//! Work completed even without its caller.

use std::{future::pending, panic::resume_unwind};

use tokio::task::{JoinError, JoinHandle};

/// Runs work in a task of its own.
/// It goes on when its caller is dropped. A panic is passed on.
///
/// The future of a request is dropped when its client goes away. A write already begun is still stored, but
/// without this its follow-up would be missing: the audit line, and the record for a second sending.
pub(crate) async fn complete<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    joined(tokio::spawn(work)).await
}

/// Waits for the result of a task. A panic is passed on.
pub(crate) async fn joined<T>(task: JoinHandle<T>) -> T {
    match task.await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime ends, and its other tasks with it.
        Err(Err(_)) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_goes_on_without_its_caller_and_a_panic_reaches_it() {
        let (go, gone) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        let work = complete(async move {
            let _ = gone.await;
            let _ = tell.send(1);
        });
        // It has begun when its caller goes away.
        assert_eq!(work.now_or_never(), None);
        drop(go);
        assert_eq!(told.await, Ok(1));
        let panics = complete(async { panic!("a fault") });
        let panic: Result<(), _> = AssertUnwindSafe(panics).catch_unwind().await;
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"a fault"));
    }
}
