//! The limits on time and size.

use std::time::Duration;

/// The most that one client may take of the server's time and memory.
///
/// Time is checked from time to time, not to the millisecond: a connection may live up to a
/// quarter longer than the shortest of these says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections open at once. More of them wait in the system's queue until one ends: a
    /// short burst loses nothing. The default leaves room for files below the usual 1024 open
    /// files of a process.
    pub connections: usize,
    /// From the first byte of a TLS connection to the end of its handshake.
    pub handshake: Duration,
    /// From a connection's start to its first request, and from the first byte of an HTTP/1.1
    /// head to its last: who sends half a head does not keep a connection.
    pub head: Duration,
    /// For one whole body, however many pieces it comes in.
    pub body: Duration,
    /// Between two requests on one connection. Longer than the minute most proxies in front keep
    /// theirs, so that they and not we close first.
    pub idle: Duration,
    /// The longest time in which a client may read nothing of an answer.
    pub write_stall: Duration,
    /// The age at which a connection is asked to end (running requests finish): bounds what
    /// pings and half-read HTTP/2 streams can hold.
    pub connection_age: Duration,
    /// From the wish to stop to the end of the last request; what runs longer is cut. The same
    /// for one connection that is closed because it is idle or old.
    pub drain: Duration,
    /// Bytes of path and query.
    pub uri_bytes: usize,
    /// Bytes of all header names and values together. Between this and [`Limits::head_hard_bytes`]
    /// the answer is the app's; beyond, HTTP/2 has only a bare 431.
    pub header_bytes: usize,
    /// Bytes of one head that are read at all; also the size of a connection's buffer.
    /// At least 8192.
    pub head_hard_bytes: usize,
    /// Bytes of an unwanted body that are read and thrown away, so that the client comes to
    /// reading the answer. Without that it may see a broken pipe, or a stream error on HTTP/2,
    /// instead of a 413.
    pub discard_bytes: usize,
    /// Time for the same. As long again is what comes after the answer left alone before the
    /// connection (HTTP/1.1) or the stream (HTTP/2) is reset.
    pub discard: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub h2_streams: u32,
    /// HTTP/2 streams that the client opened and reset before they were looked at; one more ends
    /// the connection (rapid reset, CVE-2023-44487). The `h2` crate's default.
    pub h2_pending_resets: usize,
    /// HTTP/2 streams reset because of the client's own errors; one more ends the connection.
    /// The `h2` crate's default.
    pub h2_error_resets: usize,
    /// The time after which a quiet HTTP/2 connection is pinged.
    pub h2_ping: Duration,
    /// The longest time that the answer to such a ping may take.
    pub h2_ping_answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 800,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            write_stall: Duration::from_secs(30),
            connection_age: Duration::from_secs(3600),
            drain: Duration::from_secs(30),
            uri_bytes: 8 * 1024,
            header_bytes: 16 * 1024,
            head_hard_bytes: 64 * 1024,
            discard_bytes: 16 * 1024 * 1024,
            discard: Duration::from_secs(5),
            h2_streams: 100,
            h2_pending_resets: 20,
            h2_error_resets: 1024,
            h2_ping: Duration::from_secs(20),
            h2_ping_answer: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// The time between two looks at a connection's time.
    pub(super) fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.connection_age);
        (shortest / 4).max(Duration::from_millis(1))
    }
}
