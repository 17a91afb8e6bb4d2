//! The statement of a read by itself, as the floor that reads are measured beside.

use tokio_postgres::{Client, Error, Row, Statement};

use super::super::reads::Question;
use crate::storage::Read;

/// The statement that the store sends for some reads, and its parameters.
pub struct Bare(Question);

impl Bare {
    /// The statement for all these reads at once.
    pub fn of(reads: &[Read<'_>]) -> Self {
        Self(Question::of(reads))
    }

    /// Has a connection know the statement, as those of the store do.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn prepare(&self, client: &Client) -> Result<Statement, Error> {
        let parameters = self.0.parameters().into_iter();
        let types: Vec<_> = parameters.map(|(_, of)| of).collect();
        client.prepare_typed(self.0.statement(), &types).await
    }

    /// Sends the statement, once it is [prepared](Self::prepare), and returns the answer as it comes.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn send(&self, client: &Client, known: &Statement) -> Result<Vec<Row>, Error> {
        let parameters = self.0.parameters().into_iter();
        let values: Vec<_> = parameters.map(|(value, _)| value).collect();
        client.query(known, &values).await
    }
}
