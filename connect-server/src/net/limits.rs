//! The limits on time and size.

use std::time::Duration;

use super::Pace;

/// The limits on one client's use of the server's time and memory.
///
/// Time is checked at intervals: a connection may live longer, by up to a quarter of the shortest limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections.
    /// One more closes the longest idle. With none idle it waits for one to end, and later ones wait in
    /// the system's queue: a short burst loses nothing. The default leaves room for files below the
    /// usual 1024 open files of a process.
    pub connections: usize,
    /// Maximum number of open connections per IPv4 address or IPv6 /64.
    /// Trusted proxies may have more. One more closes the longest idle of them, or is closed itself when
    /// none is idle.
    pub connections_per_address: usize,
    /// Maximum time of a TLS handshake, from the connection's first byte.
    pub handshake: Duration,
    /// Maximum time from a connection's start to its first request.
    /// Also from the first byte of an HTTP/1.1 head to its last: half a head does not keep a connection
    /// open.
    pub head: Duration,
    /// The minimum pace of a request's body.
    /// Only time spent waiting for it counts.
    pub upload: Pace,
    /// Maximum idle time between two requests on one connection.
    /// Longer than the usual minute of proxies in front, so the proxy closes first and not we. An
    /// HTTP/1.1 client with its sending side closed may also take nothing of its answer for as long.
    pub idle: Duration,
    /// The minimum pace of a client taking an answer.
    /// A slower connection is asked to end, with [`Limits::drain`] for its other requests. On an HTTP/2
    /// stream the pieces of an answer are watched, and it may take twice the time to notice.
    pub download: Pace,
    /// Maximum age of a connection. Then it is asked to end.
    /// Running requests finish.
    pub connection_age: Duration,
    /// Time from the stop signal to the end of the last request.
    /// Requests still running then are cut. The same holds for a single connection closed because its
    /// client takes nothing. An idle or old one ends with its last request.
    pub drain: Duration,
    /// Maximum bytes of request bodies held until their requests are answered.
    /// A request with more is answered with 503 and `Retry-After`. A quarter is for bodies of at most 64
    /// KiB.
    pub body_bytes: usize,
    /// Maximum bytes of answers held until clients have taken them.
    /// Each request under way counts 6 KiB more. Beyond the limit the connection with the most bytes is
    /// cut, and no connection is read until it is gone.
    pub answer_bytes: usize,
    /// The same for one HTTP/2 connection: beyond it, its requests wait.
    pub h2_answer_bytes: usize,
    /// Maximum bytes kept by the header table of an HTTP/2 connection.
    /// A connection with more is asked to end with its requests: a new one begins with an empty table.
    /// Bytes beyond 64 KiB count twice in [`Limits::answer_bytes`], as much as they take.
    pub h2_header_table_bytes: usize,
    /// Bytes of a connection's answers kept by the system until acknowledged.
    /// Systems would let them grow to megabytes for each connection.
    pub send_buffer: u32,
    /// The pause in reading a connection after a 429 on it.
    /// Clients going on regardless then do not keep the server busy. Trusted proxies are always read.
    pub refusal_pause: Duration,
    /// Maximum bytes of path and query.
    pub uri_bytes: usize,
    /// Maximum bytes of all header names and values together.
    /// Between this and [`Limits::head_hard_bytes`] the app answers; beyond, HTTP/2 has only a bare 431.
    pub header_bytes: usize,
    /// Maximum bytes read of one head.
    /// Also the size of a connection's buffer. At least 8192.
    pub head_hard_bytes: usize,
    /// Maximum bytes of an unwanted body read and thrown away.
    /// The client then comes to reading the answer. Without this it may see a broken pipe, or a stream
    /// error on HTTP/2, instead of a 413.
    pub discard_bytes: usize,
    /// Maximum time for the same.
    /// After the answer, the reset of the connection (HTTP/1.1) or the stream (HTTP/2) is put off for as
    /// long again.
    pub discard: Duration,
    /// Maximum number of concurrent requests on one HTTP/2 connection.
    pub h2_streams: u32,
    /// Bytes accepted on an HTTP/2 connection before they are processed.
    pub h2_window: u32,
    /// Maximum frames read per second of an HTTP/2 connection; further ones wait.
    /// Each 64 bytes sent or received allow one more. Frames without content are 9 to 17 bytes long.
    pub h2_frames: u32,
    /// The quiet time before an HTTP/2 connection is pinged.
    /// hyper waits 20 seconds for the answer.
    pub h2_ping: Duration,
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
            // A client's reading shows here only when the system makes room for 64 kB or so.
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
            h2_ping: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// The time between two checks of a connection's time.
    pub(super) fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.connection_age);
        let shortest = shortest.min(self.download.within);
        (shortest / 4).max(Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_checked_four_times_within_the_shortest_limit() {
        let with = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits.tick()
        };
        let second = Duration::from_secs(1);
        assert_eq!(Limits::default().tick(), second * 10 / 4);
        for change in [
            |l: &mut Limits| l.head = Duration::from_secs(4),
            |l: &mut Limits| l.idle = Duration::from_secs(4),
            |l: &mut Limits| l.connection_age = Duration::from_secs(4),
            |l: &mut Limits| l.download.within = Duration::from_secs(4),
        ] {
            assert_eq!(with(change), second);
        }
    }
}
