//! A folder with stores, and the files to transfer them.

use tempfile::TempDir;

use crate::process::{Finished, run};

/// The folder, removed on drop.
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

    /// The path of a file with this name in the folder.
    ///
    /// # Panics
    /// The path is not UTF-8.
    pub fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    /// The storage address of a store of this engine.
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

    /// Runs a command to move a store to a file, or from it.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn moved(&self, command: &str, storage: &str, more: &[&str]) -> Finished {
        let file = self.path("shop.connect");
        let words = [command, "--storage", storage, &file];
        self.command(&[&words[..], more].concat()).await
    }
}
