//! A pool of connections to the database.

use deadpool::managed::QueueMode;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use futures_util::future::join;
use rustls::{ClientConfig, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::{
    Client, Config, Error, NoTls, Row, Statement,
    config::SslMode,
    types::{ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{fault::away, open_error::OpenError, options::PostgresOptions, version::Version};
use crate::storage::StorageError;

/// A parameter of a statement and its type.
/// With types given, no statement needs a trip to ask for them.
pub(super) type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// Plans each statement once, with the index for every key.
///
/// By default the database plans a statement anew for each call, because the lengths of the arrays differ;
/// this takes longer than all the rest. Or it keeps a plan made while the table was empty, and scans the
/// whole table. All our statements need the same plan, however many rows there are.
const PLANS: &str = "SET plan_cache_mode = force_generic_plan; \
    SET enable_seqscan = off; SET enable_bitmapscan = off; \
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

/// A pool of connections.
#[derive(Clone)]
pub(super) struct Connections {
    pool: Pool,
    prepares: bool,
}

impl Connections {
    /// Makes a pool of at most `most` connections.
    /// Each is opened at its first use, and looks at the version of the database then.
    ///
    /// # Errors
    /// TLS is wanted, and the system has no trusted authorities.
    pub(super) fn new(
        config: &Config,
        most: usize,
        options: &PostgresOptions,
        version: &Version,
    ) -> Result<Self, OpenError> {
        let manager = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = match config.get_ssl_mode() {
            SslMode::Disable => Manager::from_config(config.clone(), NoTls, manager),
            _ => Manager::from_config(config.clone(), tls()?, manager),
        };
        let (version, prepares) = (version.clone(), options.prepares);
        let pool = Pool::builder(manager)
            .max_size(most)
            // The connection used last has warm caches, and the fewest connections are kept busy.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(options.wait))
            .create_timeout(Some(options.wait))
            .post_create(Hook::async_fn(move |client, _| {
                let version = version.clone();
                Box::pin(async move {
                    // Behind a pooler the settings would apply to another connection.
                    let plans = if prepares { PLANS } else { "" };
                    let both = join(client.batch_execute(plans), version.look(client));
                    let (set, looked) = both.await;
                    // A database without these settings works all the same.
                    if let Err(error) = set {
                        tracing::debug!(%error, "the database has no settings for plans");
                    }
                    looked.map_err(HookError::Backend)?;
                    let known = version.check();
                    known.map_err(|newer| HookError::message(newer.to_string()))
                })
            }));
        let pool = pool
            .build()
            .map_err(|error| OpenError::Unusable(error.to_string()))?;
        Ok(Self {
            pool,
            prepares: options.prepares,
        })
    }

    /// Returns a connection, once one is free.
    ///
    /// # Errors
    /// The database is away, refuses, or has been busy for too long.
    pub(super) async fn get(&self) -> Result<Connection, StorageError> {
        self.try_get().await.map_err(StorageError::new)
    }

    /// Returns a connection, or the reason as text.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub(super) async fn try_get(&self) -> Result<Connection, String> {
        let client = self.pool.get().await.map_err(|error| away(&error))?;
        Ok(Connection {
            client,
            prepares: self.prepares,
        })
    }
}

/// A TLS setup with the authorities of the system.
fn tls() -> Result<MakeRustlsConnect, OpenError> {
    let unusable = |error: rustls::Error| OpenError::Unusable(error.to_string());
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_platform_verifier()
        .map_err(unusable)?
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A connection to the database, returned to the pool when dropped.
pub(super) struct Connection {
    client: Object,
    prepares: bool,
}

impl Connection {
    /// Executes a statement in one trip.
    ///
    /// # Errors
    /// The database refused it, or gave no answer.
    pub(super) async fn query(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Error> {
        if !self.prepares {
            return self.query_once(sql, parameters).await;
        }
        let statement = self.statement(sql, parameters).await?;
        self.client.query(&statement, &values(parameters)).await
    }

    /// Executes a statement with exactly one row as its result.
    ///
    /// # Errors
    /// As [`query`](Self::query), or there are none or several rows.
    pub(super) async fn query_one(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Row, Error> {
        if !self.prepares {
            return self.client.query_typed_one(sql, parameters).await;
        }
        let statement = self.statement(sql, parameters).await?;
        self.client.query_one(&statement, &values(parameters)).await
    }

    async fn statement(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Statement, Error> {
        let types: Vec<_> = parameters.iter().map(|(_, of)| of.clone()).collect();
        self.client.prepare_typed_cached(sql, &types).await
    }

    /// Executes a statement in one trip, without keeping it prepared.
    /// It is sent at the first poll, so several can be sent at once.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub(super) async fn query_once(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Error> {
        self.client.query_typed(sql, parameters).await
    }

    /// Prepares a statement, with a trip the first time.
    /// Afterwards [`query`](Self::query) too sends it at the first poll.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub(super) async fn know(&self, sql: &str, types: &[Type]) -> Result<(), Error> {
        if self.prepares {
            self.client.prepare_typed_cached(sql, types).await?;
        }
        Ok(())
    }

    /// Executes statements without parameters.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub(super) async fn execute(&self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).await
    }

    /// The client of the connection, for statements outside this module.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns true if the database has closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Closes the connection instead of returning it to the pool.
    pub(super) fn close(self) {
        drop(Object::take(self.client));
    }
}

fn values<'p>(parameters: &[Parameter<'p>]) -> Vec<&'p (dyn ToSql + Sync)> {
    parameters.iter().map(|(value, _)| *value).collect()
}

#[cfg(feature = "conformance")]
#[cfg(test)]
mod tests {
    use super::{super::testing::TestDatabase, *};

    /// Plans statements once, and leaves the connections of a pooler unchanged.
    #[tokio::test]
    async fn statements_are_planned_once() {
        for (prepares, mode) in [(true, "force_generic_plan"), (false, "auto")] {
            let Some(database) = TestDatabase::new() else {
                return;
            };
            let options = PostgresOptions {
                prepares,
                ..PostgresOptions::default()
            };
            let config = database.address().parse().unwrap();
            let connections = Connections::new(&config, 1, &options, &Version::default()).unwrap();
            let connection = connections.get().await.unwrap();
            let shown = connection.query_once("SHOW plan_cache_mode", &[]).await;
            assert_eq!(shown.unwrap()[0].get::<_, String>(0), mode);
        }
    }
}
