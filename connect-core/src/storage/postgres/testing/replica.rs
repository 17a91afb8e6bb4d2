//! A replica of a server.

use super::{Cluster, binaries, execute};

impl Cluster {
    /// Starts a streaming replica of this server, from its current state.
    /// Returns `None`, with a note on standard error, if the program that copies it is missing.
    ///
    /// # Panics
    /// It does not start.
    pub fn replica(&self) -> Option<Self> {
        let Some(binaries) = binaries(&["pg_basebackup", "postgres"]) else {
            eprintln!("skipped: there is no pg_basebackup here");
            return None;
        };
        let port = self.port.to_string();
        let copy = [
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "postgres",
            "-D",
            "data",
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
        ];
        let replica = Self::make(&binaries, true, "pg_basebackup", &copy);
        Some(replica.expect("the replica starts"))
    }

    /// Makes commits wait for the replica's disk, or no longer wait.
    ///
    /// # Panics
    /// The server does not take the setting.
    pub fn wait_for_replicas(&self, does_wait: bool) {
        let names = if does_wait { "*" } else { "" };
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'");
        for sql in [&set, "SELECT pg_reload_conf()"] {
            execute(&self.config(), sql).expect("the server takes the setting");
        }
    }

    /// Promotes a replica to a primary, as `pg_ctl promote` does.
    /// Returns once it is one.
    ///
    /// # Panics
    /// It is no replica.
    pub fn promote(&self) {
        execute(&self.config(), "SELECT pg_promote()").expect("the server can be promoted");
    }
}
