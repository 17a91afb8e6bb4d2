//! Notification of the program about retries.

use std::time::Duration;

use http::Method;

use crate::ErrorKind;

/// A failed request before its next attempt.
/// See [`ClientBuilder::on_retry`](crate::ClientBuilder::on_retry).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Retry<'a> {
    /// The method of the request.
    pub method: &'a Method,
    /// Its path below the base address, without the query.
    pub path: &'a str,
    /// The number of the failed attempt, from 1.
    pub attempt: u32,
    /// The reason.
    pub error: &'a ErrorKind,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// The request id, if the service answered.
    pub request_id: Option<&'a str>,
    /// The wait before the next attempt.
    pub wait: Duration,
}

/// A function of the program, called at each retry.
pub(crate) type OnRetry = Box<dyn Fn(&Retry<'_>) + Send + Sync>;
