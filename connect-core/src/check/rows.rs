//! What must hold for a row, by its family.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Problem, ProblemKind, catalog, claim::Claim, owners, partition::Partition};
use crate::{
    record::{ChangeClock, CompleteSince, ReadKey, keys::Family},
    storage::{Entry, Key, Value},
    wire::{Category, Product, Timestamp},
};

/// What was found in some rows of a partition, before anything else was read.
pub(super) struct Findings {
    /// The key of the row that is looked at.
    key: Key,
    /// What holds for the partition as a whole, as far as it was seen.
    pub(super) partition: Partition,
    pub(super) problems: Vec<Problem>,
    pub(super) claims: Vec<Claim>,
}

impl Findings {
    /// Looks at rows of one partition. `partition` is what was found in the rows before these.
    pub(super) fn of(entries: &[Entry], partition: Partition, now: Timestamp) -> Self {
        let mut findings = Self {
            key: Key::default(),
            partition,
            problems: Vec::new(),
            claims: Vec::new(),
        };
        for (key, row) in entries {
            findings.key = key.clone();
            match ReadKey::of(key) {
                Some(at) => findings.look(&at, row, now),
                None => findings.problem(
                    ProblemKind::UnknownKey,
                    "this version writes no row with such a key".to_owned(),
                ),
            }
        }
        findings
    }

    fn look(&mut self, at: &ReadKey, row: &Value, now: Timestamp) {
        self.partition.count(at.family);
        match at.family {
            Family::Clock => {
                self.parse::<ChangeClock>(row);
                self.partition.clock = Some(row.clone());
            }
            Family::TombstonesSince => {
                self.parse::<CompleteSince>(row);
            }
            Family::Maintenance => {
                self.parse::<Timestamp>(row);
            }
            Family::Account => owners::account(self, at, row),
            Family::AccountList => owners::account_list(self, at, row),
            Family::Token => owners::token(self, at, row),
            Family::TokenById => owners::token_by_id(self, at, row),
            Family::AccountOfToken => owners::account_of_token(self, at, row),
            Family::TokenUse => owners::token_use(self, at, row),
            Family::Category => catalog::category(self, at, row),
            Family::CategoryByChange => catalog::index::<Category>(self, at, row),
            Family::CategoryTombstone => catalog::tombstone(self, at, row, Family::Category),
            Family::CategoryByName => catalog::by_name(self, at, row),
            Family::CategoryFoldedName => catalog::folded_name(self, at, row),
            Family::Product => catalog::product(self, at, row),
            Family::ProductByChange
            | Family::ProductByExternalId
            | Family::ProductByBarcode
            | Family::ProductByCategory => catalog::index::<Product>(self, at, row),
            Family::ProductTombstone => catalog::tombstone(self, at, row, Family::Product),
            Family::ImageJob => catalog::image_job(self, at, row),
            Family::ImageJobByProduct => catalog::image_job_by_product(self, at, row),
            Family::Event => self.event(at, row),
            Family::Answer => owners::answer(self, at, row),
            Family::AnswerByExpiry => owners::answer_by_expiry(self, at, row, now),
        }
    }

    /// The key of the row that is looked at.
    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    /// Notes a problem of this row.
    pub(super) fn problem(&mut self, kind: ProblemKind, message: String) {
        self.problems.push(Problem::new(kind, &self.key, message));
    }

    /// Notes that the row is not what its family holds.
    pub(super) fn bad(&mut self, message: String) {
        self.problem(ProblemKind::BadRow, message);
    }

    /// Notes a claim of this row.
    pub(super) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Notes that this row refers to the one at `on`.
    pub(super) fn refers(&mut self, on: Key, message: String) {
        let claim = Claim::there(on, ProblemKind::MissingReference, message);
        self.claims.push(claim.reported_as(&self.key));
    }

    /// Notes that the partition has a record of this time.
    pub(super) fn changed(&mut self, time: Timestamp) {
        self.partition.changed(time, &self.key);
    }

    /// The row as JSON.
    pub(super) fn parse<T: DeserializeOwned>(&mut self, row: &Value) -> Option<T> {
        match serde_json::from_slice(row) {
            Ok(parsed) => Some(parsed),
            Err(reason) => {
                self.bad(format!("the row cannot be parsed: {reason}"));
                None
            }
        }
    }

    /// The id that the row holds.
    pub(super) fn id(&mut self, row: &Value) -> Option<Uuid> {
        let id = Uuid::from_slice(row).ok();
        if id.is_none() {
            self.bad("the row holds no id".to_owned());
        }
        id
    }

    /// Checks that the row holds nothing.
    pub(super) fn is_empty(&mut self, row: &Value) {
        if !row.is_empty() {
            self.bad("the row holds something, and should be empty".to_owned());
        }
    }
}
