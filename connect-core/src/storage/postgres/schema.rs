//! The tables and functions in the database, which any server makes that finds them missing.

use std::time::Duration;

use tokio_postgres::{Error, error::SqlState};

use super::{connections::Connection, fault::in_words, open_error::OpenError};

/// The statements of each version, which may run several times, also at once.
const VERSIONS: [&str; 1] = [include_str!("schema_1.sql")];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS connect_schema (version int4 PRIMARY KEY)";

const FIND: &str = "SELECT max(version) FROM connect_schema";

const ENTER: &str = "INSERT INTO connect_schema (version) VALUES ";

/// The pauses, in milliseconds, after which a server tries again what another does at the same moment: `IF NOT EXISTS` and
/// `OR REPLACE` do not wait for each other.
const PAUSES: [u64; 6] = [10, 30, 100, 300, 1000, 3000];

/// Makes what is missing.
///
/// # Errors
/// The database is of a newer version, or refuses.
pub(super) async fn bring_up_to_date(connection: &Connection) -> Result<(), OpenError> {
    let mut pauses = PAUSES.iter();
    loop {
        let error = match make(connection).await {
            Ok(found) if found > VERSIONS.len() => {
                let known = VERSIONS.len();
                return Err(OpenError::TooNew { found, known });
            }
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        let is_answer = error.as_db_error().is_some();
        let Some(pause) = pauses.next().filter(|_| is_answer) else {
            return Err(OpenError::Away(in_words(&error)));
        };
        tokio::time::sleep(Duration::from_millis(*pause)).await;
    }
}

/// Returns the version that the database has in the end.
async fn make(connection: &Connection) -> Result<usize, Error> {
    let found = find(connection).await?;
    for (version, statements) in (1..).zip(VERSIONS).skip(found) {
        connection.execute(statements).await?;
        let enter = format!("{ENTER} ({version}) ON CONFLICT (version) DO NOTHING");
        connection.execute(&enter).await?;
    }
    Ok(found.max(VERSIONS.len()))
}

async fn find(connection: &Connection) -> Result<usize, Error> {
    let rows = match connection.query_once(FIND, &[]).await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
            connection.execute(TABLE).await?;
            return Ok(0);
        }
        rows => rows?,
    };
    let version: Option<i32> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
    Ok(version
        .and_then(|version| version.try_into().ok())
        .unwrap_or(0))
}

/// Checks that the database acknowledges nothing that a crash takes back.
///
/// # Errors
/// [`OpenError::NotDurable`], or the database gives no answer.
pub(super) async fn check_durability(connection: &Connection) -> Result<(), OpenError> {
    let shown = connection.query_once("SHOW synchronous_commit", &[]).await;
    let shown = shown.map_err(|error| OpenError::Away(in_words(&error)))?;
    let value: Option<&str> = shown.first().and_then(|row| row.try_get(0).ok());
    match value {
        Some("off") => Err(OpenError::NotDurable),
        _ => Ok(()),
    }
}
