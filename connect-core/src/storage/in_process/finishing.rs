//! A future with guaranteed completion, even after its caller is cancelled.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::runtime::Handle;

/// A future, continued in its own task when dropped unfinished.
/// Until then it runs in the awaiting task, at no extra cost.
pub(in crate::storage) struct Finishing<T>(Option<Pin<Box<dyn Future<Output = T> + Send>>>)
where
    T: Send + 'static;

impl<T: Send + 'static> Finishing<T> {
    pub(in crate::storage) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Some(Box::pin(future)))
    }
}

impl<T: Send + 'static> Future for Finishing<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // Taken out while it is polled: after a panic there is nothing left to go on with.
        let Some(mut future) = self.0.take() else {
            return Poll::Pending;
        };
        let polled = future.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(future);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Finishing<T> {
    fn drop(&mut self) {
        if let Some(future) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(future);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::poll_immediate;
    use tokio::sync::{Mutex, oneshot};

    use super::*;

    #[tokio::test]
    async fn goes_on_when_it_is_dropped() {
        let (begin, begun) = oneshot::channel();
        let done = Arc::new(Mutex::new(false));
        let mut held = done.clone().lock_owned().await;
        let mut finishing = Finishing::new(async move {
            *held = begun.await.is_ok();
        });
        assert!(poll_immediate(&mut finishing).await.is_none());
        drop(finishing);
        assert!(done.try_lock().is_err());
        begin.send(()).unwrap();
        assert!(*done.lock().await);
    }
}
