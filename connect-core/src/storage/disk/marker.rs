//! The file naming the engine of a folder.
//!
//! Its field `checksum` is the CRC-32 of the others: a flipped bit in a number would otherwise pass for another
//! program's version. A file without the field is from a program before it.

use std::{collections::BTreeMap, fmt::Display, fs, io, path::Path, time::SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Kind, OpenError, files};
use crate::storage::RowsVersion;

/// The name of the file.
pub(super) const FILE: &str = "connect.store";

/// The layout of the folder.
/// Format 1 had no marker, format 2 no version of the rows.
pub(super) const FORMAT: u32 = 3;

/// The oldest supported layout.
/// The first commit changes it to [`FORMAT`], so programs without support for versions refuse the
/// folder.
const OLDEST_FORMAT: u32 = 2;

/// The field with the checksum of the others.
const CHECKSUM: &str = "checksum";

/// The fields of the file, in the order of their names.
type Fields = BTreeMap<String, Json>;

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) format: u32,
    pub(super) engine: Kind,
    /// The creation time of the folder, for information only.
    made: String,
    /// False while the store is being created.
    /// Such a store was never in use, so its contents may be deleted.
    pub(super) complete: bool,
    #[serde(flatten)]
    rows: RowsVersion,
}

/// The part common to all later formats.
#[derive(Deserialize)]
struct AnyMarker {
    format: u32,
    #[serde(flatten)]
    rows: RowsVersion,
}

impl Marker {
    /// The marker of a new, unfinished store.
    pub(super) fn new(engine: Kind) -> Self {
        let made: DateTime<Utc> = SystemTime::now().into();
        Self {
            format: FORMAT,
            engine,
            made: made.to_rfc3339_opts(SecondsFormat::Secs, true),
            complete: false,
            rows: RowsVersion::THIS,
        }
    }

    /// The marker after a write by this program; `None` if unchanged.
    pub(super) fn written_to(&self) -> Option<Self> {
        let rows = self.rows.written_to();
        (self.format != FORMAT || rows != self.rows).then(|| Self {
            format: FORMAT,
            rows,
            ..self.clone()
        })
    }

    /// Reads the marker of a folder, if there is one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, OpenError> {
        let text = match fs::read(folder.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(OpenError::io(&folder.join(FILE))(error)),
        };
        let damaged = |reason: &dyn Display| OpenError::Incomplete {
            path: folder.into(),
            missing: format!("{FILE} cannot be read ({reason})"),
        };
        let mut fields: Fields = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if let Some(recorded) = fields.remove(CHECKSUM)
            && recorded != checksum(&fields)
        {
            return Err(damaged(&"its checksum is wrong"));
        }
        let fields = Json::Object(fields.into_iter().collect());
        if let Ok(any) = AnyMarker::deserialize(&fields) {
            any.check(folder)?;
        }
        let marker = Self::deserialize(fields);
        marker.map(Some).map_err(|error| damaged(&error))
    }

    /// Writes the marker, durably and as a whole.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut fields: Fields = serde_json::from_value(serde_json::to_value(self)?)?;
        fields.insert(CHECKSUM.into(), checksum(&fields).into());
        files::replace(folder, FILE, &serde_json::to_vec(&fields)?)
    }
}

/// The CRC-32 of the other fields.
fn checksum(fields: &Fields) -> u32 {
    crc32fast::hash(json!(fields).to_string().as_bytes())
}

impl AnyMarker {
    /// Checks the version: this program must be able to open the folder.
    fn check(&self, folder: &Path) -> Result<(), OpenError> {
        if !(OLDEST_FORMAT..=FORMAT).contains(&self.format) {
            return Err(OpenError::OtherFormat {
                path: folder.into(),
                found: self.format.to_string(),
                expected: FORMAT,
            });
        }
        self.rows.check().map_err(|source| OpenError::NewerRows {
            path: folder.into(),
            source,
        })
    }
}
