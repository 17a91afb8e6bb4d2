//! The level of the log, which can be read again while the program runs.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tracing_subscriber::{EnvFilter, filter::ParseError};

/// The log unless `RUST_LOG` says otherwise. The `h2` crate warns of what clients do wrong, which
/// would let them fill the log; `deadpool` of each connection that a database has closed.
const DEFAULT: &str = "info,h2=error,deadpool=error";

/// The reason why a level is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum LevelError {
    #[error("{}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: {source}; write a level such as \"debug\" or \"info,connect_server=debug\"", path.display())]
    Unknown { path: PathBuf, source: ParseError },
}

/// The filter as the environment has it.
pub(super) fn of_environment() -> EnvFilter {
    let wanted = env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    match &*wanted {
        // As with our own variables: without a value nothing is said.
        "" => EnvFilter::new(DEFAULT),
        wanted => EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new(DEFAULT)),
    }
}

/// The filter in a file; that of the environment where there is no file, or nothing in it.
///
/// # Errors
/// The file cannot be read, or says something else than a level.
pub(super) fn in_file(path: &Path) -> Result<EnvFilter, LevelError> {
    let path_buf = || path.to_owned();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(source) => {
            let path = path_buf();
            return Err(LevelError::Unreadable { path, source });
        }
    };
    match text.trim() {
        "" => Ok(of_environment()),
        wanted => EnvFilter::try_new(wanted).map_err(|source| LevelError::Unknown {
            path: path_buf(),
            source,
        }),
    }
}

/// The way to give the log of this process another level.
struct Level {
    path: PathBuf,
    set: Box<dyn Fn(EnvFilter) + Send + Sync>,
}

/// Set when the log has a file with its level.
static LEVEL: OnceLock<Level> = OnceLock::new();

/// Has the file of the level read again by [`read_level_again`].
pub(super) fn keep(path: PathBuf, set: impl Fn(EnvFilter) + Send + Sync + 'static) {
    let set = Box::new(set);
    // A program has one log.
    let _ = LEVEL.set(Level { path, set });
}

/// Reads the file with the level of the log again, if the log has one. A level that cannot be used leaves the
/// log as it is.
pub(crate) fn read_level_again() {
    let Some(level) = LEVEL.get() else {
        return;
    };
    match in_file(&level.path) {
        Ok(filter) => (level.set)(filter),
        Err(error) => tracing::warn!(%error, "the level of the log stays as it is"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_level_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("level");
        let unset = of_environment().to_string();
        for (content, level) in [
            (None, Ok(&*unset)),
            (Some(""), Ok(&*unset)),
            (Some(" \n"), Ok(&*unset)),
            (Some("debug\n"), Ok("debug")),
            (
                Some("warn,connect_server=debug"),
                Ok("connect_server=debug,warn"),
            ),
            (Some("loud=very"), Err("write a level such as")),
        ] {
            if let Some(content) = content {
                fs::write(&file, content).unwrap();
            }
            match (in_file(&file), level) {
                (Ok(read), Ok(level)) => assert_eq!(read.to_string(), level, "{content:?}"),
                (Err(error), Err(word)) => assert!(error.to_string().contains(word), "{error}"),
                (read, _) => panic!("{content:?}: {read:?}"),
            }
        }
        assert!(in_file(folder.path()).is_err());
    }
}
