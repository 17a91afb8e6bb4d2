//! The floors: the driver of the store and plain statements.

use connect_core::storage::{Commit, Guard};
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

/// A connection as the store's.
pub async fn connect(address: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A table of the shape of the store's, with the same rows.
const COPY: &str = "CREATE TABLE floor_rows (LIKE connect_rows INCLUDING ALL); \
    INSERT INTO floor_rows SELECT * FROM connect_rows; \
    VACUUM ANALYZE floor_rows";

const UPSERT: &str = "INSERT INTO floor_rows (key, value) \
    SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

const REMOVE: &str = "DELETE FROM floor_rows USING unnest($1::bytea[]) AS gone (key) \
    WHERE floor_rows.key = gone.key";

const REMOVE_AND_UPSERT: &str = "WITH removed AS ( \
        DELETE FROM floor_rows USING unnest($3::bytea[]) AS gone (key) \
        WHERE floor_rows.key = gone.key) \
    INSERT INTO floor_rows (key, value) \
    SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// A copy of the store's table, to which the same is written by single statements.
pub struct Copy {
    client: Client,
    upsert: Statement,
    remove: Statement,
    both: Statement,
}

impl Copy {
    pub async fn of(address: &str) -> Self {
        let client = connect(address).await;
        for statement in COPY.split(';') {
            client.batch_execute(statement).await.unwrap();
        }
        Self {
            upsert: client.prepare(UPSERT).await.unwrap(),
            remove: client.prepare(REMOVE).await.unwrap(),
            both: client.prepare(REMOVE_AND_UPSERT).await.unwrap(),
            client,
        }
    }

    /// One upsert of all that is put.
    pub async fn upsert(&self, rows: &Rows) {
        self.execute(&self.upsert, &[&rows.keys, &rows.values])
            .await;
    }

    /// Removes what an upsert leaves.
    pub async fn remove(&self, rows: &Rows) {
        self.execute(&self.remove, &[&rows.removed]).await;
    }

    /// All of it as one statement.
    pub async fn write(&self, rows: &Rows) {
        self.execute(&self.both, &[&rows.keys, &rows.values, &rows.removed])
            .await;
    }

    async fn execute(&self, statement: &Statement, values: &[&(dyn ToSql + Sync)]) {
        self.client.execute(statement, values).await.unwrap();
    }
}

/// The rows that a commit of the core wrote.
pub struct Rows {
    keys: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
    removed: Vec<Vec<u8>>,
}

impl Rows {
    pub fn of(commit: &Commit) -> Self {
        let guard = commit.guard.iter();
        let guard = guard.map(|Guard { key, becomes, .. }| (key, Some(&**becomes)));
        let writes = commit
            .writes
            .iter()
            .map(|(key, write)| (key, write.value()));
        let mut all: Vec<_> = guard.chain(writes).collect();
        all.sort_unstable();
        let mut rows = Self {
            keys: Vec::new(),
            values: Vec::new(),
            removed: Vec::new(),
        };
        for (key, value) in all {
            match value {
                Some(value) => {
                    rows.keys.push(key.to_vec());
                    rows.values.push(value.to_vec());
                }
                None => rows.removed.push(key.to_vec()),
            }
        }
        rows
    }

    /// The number of rows that are put, their bytes, and the number of those removed.
    pub fn size(&self) -> (usize, usize, usize) {
        let bytes = |all: &[Vec<u8>]| all.iter().map(Vec::len).sum::<usize>();
        let put = bytes(&self.keys) + bytes(&self.values);
        (self.keys.len(), put, self.removed.len())
    }
}
