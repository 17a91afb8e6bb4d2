//! A second server that follows the first.

use super::{Cluster, binaries, execute};

impl Cluster {
    /// Starts a streaming replica of this server, which takes its state as it is now; `None`, with a word
    /// on standard error, where there is no program that copies it.
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

    /// Has commits wait until a replica has them on its disk too, or no longer.
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

    /// Makes a replica a server of its own, as `pg_ctl promote` does, and returns when it is one.
    ///
    /// # Panics
    /// It is no replica.
    pub fn promote(&self) {
        execute(&self.config(), "SELECT pg_promote()").expect("the server can be promoted");
    }
}
