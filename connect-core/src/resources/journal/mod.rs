//! The journal of the registers (specification: Point of sale).
//! It has the rows written by registers, the sums of each day, and the closings of registers.
//!
//! One commit writes a row with all its consequences: the summary of its day ([`days`]), the sums
//! of its register ([`register`]) and its event. So summaries and Z reports are read or made without
//! looking at any row.

mod bounds;
mod days;
pub(super) mod find;
mod register;
mod stored;
mod transactions;
mod z_reports;

pub(super) use self::days::{daily_summaries, daily_summary};
pub(crate) use self::{
    days::{day_key, day_number},
    register::RegisterPeriod,
};
