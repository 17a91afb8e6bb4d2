//! The settings of a store on PostgreSQL.

use std::time::Duration;

use crate::storage::in_process::LEASE;

/// Settings of a store on PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The most connections on which this process reads.
    pub readers: usize,
    /// The most connections on which it commits and holds locks. A commit waits for its turn at a row
    /// on one of them.
    pub writers: usize,
    /// The longest wait for a connection: for a new one, or until one of all is free.
    pub wait: Duration,
    /// Prepares statements, so that the database reads each once for a connection. A pooler that gives
    /// each transaction another connection has to know prepared statements (`PgBouncer` from 1.21 on);
    /// otherwise this has to be off.
    pub prepares: bool,
    /// The longest time for which a lock is held. Another time than [`LEASE`] is for tests.
    pub lease: Duration,
}

impl Default for PostgresOptions {
    /// 12 connections for each purpose, 5 seconds of patience, and prepared statements.
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
