//! The JSON forms of requests, responses and events, and all limits.
//!
//! A client needs no more than this, and no more is compiled without features. Nothing here depends
//! on storage, the clock or any I/O.
//!
//! Responses may grow, so their types are `#[non_exhaustive]`: a program reads their fields, and
//! its tests make them from JSON. Bodies of writes and queries are made in code, with
//! `..Default::default()` for later additions.

mod batch;
mod category;
mod daily_summary;
mod date;
mod device;
mod error;
mod event;
mod field;
pub mod form;
mod hidden;
mod id;
mod idempotency_key;
mod image;
mod input;
pub(crate) mod json_name;
pub mod limits;
mod location;
mod number;
mod open_enum;
mod option_group;
mod option_link;
mod page;
mod product;
pub mod query;
pub mod read;
mod receipt;
mod record;
mod sale;
mod scope;
mod stock;
mod timestamp;
mod totals;
mod z_report;

pub use batch::{
    Batch, BatchExtra, BatchInput, BatchResult, BatchStatus, ItemError, ItemResult, MatchBy,
};
pub use category::{Category, CategoryInput, CategoryName};
pub use daily_summary::DailySummary;
pub use date::Date;
pub use device::{
    LineInput, LineOptionInput, OrderChange, OrderInput, PaymentInput, TransactionInput, VatInput,
    ZReportInput,
};
pub use error::{ErrorBody, ErrorCode, ErrorDetail, FieldError};
pub use event::{
    AnyEvent, Changed, Deleted, Event, EventType, Ping, ProductsChanged, RecordsWritten,
};
pub use field::Field;
pub use hidden::is_hidden;
pub use id::Id;
pub use idempotency_key::IdempotencyKey;
pub use image::{ImageError, ImageErrorCode, ImageStatus};
pub use location::Location;
pub use number::{Quantity, QuantityChange, QuantityError, VatRate, VatRateError, decimal};
pub use option_group::{GroupOption, OptionGroup, OptionGroupInput, OptionInput};
pub use option_link::{
    LinkFailure, LinkTarget, OptionGroupLinks, OptionGroupRef, OptionLinksResult,
};
pub use page::{Collection, Entry, Page, Single, Tombstone};
pub use product::{
    ImageJob, ImagesQueued, Product, ProductBatch, ProductBatchResult, ProductInput,
};
pub use read::WriteInput;
pub use receipt::{Line, LineOption, Payment, PaymentMethod, VatAmount};
pub use record::WireRecord;
pub use sale::{
    Fulfilment, Order, OrderSource, OrderStatus, PaymentStatus, Register, Transaction,
    TransactionType,
};
pub use scope::Scope;
pub use stock::{
    AdjustmentType, MovementType, StockAdjustment, StockBatchChanged, StockChange, StockCount,
    StockCountItem, StockCountResult, StockCounts, StockCountsResult, StockLevel, StockMovement,
};
pub use timestamp::Timestamp;
pub use totals::{PaymentTotal, Totals, Turnover};
pub use z_report::{Cash, ZReport};
