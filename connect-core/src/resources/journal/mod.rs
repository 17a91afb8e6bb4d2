//! The journal (specification: Point of sale): the rows that registers write, the sums of each day,
//! and the closings of registers.
//!
//! A row is written by one commit together with all that follows from it: the summary of its day
//! ([`days`]), the sums of its register ([`period`]), its event. So a summary and a Z report are read
//! or made without looking at any row.

mod bounds;
mod days;
pub(super) mod find;
mod period;
mod register;
mod stored;
mod transactions;
mod z_reports;

pub(super) use self::days::{daily_summaries, daily_summary};
pub(crate) use self::{
    days::{day_key, day_number},
    period::RegisterPeriod,
};
