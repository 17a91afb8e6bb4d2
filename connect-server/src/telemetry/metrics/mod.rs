//! The metrics of a service, in the text form of Prometheus.
//!
//! Requests are counted as they end ([`Requests`]).
//! All else is read on request ([`Exporter`]): the core's own counts, its queues, the load of the listeners,
//! the disk and the process.
//!
//! No label has a value chosen by a client: routes are templates, and all unknown methods share one
//! label.

mod core_metrics;
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

/// The path of the metrics.
pub(crate) const PATH: &str = "/metrics";
