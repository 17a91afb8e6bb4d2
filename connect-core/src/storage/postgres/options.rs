//! The settings of a store on PostgreSQL.

use std::time::Duration;

use crate::storage::in_process::LEASE;

/// Settings of a store on PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The most connections of this process for reads.
    pub readers: usize,
    /// The most connections of this process for commits and locks.
    /// A commit occupies one while it waits for a row.
    pub writers: usize,
    /// The longest wait for a new connection, or for a free one.
    pub wait: Duration,
    /// Prepares statements, so the database parses each once per connection.
    /// A pooler with another connection for each transaction must support prepared statements (`PgBouncer`
    /// from 1.21 on); otherwise set this to false.
    pub prepares: bool,
    /// The longest hold of a lock.
    /// Values other than [`LEASE`] are for tests.
    pub lease: Duration,
}

impl Default for PostgresOptions {
    /// 12 connections for each purpose, a wait of 5 seconds, and prepared statements.
    fn default() -> Self {
        Self {
            readers: 12,
            writers: 12,
            wait: Duration::from_secs(5),
            prepares: true,
            lease: LEASE,
        }
    }
}
