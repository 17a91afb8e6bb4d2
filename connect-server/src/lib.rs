//! The reference server of Connect.

pub mod net;
