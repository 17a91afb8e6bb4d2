//! Claims: what a row says about another.

use super::{Problem, ProblemKind};
use crate::{
    record::Looked,
    storage::{Key, Value},
};

/// A row that must be there, or must not be, or must hold something.
pub(super) struct Claim {
    /// The key of the row that it is about.
    pub(super) on: Key,
    /// The key under which a problem is reported.
    pub(super) reported: Key,
    /// The kind of problem when it does not hold.
    pub(super) kind: ProblemKind,
    test: Test,
}

/// Returns what is wrong with the row, if anything is.
type Test = Box<dyn Fn(Option<&Value>) -> Option<String> + Send + Sync>;

impl Claim {
    /// A claim on the row at `on`, reported under the key of that row.
    pub(super) fn on(
        on: Key,
        kind: ProblemKind,
        test: impl Fn(Option<&Value>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            reported: on.clone(),
            on,
            kind,
            test: Box::new(test),
        }
    }

    /// The same, reported under the key of the row that claims.
    pub(super) fn reported_as(mut self, key: &Key) -> Self {
        self.reported = key.clone();
        self
    }

    /// A claim that an index entry is there and holds `held`.
    pub(super) fn entry(on: Key, held: Vec<u8>, whose: String) -> Self {
        Self::on(on, ProblemKind::MissingEntry, move |found| match found {
            None => Some(format!("{whose} is not in the index")),
            Some(found) if **found != *held => Some(format!(
                "the index entry of {whose} holds something else: {}",
                hex::encode(found)
            )),
            Some(_) => None,
        })
    }

    /// A claim that an index entry leads to a row that has it: one for which `has` holds.
    pub(super) fn row<T: serde::de::DeserializeOwned>(
        entry: &Key,
        row: Key,
        has: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        let test = move |found: Option<&Value>| match found {
            None => Some("an index entry leads to a row that is not there".to_owned()),
            // A row that cannot be parsed is reported where it is.
            Some(found) => match serde_json::from_slice(found) {
                Ok(found) if !has(&found) => {
                    Some("an index entry leads to a row that does not have it".to_owned())
                }
                _ => None,
            },
        };
        Self::on(row, ProblemKind::StrayEntry, test).reported_as(entry)
    }

    /// A claim that a row is there.
    pub(super) fn there(on: Key, kind: ProblemKind, message: String) -> Self {
        Self::on(on, kind, move |found| {
            found.is_none().then(|| message.clone())
        })
    }

    /// Holds the claim against what is there.
    pub(super) fn judge(&self, found: &Looked) -> Option<Problem> {
        match found {
            // Reported where it is; what it says is unknown.
            Looked::Damaged => None,
            Looked::Found(found) => (self.test)(found.as_ref())
                .map(|message| Problem::new(self.kind, &self.reported, message)),
        }
    }
}
