//! The parameters of lists not ordered by `updatedAt`.

use super::{
    Moment, PageQuery, Paging, Parameter, Period, Query,
    paging::page_parameters,
    parameter::{IdOf, WholeParameter, parameter},
    period::{FROM, TO},
    setters,
};
use crate::wire::{
    AnyEvent, Date, EventType, Id, ImageStatus, MovementType, Product, TransactionType,
};

/// The parameters of the list of image jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageJobQuery {
    /// Pages.
    pub paging: Paging,
    /// Only jobs in this state.
    pub status: Option<ImageStatus>,
}

setters!(ImageJobQuery {
    status: ImageStatus
});

impl Query for ImageJobQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("status", status, ImageStatus, "Only jobs in this state."),
    ];
}

/// The parameters of the list of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Pages.
    pub paging: Paging,
    /// Only events of this type.
    pub kind: Option<EventType>,
    /// Only events after the event with this id.
    pub after: Option<Id<AnyEvent>>,
}

setters!(EventQuery { kind: EventType, after: Id<AnyEvent> });

impl Query for EventQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("type", kind, EventType, "Only events of this type."),
        parameter!(
            "after", after, IdOf<AnyEvent>,
            "Only events after the event with this id: send the id of your last event. Events are \
             kept for 30 days; an unknown or older id is refused."
        ),
    ];
}

/// The parameters of the list of transactions. Filters narrow it down together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionQuery {
    /// Pages.
    pub paging: Paging,
    /// Only rows of this time range.
    pub period: Period,
    /// Only rows of this type.
    pub kind: Option<TransactionType>,
    /// Only rows with a higher receipt number.
    pub since_receipt: Option<u64>,
}

setters!(TransactionQuery { kind: TransactionType, since_receipt: u64, from in period: Moment, to in period: Moment });

impl Query for TransactionQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("from", period.from, Moment, FROM),
        parameter!("to", period.to, Moment, TO),
        parameter!("type", kind, TransactionType, "Only rows of this type."),
        parameter!(
            "sinceReceipt", since_receipt, WholeParameter,
            "Only rows with a higher receipt number: send the number of your last row."
        ),
    ];
}

/// The parameters of the list of Z reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZReportQuery {
    /// Pages.
    pub paging: Paging,
    /// Only closings in this time range.
    pub period: Period,
}

setters!(ZReportQuery { from in period: Moment, to in period: Moment });

impl Query for ZReportQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("from", period.from, Moment, FROM),
        parameter!("to", period.to, Moment, TO),
    ];
}

/// The parameters of a daily summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DailySummaryQuery {
    /// The day; today unless given.
    pub date: Option<Date>,
}

setters!(DailySummaryQuery { date: Date });

impl Query for DailySummaryQuery {
    const PARAMETERS: &'static [Parameter<Self>] = &[parameter!(
        "date",
        date,
        Date,
        "The day, in the location's time zone; today unless given. A day without sales has zeros."
    )];
}

/// The parameters of the list of stock movements. Filters narrow it down together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StockMovementQuery {
    /// Pages.
    pub paging: Paging,
    /// Only movements of this product.
    pub product_id: Option<Id<Product>>,
    /// Only movements of this type.
    pub kind: Option<MovementType>,
    /// Only movements in this time range.
    pub period: Period,
}

setters!(StockMovementQuery { product_id: Id<Product>, kind: MovementType, from in period: Moment, to in period: Moment });

impl Query for StockMovementQuery {
    const PARAMETERS: &'static [Parameter<Self>] = page_parameters![
        paging;
        parameter!("productId", product_id, IdOf<Product>, "Only movements of this product."),
        parameter!("type", kind, MovementType, "Only movements of this type."),
        parameter!("from", period.from, Moment, FROM),
        parameter!("to", period.to, Moment, TO),
    ];
}

/// Implements `PageQuery` with the field `paging`.
macro_rules! paged {
    ($query:ty) => {
        impl PageQuery for $query {
            fn limit(&self) -> Option<usize> {
                self.paging.limit
            }

            fn cursor(&self) -> Option<&str> {
                self.paging.cursor.as_deref()
            }

            fn set_limit(&mut self, limit: usize) {
                self.paging.limit = Some(limit);
            }

            fn set_cursor(&mut self, cursor: String) {
                self.paging.cursor = Some(cursor);
            }
        }
    };
}

paged!(EventQuery);
paged!(ImageJobQuery);
paged!(StockMovementQuery);
paged!(TransactionQuery);
paged!(ZReportQuery);
