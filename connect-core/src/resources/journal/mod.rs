//! The journal of the registers (specification: Point of sale).
//! It has the rows written by registers, the sums of each day, and the closings of registers.
//!
//! One commit writes a row with all its consequences: the summary of its day ([`days`]), the sums
//! of its register ([`register`]) and its event. So summaries and Z reports are read or made without
//! looking at any row.

mod articles;
mod bounds;
mod breakdown;
mod day_articles;
mod days;
pub(super) mod find;
mod register;
mod stored;
mod transactions;
mod z_reports;

pub use self::{articles::ArticleTotals, breakdown::JournalBreakdown, day_articles::SoldArticles};
pub(super) use self::{
    breakdown::breakdown,
    day_articles::articles,
    days::{daily_summaries, daily_summary},
};
pub(crate) use self::{
    day_articles::DayArticles,
    days::{day_key, day_number},
    register::RegisterPeriod,
};
