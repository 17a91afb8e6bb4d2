//! The figures of a service, in the text form of Prometheus.
//!
//! Requests are counted as they end, by handles that were made before ([`Requests`]): no lock is
//! taken and nothing is allocated. All else is read when somebody asks ([`Exporter`]): the core's
//! own counts, its queues, what the listeners hold, the disk and the process.
//!
//! No label has what a client may choose: routes are templates, and other methods than those of HTTP
//! are one.

mod core_figures;
mod exporter;
mod family;
mod process;
mod queues;
mod readers;
mod requests;
mod service;

pub(crate) use exporter::{Exporter, Sources};
pub(crate) use readers::{MetricsToken, MetricsTokenError, Readers, digest};
pub(crate) use requests::Requests;

/// The path at which they are read.
pub(crate) const PATH: &str = "/metrics";
