//! The level of the log, reloadable while the program runs.

use std::{
    env,
    fmt::Display,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// The default level, without `RUST_LOG`.
/// The `h2` crate warns of client errors, so clients could fill the log; `deadpool` warns of each connection
/// closed by a database.
const DEFAULT: &str = "info,h2=error,deadpool=error";

/// The reason for ignoring a level.
#[derive(Debug, thiserror::Error)]
pub(super) enum LevelError {
    #[error("{}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{place}: {problem}; write a level such as \"debug\" or \"info,connect_server=debug\"")]
    Unknown { place: String, problem: String },
}

/// The default filter.
pub(super) fn usual() -> EnvFilter {
    EnvFilter::new(DEFAULT)
}

/// The filter from the environment.
///
/// # Errors
/// Its value is no level.
pub(super) fn of_environment() -> Result<EnvFilter, LevelError> {
    const NAME: &str = EnvFilter::DEFAULT_ENV;
    let wanted = env::var(NAME).unwrap_or_default();
    // As with our own variables: without a value nothing is said.
    Ok(read(&wanted, NAME)?.unwrap_or_else(usual))
}

/// The filter in a file; `None` if missing or empty.
///
/// # Errors
/// The file cannot be read, or its content is no level.
pub(super) fn in_file(path: &Path) -> Result<Option<EnvFilter>, LevelError> {
    match fs::read_to_string(path) {
        Ok(text) => read(text.trim(), path.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => {
            let path = path.to_owned();
            Err(LevelError::Unreadable { path, source })
        }
    }
}

/// Reads the text of a place; `None` if it is empty.
///
/// The filter takes a lone word other than a level for a target, and turns everything else off: `inof` would
/// silence the log.
fn read(wanted: &str, place: impl Display) -> Result<Option<EnvFilter>, LevelError> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let is_target = |word: &str| word.contains(['=', '[', ':']);
    let mut words = wanted.split(',');
    let read = match words.find(|word| !is_target(word) && word.parse::<LevelFilter>().is_err()) {
        Some(_) => Err("a word without \"=\" is no level".to_owned()),
        None => EnvFilter::try_new(wanted).map_err(|error| error.to_string()),
    };
    read.map(Some).map_err(|problem| LevelError::Unknown {
        place: place.to_string(),
        problem,
    })
}

/// The file of the log's level, and its setter.
struct Level {
    path: PathBuf,
    set: Box<dyn Fn(EnvFilter) + Send + Sync>,
}

/// Set if the log has a file for its level.
static LEVEL: OnceLock<Level> = OnceLock::new();

/// Keeps the file of the level and its setter for [`read_level_again`].
pub(super) fn keep(path: PathBuf, set: impl Fn(EnvFilter) + Send + Sync + 'static) {
    let set = Box::new(set);
    // A program has one log.
    let _ = LEVEL.set(Level { path, set });
}

/// Reads the file of the log's level again, if any.
/// An unusable level leaves the log as it is.
pub(crate) fn read_level_again() {
    let Some(level) = LEVEL.get() else {
        return;
    };
    let read = in_file(&level.path);
    match read.and_then(|filter| filter.map_or_else(of_environment, Ok)) {
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
        let unknown = Err("write a level such as");
        for (content, level) in [
            (None, Ok(None)),
            (Some(""), Ok(None)),
            (Some(" \n"), Ok(None)),
            (Some("debug\n"), Ok(Some("debug"))),
            (Some("WARN"), Ok(Some("warn"))),
            (Some("off"), Ok(Some("off"))),
            (Some("3"), Ok(Some("info"))),
            (
                Some("warn,connect_server=debug"),
                Ok(Some("connect_server=debug,warn")),
            ),
            (
                Some("connect_server::audit"),
                Ok(Some("connect_server::audit=trace")),
            ),
            (Some("loud=very"), unknown),
            (Some("connect_server=inof"), unknown),
            (Some("inof"), unknown),
            (Some("warning"), unknown),
            (Some("6"), unknown),
            (Some("info debug"), unknown),
            (Some("info, debug"), unknown),
            (Some("inof,connect_server=debug"), unknown),
            (Some("connect_server=debug,warning"), unknown),
        ] {
            if let Some(content) = content {
                fs::write(&file, content).unwrap();
            }
            let read = in_file(&file).map(|read| read.map(|filter| filter.to_string()));
            match (read, level) {
                (Ok(read), Ok(level)) => assert_eq!(read.as_deref(), level, "{content:?}"),
                (Err(error), Err(word)) => assert!(error.to_string().contains(word), "{error}"),
                (read, _) => panic!("{content:?}: {read:?}"),
            }
        }
        assert!(in_file(folder.path()).is_err());
    }
}
