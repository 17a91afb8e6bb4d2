//! The inputs: a small space in which names, codes and references collide.
//!
//! A write is JSON. A text such as `@product/live/7` in it refers to a record, and is replaced by
//! an id once it is known which records there are.

mod fields;
mod receipts;
mod writes;

pub(crate) use fields::{BARCODES, CODES};
pub(crate) use receipts::{Edge, Look, NOW, REGISTERS, in_order, looks};
pub(crate) use writes::{Burst, Deed, Mix, Write, at_once, batch, bursts, shared_barcodes, writes};
