//! The file that says which engine made a folder.

use std::{fs, io, path::Path, time::SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::{Kind, OpenError, files};

/// The name of the file.
pub(super) const FILE: &str = "connect.store";

/// The layout of the folder and of the rows in it. Format 1 had no marker.
pub(super) const FORMAT: u32 = 2;

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) format: u32,
    pub(super) engine: Kind,
    /// The time at which the folder was made. For people only.
    made: String,
    /// False while the store is being made. Nobody has been handed such a store, so what is there
    /// of it may be thrown away.
    pub(super) complete: bool,
}

/// Only the part that every later format will have, too.
#[derive(Deserialize)]
struct AnyMarker {
    format: u32,
}

impl Marker {
    /// The marker of a store that is being made.
    pub(super) fn new(engine: Kind) -> Self {
        let made: DateTime<Utc> = SystemTime::now().into();
        Self {
            format: FORMAT,
            engine,
            made: made.to_rfc3339_opts(SecondsFormat::Secs, true),
            complete: false,
        }
    }

    /// Reads the marker of a folder, if there is one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, OpenError> {
        let text = match fs::read(folder.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OpenError::io(&folder.join(FILE))(error)),
        };
        match serde_json::from_slice::<AnyMarker>(&text) {
            Ok(any) if any.format != FORMAT => Err(OpenError::OtherFormat {
                path: folder.into(),
                found: any.format.to_string(),
                expected: FORMAT,
            }),
            _ => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| OpenError::Incomplete {
                    path: folder.into(),
                    missing: format!("{FILE} cannot be read ({error})"),
                }),
        }
    }

    /// Writes the marker, durably and as a whole.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        files::replace(folder, FILE, &text)
    }
}
