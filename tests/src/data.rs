//! A data folder, with the server and the commands on it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use connect_core::environment::KeyRing;
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{Finished, Process, run};

/// A data folder, removed on drop.
pub struct DataFolder {
    folder: TempDir,
    program: &'static str,
    command: &'static str,
}

impl DataFolder {
    /// Makes an empty folder, for the commands `program command ..`.
    ///
    /// # Panics
    /// The folder cannot be made.
    pub fn new(program: &'static str, command: &'static str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            program,
            command,
        }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The store in it.
    pub fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// The file of keys for stored secrets.
    pub fn key_file(&self) -> PathBuf {
        self.path().join("store.keys")
    }

    /// The keys in that file.
    ///
    /// # Panics
    /// There is none.
    pub fn secret_keys(&self) -> KeyRing {
        let text = fs::read_to_string(self.key_file()).unwrap();
        let keys = text.lines().filter(|line| !line.starts_with('#'));
        KeyRing::new(keys.map(|key| key.parse().unwrap()).collect())
    }

    /// The file for commands to find a running server.
    pub fn pass(&self) -> PathBuf {
        self.path().join("store.admin.json")
    }

    /// Starts the demo's server.
    ///
    /// # Panics
    /// It does not start.
    pub async fn serve(&self) -> Process {
        let started = Process::start(self.program, &self.store(), &[]).await;
        started.unwrap()
    }

    /// Runs the command with these arguments.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn run(&self, arguments: &[&str]) -> Finished {
        let data = self.path().to_str().unwrap();
        let words = [&[self.command, "--data", data][..], arguments].concat();
        run(self.program, &words).await
    }

    /// Runs the command, and returns its JSON output.
    ///
    /// # Panics
    /// It fails.
    pub async fn json(&self, arguments: &[&str]) -> Value {
        let done = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
        assert_eq!(done.said, "", "{arguments:?}");
        serde_json::from_str(&done.output).unwrap()
    }

    /// Runs the command, and returns its text output.
    ///
    /// # Panics
    /// It fails.
    pub async fn text(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments).await;
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
        done.output
    }

    /// Asserts a failure of the command with this code and message.
    ///
    /// # Panics
    /// The command ends otherwise, or prints to standard output.
    pub async fn refuses(&self, arguments: &[&str], code: i32, says: &str) {
        let done = self.run(arguments).await;
        assert_eq!(done.code, Some(code), "{arguments:?}: {done:?}");
        assert!(done.said.contains(says), "{arguments:?}: {done:?}");
        assert_eq!(done.output, "", "{arguments:?}");
    }
}
