//! The end of the server, which comes in time.

use std::time::Duration;

use tokio::{
    select,
    sync::watch,
    time::{sleep, timeout},
};

/// The time from the wish to stop after which what still runs is left. Container engines kill after ten
/// seconds, and the last lines of the log take up to one.
const IN_ALL: Duration = Duration::from_secs(8);

/// The time that the last note in the store may take.
const LAST_NOTE: Duration = Duration::from_secs(1);

/// Waits until the server is asked to stop.
pub(crate) async fn asked(mut stopped: watch::Receiver<bool>) {
    // An error would mean that nobody can ask any more.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Does the work of a start; `None` when the server is asked to stop meanwhile. The begun work stays as it
/// is: to the store this is as if the process was killed, which it bears at any moment.
pub(crate) async fn unless_asked<T>(
    work: impl Future<Output = T>,
    stopped: watch::Receiver<bool>,
) -> Option<T> {
    select! {
        done = work => Some(done),
        () = asked(stopped) => None,
    }
}

/// Does the work of the server, which ends some time after it was asked to; what takes longer is left. It is
/// as after a crash then: no answer was given that is not kept.
pub(crate) async fn in_time(work: impl Future<Output = ()>, stopped: watch::Receiver<bool>) {
    let overdue = async {
        asked(stopped).await;
        sleep(IN_ALL).await;
    };
    select! {
        () = work => {}
        () = overdue => {
            tracing::warn!("not all work has ended within {IN_ALL:?}; the next start goes on with it");
        }
    }
}

/// Waits for the last note in the store, as long as there is time. `None` when it takes too long.
pub(crate) async fn last_note<T>(note: impl Future<Output = T>) -> Option<T> {
    timeout(LAST_NOTE, note).await.ok()
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    /// The time from the wish to stop, after an hour of service, to the end of work that takes so long to end.
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
