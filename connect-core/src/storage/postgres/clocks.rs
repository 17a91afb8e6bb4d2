//! A comparison of this machine's clock with the database's.
//!
//! All servers on a database have its clock in common. Servers whose clocks agree with it agree with each
//! other.

use std::time::{Duration, Instant, SystemTime};

use super::connections::{Connection, Connections};

/// The largest difference without a warning.
const MOST: Duration = Duration::from_secs(5);

/// The time between two comparisons.
const PAUSE: Duration = Duration::from_secs(3600);

/// Compares the clocks once an hour, while polled.
pub(super) async fn watch(connections: Connections) {
    loop {
        tokio::time::sleep(PAUSE).await;
        if let Ok(connection) = connections.get().await {
            compare(&connection).await;
        }
    }
}

/// Logs a warning if the clocks differ.
pub(super) async fn compare(connection: &Connection) {
    if let Some(seconds) = difference(connection).await {
        tracing::warn!(
            seconds,
            "the clocks of this machine and of the database differ: run a time service on both"
        );
    }
}

/// Returns the lead of this machine in seconds, negative if behind.
///
/// `None` for a tolerable difference, or if the database gives no answer or does not tell its time.
async fn difference(connection: &Connection) -> Option<i64> {
    let (asked_at, asked) = (SystemTime::now(), Instant::now());
    let told = connection.query_once("SELECT clock_timestamp()", &[]).await;
    let half_way = asked.elapsed() / 2;
    let theirs: SystemTime = told.ok()?.first()?.try_get(0).ok()?;
    let ours = asked_at + half_way;
    let (apart, side) = match ours.duration_since(theirs) {
        Ok(ahead) => (ahead, 1),
        Err(behind) => (behind.duration(), -1),
    };
    // The database may have read its clock at any moment of the trip.
    (apart > MOST + half_way).then(|| side * i64::try_from(apart.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(feature = "conformance")]
#[cfg(test)]
mod tests {
    use super::{
        super::{PostgresOptions, testing::TestDatabase, version::Version},
        *,
    };

    #[tokio::test]
    async fn clocks_that_differ_are_noticed() {
        for (ahead, expected) in [
            (0, None),
            (-3, None),
            (3, None),
            (60, Some(-60)),
            (-60, Some(60)),
        ] {
            let Some(database) = TestDatabase::new() else {
                return;
            };
            // The search path puts this function before the one of PostgreSQL.
            database.execute(&format!(
                "CREATE SCHEMA wrong; \
                 CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS \
                 $$ SELECT pg_catalog.clock_timestamp() + interval '{ahead} s' $$; \
                 DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || \
                 ' SET search_path = wrong, pg_catalog, public'; END $$"
            ));
            let (config, options) = (
                database.address().parse().unwrap(),
                PostgresOptions::default(),
            );
            let connections = Connections::new(&config, 1, &options, &Version::default()).unwrap();
            let found = difference(&connections.get().await.unwrap()).await;
            // The clocks may differ by the time of the trip.
            let is_near = |found: i64, expected: i64| (found - expected).abs() <= 1;
            match (found, expected) {
                (Some(found), Some(expected)) => assert!(is_near(found, expected), "{found}"),
                pair => assert_eq!(pair, (None, None), "{ahead}"),
            }
        }
    }
}
