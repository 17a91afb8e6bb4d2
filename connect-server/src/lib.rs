#![doc = include_str!("../README.md")]
//! ## In here
//!
//! [`net`] is sockets and nothing of the domain. [`app`] is the order in which a request is
//! checked, and the answers. [`routes`] reads as the table of contents of the API.

pub mod app;
pub mod check;
pub mod cli;
pub mod demo;
pub mod net;
pub mod routes;
pub mod run;
mod start_clock;
pub mod store;
mod watch;
mod welcome;
