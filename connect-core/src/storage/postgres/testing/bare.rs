//! A read's statement alone, as the baseline of benchmarks.

use tokio_postgres::{Client, Error, Row, Statement};

use super::super::reads::Question;
use crate::storage::Read;

/// The store's statement for some reads, and its parameters.
pub struct Bare(Question);

impl Bare {
    /// Combines all these reads into one statement.
    pub fn of(reads: &[Read<'_>]) -> Self {
        Self(Question::of(reads))
    }

    /// Prepares the statement on a connection, as the store does.
    ///
    /// # Errors
    /// The database failed.
    pub async fn prepare(&self, client: &Client) -> Result<Statement, Error> {
        let parameters = self.0.parameters().into_iter();
        let types: Vec<_> = parameters.map(|(_, of)| of).collect();
        client.prepare_typed(self.0.statement(), &types).await
    }

    /// Sends the [prepared](Self::prepare) statement, and returns the raw rows.
    ///
    /// # Errors
    /// The database failed.
    pub async fn send(&self, client: &Client, known: &Statement) -> Result<Vec<Row>, Error> {
        let parameters = self.0.parameters().into_iter();
        let values: Vec<_> = parameters.map(|(value, _)| value).collect();
        client.query(known, &values).await
    }
}
