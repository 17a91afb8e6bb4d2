//! The targets, one file for each kind of reader.

mod batch;
mod body;
mod cursor;
mod header;
mod oracle;
mod query;
mod record;
mod text;

use crate::Target;

/// Returns every target.
pub fn all() -> Vec<Target> {
    [
        body::targets(),
        batch::targets(),
        query::targets(),
        text::targets(),
        cursor::targets(),
        header::targets(),
        record::targets(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
