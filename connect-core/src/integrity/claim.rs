//! Claims: the statements of a row about another.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Problem, ProblemKind};
use crate::{
    storage::{Entry, Key, Value},
    transaction::{Fault, LenientReader, Lookup, keys::Family},
};

/// A condition on a row: present, absent, or with certain content.
pub(super) struct Claim {
    /// The key of the row in question.
    pub(super) on: Key,
    /// The key to report a problem under.
    pub(super) reported: Key,
    /// The kind of problem if it does not hold.
    pub(super) kind: ProblemKind,
    /// The write to make it hold, if any.
    pub(super) mend: Option<Mend>,
    /// The record with a loss if the row is missing.
    pub(super) concerns: Option<(Family, Uuid)>,
    /// The claiming row, once the claim is noted.
    pub(super) source: Entry,
    test: Test,
}

/// A write to make a claim hold.
pub(super) enum Mend {
    /// Writes the row of the claim, if there is none.
    Write(Value),
    /// Removes the claiming row.
    Remove,
}

/// A failed claim, with its problem and the row found.
pub(super) type Failed = (Problem, Claim, Option<Value>);

/// Returns the fault of the row, if any.
type Test = Box<dyn Fn(Option<&Value>) -> Option<String> + Send + Sync>;

impl Claim {
    /// A claim on the row at `on`, reported under the same key.
    pub(super) fn on(
        on: Key,
        kind: ProblemKind,
        test: impl Fn(Option<&Value>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            reported: on.clone(),
            on,
            kind,
            mend: None,
            concerns: None,
            source: Entry::default(),
            test: Box::new(test),
        }
    }

    /// The same, reported under the key of the claiming row.
    pub(super) fn reported_as(mut self, key: &Key) -> Self {
        self.reported = key.clone();
        self
    }

    /// A claim: an index entry exists and holds `held`.
    pub(super) fn entry(on: Key, held: Value, whose: String) -> Self {
        let mend = Some(Mend::Write(held.clone()));
        let claim = Self::on(on, ProblemKind::MissingEntry, move |found| match found {
            None => Some(format!("{whose} is not in the index")),
            Some(found) if *found != held => Some(format!(
                "the index entry of {whose} holds something else: {}",
                hex::encode(found)
            )),
            Some(_) => None,
        });
        Self { mend, ..claim }
    }

    /// A claim: the row of an index entry exists, and has this entry.
    /// `has` returns true for a row with the entry.
    /// An unparsable row is reported at its own key: `has` returns true for it.
    pub(super) fn row(
        entry: &Key,
        row: Key,
        has: impl Fn(&Value) -> bool + Send + Sync + 'static,
    ) -> Self {
        let test = move |found: Option<&Value>| match found {
            None => Some("an index entry leads to a row that is not there".to_owned()),
            Some(found) => (!has(found))
                .then(|| "an index entry leads to a row that does not have it".to_owned()),
        };
        let claim = Self::on(row, ProblemKind::StrayEntry, test);
        let mend = Some(Mend::Remove);
        Self { mend, ..claim }.reported_as(entry)
    }

    /// A claim: a row exists, and agrees with the claiming row.
    /// `fault` returns the fault of a parsed row.
    pub(super) fn agreeing<T: DeserializeOwned>(
        on: Key,
        kind: ProblemKind,
        missing: Option<String>,
        fault: impl Fn(T) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self::on(on, kind, move |found| match found {
            None => missing.clone(),
            // An unparsable row is reported at its own key.
            Some(found) => fault(serde_json::from_slice(found).ok()?),
        })
    }

    /// A claim: a row exists.
    pub(super) fn there(on: Key, kind: ProblemKind, message: String) -> Self {
        Self::on(on, kind, move |found| {
            found.is_none().then(|| message.clone())
        })
    }

    /// Compares the claim with the row found.
    fn judge(self, found: &Lookup) -> Option<Failed> {
        let Lookup::Found(found) = found else {
            // An unreadable row is reported at its own key; its content is unknown.
            return None;
        };
        let message = (self.test)(found.as_ref())?;
        let problem = Problem::new(self.kind, &self.reported, message);
        Some((problem, self, found.clone()))
    }
}

/// Compares every claim with its row. Returns the failed ones.
pub(super) async fn judge(
    reader: &LenientReader<'_>,
    claims: Vec<Claim>,
) -> Result<Vec<Failed>, Fault> {
    let mut about: Vec<Key> = claims.iter().map(|claim| claim.on.clone()).collect();
    about.sort_unstable();
    about.dedup();
    let found = reader.values(&about).await?;
    let found: BTreeMap<&Key, Lookup> = about.iter().zip(found).collect();
    let claims = claims.into_iter();
    let judged = claims.filter_map(|claim| found.get(&claim.on).and_then(|row| claim.judge(row)));
    Ok(judged.collect())
}
