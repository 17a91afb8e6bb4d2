//! Stops the server within a time limit.

use std::time::Duration;

use tokio::{
    select,
    sync::watch,
    time::{sleep, timeout},
};

/// The time limit for ending all work after the stop request.
/// Unfinished work is abandoned. Container engines kill after ten seconds, and the last lines of the log take
/// up to one.
const IN_ALL: Duration = Duration::from_secs(8);

/// The time limit for the last write to the store.
const LAST_NOTE: Duration = Duration::from_secs(1);

/// Waits until the server is asked to stop.
pub(crate) async fn asked(mut stopped: watch::Receiver<bool>) {
    // An error means that no sender is left to ask.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Does the work of a start, unless a stop is requested meanwhile.
/// Then it returns `None`, and the begun work stays unfinished. For the store this is like a killed process,
/// and harmless.
pub(crate) async fn unless_asked<T>(
    work: impl Future<Output = T>,
    stopped: watch::Receiver<bool>,
) -> Option<T> {
    select! {
        done = work => Some(done),
        () = asked(stopped) => None,
    }
}

/// Does the work of the server, with at most [`IN_ALL`] to stop.
/// Unfinished work is abandoned, as in a crash: every answer given is stored already.
pub(crate) async fn in_time(work: impl Future<Output = ()>, stopped: watch::Receiver<bool>) {
    let overdue = async {
        asked(stopped).await;
        sleep(IN_ALL).await;
    };
    select! {
        () = work => {}
        () = overdue => {
            tracing::warn!("work is unfinished after {IN_ALL:?}; it continues at the next start");
        }
    }
}

/// Waits for the last write to the store; `None` on a timeout.
pub(crate) async fn last_note<T>(note: impl Future<Output = T>) -> Option<T> {
    timeout(LAST_NOTE, note).await.ok()
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    /// The time from the stop request to the end of work.
    /// The request comes after an hour of service. The work takes `to_end` to end.
    async fn takes(to_end: Option<Duration>) -> Duration {
        const SERVED: Duration = Duration::from_secs(3600);
        let (stop, stopped) = watch::channel(false);
        let began = Instant::now();
        let until = stopped.clone();
        let work = async move {
            asked(until).await;
            match to_end {
                Some(to_end) => sleep(to_end).await,
                None => pending().await,
            }
        };
        let asks = async {
            sleep(SERVED).await;
            stop.send_replace(true);
        };
        tokio::join!(in_time(work, stopped), asks);
        began.elapsed() - SERVED
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_takes_as_long_as_the_work_and_never_long() {
        for (to_end, expected) in [
            (Some(Duration::ZERO), Duration::ZERO),
            (Some(Duration::from_secs(3)), Duration::from_secs(3)),
            (Some(Duration::from_secs(30)), IN_ALL),
            (None, IN_ALL),
        ] {
            assert_eq!(takes(to_end).await, expected);
        }
        assert_eq!(last_note(async { 1 }).await, Some(1));
        let began = Instant::now();
        assert_eq!(last_note(pending::<()>()).await, None);
        // With the end of the log, that is less than what container engines wait.
        assert!(IN_ALL + began.elapsed() < Duration::from_secs(10));
    }
}
