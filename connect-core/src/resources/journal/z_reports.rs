//! Z reports: lists, reads, and closings of registers.

use async_trait::async_trait;
use serde::Deserialize;
use uuid::Uuid;

use super::register::{self, RegisterPeriod};
use crate::{
    auth::{Access, Actor},
    engine::{Answer, Change, Listed, Outcome, Readable, Request, Reversible, Rows, Write},
    transaction::{
        Error, ReadKey, Reads, Refusal, Relations, Row, Stored, TimeKey as Place, UnitOfWork,
        keys::Family,
    },
    wire::{
        Cash, EventType, Timestamp, WriteInput as _, ZReport, ZReportInput,
        query::{Period, ZReportQuery},
    },
};

impl Row for ZReport {
    type Key = Place;
    const ROWS: Family = Family::ZReport;
    const IN_ORDER: Option<Family> = Some(Family::ZReportByClosing);
    const TOMBSTONES: Option<Family> = None;

    fn key(&self) -> Place {
        (self.closed_at, self.id.uuid())
    }

    fn key_in(row: &[u8]) -> serde_json::Result<Place> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ClosingFields {
            id: Uuid,
            closed_at: Timestamp,
        }
        serde_json::from_slice(row).map(|report: ClosingFields| (report.closed_at, report.id))
    }
}

impl Stored for ZReport {
    const FAMILY: Family = Family::ZReport;

    fn relations(&self, at: &ReadKey) -> Relations {
        Relations::of_row(self, ("Z report", "Z report"), self.closed_at, at)
    }
}

impl Listed for ZReport {
    const NAME: &'static str = "Z report";
    const LIST: &'static str = "Z reports";
    type Query = ZReportQuery;

    fn period(query: &ZReportQuery) -> Period {
        query.period
    }
}

impl Reversible for ZReport {}

impl Readable for ZReport {}

/// The closing of a register.
struct Close {
    counted_cents: Option<i64>,
}

#[async_trait]
impl Change for Close {
    fn reads(&self, access: &Access, reads: &mut Reads) {
        if let Actor::Screen { id, .. } = access.actor() {
            reads.shared_row(RegisterPeriod::key(access.partition(), id.uuid()));
        }
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let register = register::acting(access)?;
        let (register_id, closed_at) = (register.id.uuid(), unit.time());
        let period = RegisterPeriod::of(unit, register_id).await?;
        let report = ZReport {
            id: unit.next_id().into(),
            number: period.last_z_report + 1,
            register,
            currency: access.location().currency.clone(),
            // The clock of a register may be ahead.
            opened_at: (period.opened_at.or(period.closed_at))
                .map_or(closed_at, |opened_at| opened_at.min(closed_at)),
            closed_at,
            first_receipt_number: period.first_receipt_number,
            last_receipt_number: period.last_receipt_number,
            totals: period.totals,
            cash: counted(period.cash, self.counted_cents),
        };
        let next = RegisterPeriod {
            last_z_report: report.number,
            closed_at: Some(closed_at),
            ..RegisterPeriod::default()
        };
        next.save(unit, register_id);
        unit.append(&report);
        unit.emit(EventType::ZReportCreated, &report);
        Answer::with(Outcome::Created, &report)
    }
}

/// The cash of a register, with the counted amount.
fn counted(cash: Cash, counted_cents: Option<i64>) -> Cash {
    Cash {
        counted_cents,
        difference_cents: counted_cents.map(|counted| counted - cash.expected_cents),
        ..cash
    }
}

impl Rows<ZReport> {
    /// Closes the register of this access.
    /// The Z report covers all its rows since the previous one. Await it for the Z report.
    ///
    /// # Errors
    /// The caller is no register, or a field is invalid.
    pub fn close(&self, input: ZReportInput) -> Write<ZReport> {
        let rows = self.clone();
        Write::new("close", self.target(), input, move |request| {
            Box::pin(async move { rows.close_json(request).await })
        })
    }

    /// The same for a server: body and answer are JSON.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    pub async fn close_json(&self, request: Request<ZReportInput>) -> Result<Answer, Refusal> {
        register::acting(self.access())?;
        let change = |mut input: ZReportInput| {
            input.check()?;
            let counted_cents = input.counted_cents.into_value();
            Ok(Box::new(Close { counted_cents }) as _)
        };
        self.connect.write(&self.access, request, change).await
    }
}
