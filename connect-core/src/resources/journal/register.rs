//! The register of a write, and its sums since its last Z report.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    auth::{Access, ScreenRight},
    storage::Key,
    transaction::{
        Error, Fault, UnitOfWork,
        keys::{Family, KeyPart, key},
    },
    wire::{Cash, Register, Timestamp, Totals, Transaction},
};

/// Returns the acting register.
///
/// # Errors
/// The caller is no register.
pub(super) fn acting(access: &Access) -> Result<Register, Error> {
    let screen = access.screen(ScreenRight::WriteJournal)?;
    Ok(Register {
        id: screen.id.uuid().into(),
        name: screen.name.clone(),
    })
}

/// The rows of a register since its last Z report, summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisterPeriod {
    /// The number of the last Z report; 0 before the first.
    pub(crate) last_z_report: u64,
    /// The time of the last Z report.
    pub(crate) closed_at: Option<Timestamp>,
    /// The time of the earliest row.
    pub(crate) opened_at: Option<Timestamp>,
    /// The receipt number of the first row.
    pub(crate) first_receipt_number: Option<u64>,
    /// The receipt number of the last row.
    pub(crate) last_receipt_number: Option<u64>,
    /// The sums of the sales and refunds.
    pub(crate) totals: Totals,
    /// The cash, not counted yet.
    pub(crate) cash: Cash,
}

impl RegisterPeriod {
    /// The key of the period of a register.
    pub(super) fn key(location: Uuid, register: Uuid) -> Key {
        key(location, Family::RegisterPeriod, &[KeyPart::Id(register)])
    }

    /// Reads the period of a register.
    pub(super) async fn of(unit: &mut UnitOfWork<'_>, register: Uuid) -> Result<Self, Fault> {
        let key = Self::key(unit.partition(), register);
        let held = unit.get(&key).await?;
        held.map_or(Ok(Self::default()), |held| {
            serde_json::from_slice(&held).map_err(|e| Fault::corrupt(&key, e))
        })
    }

    /// Writes the period of a register.
    pub(super) fn save(&self, unit: &mut UnitOfWork<'_>, register: Uuid) {
        let held = unit.json(self);
        unit.put(Self::key(unit.partition(), register), held);
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Transaction) {
        let opened_at = self.opened_at.unwrap_or(row.created_at);
        self.opened_at = Some(opened_at.min(row.created_at));
        self.first_receipt_number.get_or_insert(row.receipt_number);
        self.last_receipt_number = Some(row.receipt_number);
        self.totals.add(row);
        self.cash.add(row);
    }
}
