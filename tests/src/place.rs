//! A folder with stores, and the files that carry them over.

use tempfile::TempDir;

use crate::process::{Finished, run};

/// The folder, removed when it is dropped.
pub struct Place {
    folder: TempDir,
    program: &'static str,
}

impl Place {
    /// Makes an empty folder, for the commands of this program.
    ///
    /// # Panics
    /// It cannot be made.
    pub fn new(program: &'static str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            program,
        }
    }

    /// The path of what has this name in it.
    ///
    /// # Panics
    /// It is no text.
    pub fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// The store of this engine.
    pub fn storage(&self, engine: &str) -> String {
        format!("{engine}:{}", self.path(engine))
    }

    /// Runs a command.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn command(&self, words: &[&str]) -> Finished {
        run(self.program, words).await
    }

    /// Runs a command between the store of this engine and a file.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn on(&self, engine: &str, command: &str, more: &[&str]) -> Finished {
        self.moved(command, &self.storage(engine), more).await
    }

    /// Runs a command that carries a store to a file, or from it.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn moved(&self, command: &str, storage: &str, more: &[&str]) -> Finished {
        let file = self.path("shop.connect");
        let words = [command, "--storage", storage, &file];
        self.command(&[&words[..], more].concat()).await
    }
}
