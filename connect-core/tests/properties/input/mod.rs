//! The inputs: a small space in which names, codes and references collide.

mod fields;
mod items;
mod writes;

pub(crate) use fields::{BARCODES, EXTERNAL_IDS};
pub(crate) use items::{Item, Pick};
pub(crate) use writes::{
    Burst, Shape, Write, barcode_writes, batch, bursts, bursts_without_keys, writes,
};
