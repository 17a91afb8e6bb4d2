//! The limits on time and size.

use std::time::Duration;

use super::Pace;

/// The most that one client may take of the server's time and memory.
///
/// Time is checked from time to time, not to the millisecond: a connection may live up to a
/// quarter longer than the shortest of these says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections open at once. One more closes the longest idle; when none is idle it waits until
    /// one ends, and others wait in the system's queue: a short burst loses nothing. The default
    /// leaves room for files below the usual 1024 open files of a process.
    pub connections: usize,
    /// Connections open at once from one IPv4 address, or one /64 of IPv6; trusted proxies may have
    /// more. One more closes the longest idle of them, or is closed itself when none is idle.
    pub connections_per_address: usize,
    /// From the first byte of a TLS connection to the end of its handshake.
    pub handshake: Duration,
    /// From a connection's start to its first request, and from the first byte of an HTTP/1.1
    /// head to its last: who sends half a head does not keep a connection.
    pub head: Duration,
    /// The pace at which the body of a request has to come. Time counts while it is waited for.
    pub upload: Pace,
    /// Between two requests on one connection. Longer than the minute most proxies in front keep
    /// theirs, so that they and not we close first. As long may an HTTP/1.1 client take nothing of its
    /// answer that has ended its side of the connection.
    pub idle: Duration,
    /// The pace at which an answer has to be taken. A connection whose client is slower is asked to
    /// end, with [`Limits::drain`] for the other requests on it. Of an HTTP/2 stream the pieces of
    /// an answer are watched, and it may take twice the time until that is noticed.
    pub download: Pace,
    /// The age at which a connection is asked to end (running requests finish).
    pub connection_age: Duration,
    /// From the wish to stop to the end of the last request; what runs longer is cut. The same
    /// for one connection that is closed because its client takes nothing; one that is idle or old
    /// ends with its last request.
    pub drain: Duration,
    /// Bytes of request bodies held at once, until their requests are answered. A request with more
    /// is answered with 503 and `Retry-After`. A quarter is for bodies of at most 64 KiB.
    pub body_bytes: usize,
    /// Bytes of answers held at once until clients have taken them, with 6 KiB for each request under
    /// way. More of them cut the connection that holds most, and none is read until it is gone.
    pub answer_bytes: usize,
    /// The same of one HTTP/2 connection: while it holds more, its requests wait.
    pub h2_answer_bytes: usize,
    /// Bytes that the header table of an HTTP/2 connection may keep. A connection with more is asked to
    /// end with its requests: a new one begins with an empty table. Those beyond 64 KiB count in
    /// [`Limits::answer_bytes`].
    pub h2_header_table_bytes: usize,
    /// Bytes that the system keeps of a connection's answers until they are acknowledged. Systems
    /// would let them grow to megabytes for each connection.
    pub send_buffer: u32,
    /// The time for which a connection is not read after a request of it was refused with 429, so that
    /// those who go on regardless do not keep the server busy. Trusted proxies are always read.
    pub refusal_pause: Duration,
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
    /// Bytes that the client may send on an HTTP/2 connection before they are looked at.
    pub h2_window: u32,
    /// Frames a second that are read of an HTTP/2 connection, beside one for each 64 bytes that it sends
    /// or gets; further ones wait. Frames that carry nothing are 9 to 17 bytes long.
    pub h2_frames: u32,
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
            connections_per_address: 200,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(10),
            upload: Pace {
                bytes: 16 * 1024,
                within: Duration::from_secs(30),
            },
            idle: Duration::from_secs(75),
            // What a client reads shows here only when the system makes room for 64 kB or so.
            download: Pace {
                bytes: 16 * 1024,
                within: Duration::from_secs(60),
            },
            connection_age: Duration::from_secs(3600),
            drain: Duration::from_secs(7),
            body_bytes: 32 * 1024 * 1024,
            answer_bytes: 64 * 1024 * 1024,
            h2_answer_bytes: 4 * 1024 * 1024,
            h2_header_table_bytes: 512 * 1024,
            send_buffer: 128 * 1024,
            refusal_pause: Duration::from_millis(100),
            uri_bytes: 8 * 1024,
            header_bytes: 16 * 1024,
            head_hard_bytes: 64 * 1024,
            discard_bytes: 16 * 1024 * 1024,
            discard: Duration::from_secs(5),
            h2_streams: 100,
            h2_window: 128 * 1024,
            h2_frames: 500,
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
        let shortest = shortest.min(self.download.within);
        (shortest / 4).max(Duration::from_millis(1))
    }
}
