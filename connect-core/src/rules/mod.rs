//! Pure decisions from state and time, without storage or I/O.

pub(crate) mod access;
pub(crate) mod cursor;
pub(crate) mod idempotency;
pub(crate) mod image;
pub(crate) mod lease;
pub(crate) mod option_group;
pub(crate) mod option_link;
pub(crate) mod order;
pub(crate) mod pack;
pub(crate) mod password;
pub(crate) mod price_change;
pub(crate) mod product;
pub(crate) mod rate;
pub(crate) mod receipt;
pub(crate) mod role;
pub(crate) mod secret;
pub(crate) mod stock;
pub(crate) mod text;
pub(crate) mod totp;
pub(crate) mod webhook;
pub(crate) mod words;
pub(crate) mod zone;
