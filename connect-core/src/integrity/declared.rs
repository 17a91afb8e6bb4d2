//! The check of a row by the declaration of its family.
//! A row leads to its index entries and references, and an entry to its row.

use super::{ProblemKind, claim::Claim, findings::Findings};
use crate::{
    owner, resources,
    storage::{Entry, Key, Value},
    transaction::{
        ReadKey, Relations, Stored, StoredKind,
        keys::{EntryForm, Family, KeyPart, PartKind, Relation, key, row_of_entry},
    },
    wire::Tombstone,
};

/// The kind of these rows, if they have index entries.
pub(super) fn kind(family: Family) -> Option<&'static StoredKind> {
    let mut all = resources::STORED.iter().chain(&owner::STORED);
    all.find(|kind| kind.family == family)
}

/// Checks a row by the declaration of its family alone.
pub(super) fn check(findings: &mut Findings, at: &ReadKey, row: &Value) {
    match at.family.relation() {
        Relation::Tombstone(rows) => tombstone(findings, at, row, rows),
        Relation::Entry(..) => entry(findings, at, row),
        Relation::Own | Relation::Numbered => {
            let Some(kind) = kind(at.family) else { return };
            match (kind.relations)(at, row) {
                Ok(relations) => {
                    findings.relate(relations);
                }
                Err(reason) => findings.unparsable(&reason),
            }
        }
    }
}

/// Checks a row with index entries and references. Returns it if it belongs to its key.
pub(super) fn row<T: Stored>(findings: &mut Findings, at: &ReadKey, row: &Value) -> Option<T> {
    let row: T = findings.parse(row)?;
    findings.relate(row.relations(at)).then_some(row)
}

/// Checks an index entry: it leads to a row with this entry.
pub(super) fn entry(findings: &mut Findings, at: &ReadKey, value: &Value) {
    let Relation::Entry(form, rows, _) = at.family.relation() else {
        return;
    };
    let Some(kind) = kind(rows) else { return };
    let (own, held) = (findings.key().clone(), value.clone());
    leads_to(findings, at, value, move |at, row| {
        let is_own =
            |(key, value): &Entry| *key == own && (form != EntryForm::Field || *value == held);
        (kind.relations)(at, row).map_or(true, |row| row.entries.iter().any(is_own))
    });
}

/// Claims: the row of this entry exists. `has` returns true for a row with the entry.
pub(super) fn leads_to(
    findings: &mut Findings,
    at: &ReadKey,
    value: &Value,
    has: impl Fn(&ReadKey, &Value) -> bool + Send + Sync + 'static,
) {
    let Relation::Entry(form, rows, _) = at.family.relation() else {
        return;
    };
    if form == EntryForm::Index {
        findings.is_empty(value);
    }
    let Some(row) = row_of_entry((findings.key(), value), form, rows) else {
        return findings.bad(match rows.parts() {
            [] => "the row holds no id of an account".to_owned(),
            [PartKind::Digest] => "the row holds no digest".to_owned(),
            _ => "the row holds no id".to_owned(),
        });
    };
    let row_at = ReadKey::of(&row);
    let record = kind(rows).and_then(|kind| kind.record);
    let id = row_at.as_ref().and_then(ReadKey::id);
    let has = move |row: &Value| row_at.as_ref().is_none_or(|at| has(at, row));
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
    if let (Some(record), Some(id)) = (record, id) {
        findings.concerning(record, id);
    }
}

/// Checks a tombstone of `rows`: its key agrees with its content, and the record is gone.
fn tombstone(findings: &mut Findings, at: &ReadKey, row: &Value, rows: Family) {
    let Some(tombstone) = findings.parse::<Tombstone>(row) else {
        return;
    };
    let id = tombstone.id;
    if at.id() != Some(id) || at.time() != Some(tombstone.updated_at) {
        return findings.bad("a tombstone is not where its id and time say".to_owned());
    }
    findings.changed(tombstone.updated_at);
    let live = key(at.partition, rows, &[KeyPart::Id(id)]);
    let test = move |found: Option<&Value>| {
        found.map(|_| format!("{id} has a tombstone, but still exists"))
    };
    findings.claim(Claim::on(live, ProblemKind::DeletedAndThere, test));
}

impl Findings {
    /// Claims the index entries and references of a row.
    /// Returns whether it belongs to its key; otherwise nothing is claimed.
    fn relate(&mut self, row: Relations) -> bool {
        if let Some(message) = row.misplaced {
            self.bad(message);
            return false;
        }
        if let Some(time) = row.changed_at {
            self.changed(time);
        }
        let name = row.name;
        for (entry, value) in row.entries {
            if !self.partition.has_words && is_of_word(&entry) {
                continue;
            }
            self.claim(Claim::entry(entry, value, name.clone()));
        }
        for (rows, noun, id) in row.references {
            let message = format!("{name} refers to {noun} {id}, which is not there");
            self.refers_to(rows, id, message);
            self.concerning(rows, id);
        }
        true
    }
}

/// Returns whether an entry is of a word of a name.
fn is_of_word(entry: &Key) -> bool {
    let Some(entry) = ReadKey::of(entry) else {
        return false;
    };
    let Relation::Entry(_, rows, _) = entry.family.relation() else {
        return false;
    };
    kind(rows).and_then(|kind| kind.word_entries) == Some(entry.family)
}
