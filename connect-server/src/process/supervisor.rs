//! Runs the workers beside the listeners.
//! Each has a task of its own. So the cores share the work, and a panic ends neither the server nor another
//! worker.

use std::time::Duration;

use tokio::{sync::watch, time::timeout};

/// The pause before a panicked worker starts again.
const PAUSE: Duration = Duration::from_secs(5);

/// Runs the worker made by `start` until it ends.
/// A panic is logged, and the worker starts again after a pause, unless the server stops.
pub(crate) async fn keep_running<W>(
    name: &'static str,
    mut stopped: watch::Receiver<bool>,
    start: impl Fn() -> W,
) where
    W: Future<Output = ()> + Send + 'static,
{
    while let Err(error) = tokio::spawn(start()).await {
        tracing::error!(worker = name, %error, "a worker failed, and is started again");
        let stop = stopped.wait_for(|stopped| *stopped);
        if timeout(PAUSE, stop).await.is_ok() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use tokio::time::Instant;

    use super::*;

    /// Counts the starts of a worker with this many panics.
    /// Then it works until the server stops. The second value is the time taken.
    async fn starts(panics: usize, stop_after: Duration) -> (usize, Duration) {
        let (stop, stopped) = watch::channel(false);
        let starts = Arc::new(AtomicUsize::new(0));
        let count = starts.clone();
        let until = stopped.clone();
        let work = move || {
            let (number, mut until) = (count.fetch_add(1, Ordering::Relaxed), until.clone());
            async move {
                assert!(number >= panics, "the worker has a fault");
                let _ = until.wait_for(|stopped| *stopped).await;
            }
        };
        let start = Instant::now();
        let stops = async {
            tokio::time::sleep(stop_after).await;
            stop.send_replace(true);
        };
        tokio::join!(keep_running("tests", stopped, work), stops);
        (starts.load(Ordering::Relaxed), start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_panics_is_started_again_after_a_pause() {
        let (starts, took) = starts(2, PAUSE * 10).await;
        assert_eq!((starts, took), (3, PAUSE * 10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_panics_again_and_again_holds_up_no_stop() {
        let (starts, took) = starts(usize::MAX, PAUSE * 5 / 2).await;
        assert_eq!((starts, took), (3, PAUSE * 5 / 2));
    }
}
