//! The regular work on the store while the server runs.

use std::time::Duration;

use connect_core::Connect;
use tokio::time::interval;

/// The time between two runs of maintenance.
const MAINTENANCE: Duration = Duration::from_secs(60);

/// The time between two writes of the last uses of tokens.
/// Other servers show them within a minute.
const LAST_USES: Duration = Duration::from_secs(30);

/// The time between two writes of the last requests of tokens.
/// As much is lost when the process is killed.
const LAST_REQUESTS: Duration = Duration::from_secs(5);

/// Stores the last requests of tokens, without end.
pub(super) async fn flush_requests(connect: Connect) {
    let mut rounds = interval(LAST_REQUESTS);
    loop {
        rounds.tick().await;
        if let Err(error) = connect.flush_requests().await {
            let cause = error.cause();
            tracing::warn!(%cause, "the last requests of tokens were not saved");
        }
    }
}

/// Writes down the last uses of tokens, without end.
/// Maintenance does so too, but one round of it may take longer.
pub(super) async fn flush_token_usage(connect: Connect) {
    let mut rounds = interval(LAST_USES);
    loop {
        rounds.tick().await;
        if let Err(error) = connect.flush_token_usage().await {
            let cause = error.cause();
            tracing::warn!(%cause, "the last uses of tokens were not saved");
        }
    }
}

/// Maintains the store, without end.
pub(super) async fn maintain(connect: Connect) {
    let mut rounds = interval(MAINTENANCE);
    loop {
        rounds.tick().await;
        match connect.maintain().await {
            Ok(done) => tracing::debug!(?done, "maintenance"),
            Err(error) => {
                let cause = error.cause();
                tracing::error!(%cause, "maintenance stopped; the next round continues");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::storage::memory::MemoryStorage;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::sandbox::demo;

    #[tokio::test(start_paused = true)]
    async fn other_servers_learn_of_uses_within_a_minute_and_of_the_time_of_service() {
        let storage = Arc::new(MemoryStorage::new());
        let [connect, other] = [(); 2].map(|()| Connect::builder(storage.clone()).build());
        let shop = demo::open(&connect).await.unwrap();
        let token = shop.token.as_ref().map(|token| token.expose());
        let used = async {
            sleep(Duration::from_secs(1)).await;
            let seen = connect.authenticate([127, 0, 0, 1].into(), token).await;
            seen.unwrap();
            sleep(Duration::from_secs(60)).await;
        };
        tokio::select! {
            () = flush_token_usage(connect.clone()) => {}
            () = used => {}
        }
        let tokens = other.tokens(shop.account.id).await.unwrap();
        assert!(tokens[0].1.is_some());
        assert_eq!(other.last_maintenance().await.unwrap(), None);
        let _ = timeout(Duration::from_secs(1), maintain(connect)).await;
        assert!(other.last_maintenance().await.unwrap().is_some());
    }
}
