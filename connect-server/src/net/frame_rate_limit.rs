//! A rate limit for the frames of an HTTP/2 connection.

use std::{
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::Instant;

use super::deadline::Deadline;

/// The bytes of traffic paying for one frame.
/// Requests with their answers, and bodies, are larger on average. Frames sent only to keep the server
/// busy have 9 to 17 bytes, and so have their answers.
const FRAME: i64 = 64;

/// The time between two checks of a waiting connection.
const PAUSE: Duration = Duration::from_millis(20);

/// Limits the frames per second of an HTTP/2 connection.
/// Frames paid for by sent and received bytes come on top. HTTP/1.1 has no frames, and is never held up.
#[derive(Debug)]
pub(super) struct FramePacer {
    walk: Walk,
    /// Bytes credited per second; also the most credit kept.
    per_second: i64,
    /// Bytes of credit for frames to come.
    /// Below zero, reading has to wait.
    credit: i64,
    /// The time of the last credit by the clock.
    added: Instant,
    pause: Deadline,
}

impl FramePacer {
    pub(super) fn new(frames_per_second: u32) -> Self {
        let per_second = i64::from(frames_per_second) * FRAME;
        Self {
            walk: Walk::Preface(0),
            per_second,
            credit: per_second,
            added: Instant::now(),
            pause: Deadline::default(),
        }
    }

    /// Counts received bytes. Returns the number of request heads in them.
    pub(super) fn received(&mut self, bytes: &[u8]) -> usize {
        let seen = self.walk.over(bytes);
        self.add(length(bytes.len()).saturating_sub(FRAME.saturating_mul(length(seen.frames))));
        seen.heads
    }

    /// Counts bytes taken by the client.
    pub(super) fn taken(&mut self, bytes: usize) {
        self.add(length(bytes));
    }

    fn add(&mut self, bytes: i64) {
        self.credit = self.credit.saturating_add(bytes).min(self.per_second);
    }

    /// Waits until the client may be read from.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // The clock is read only when the credit is used up.
        while self.credit < 0 {
            self.add_time();
            if self.credit < 0 {
                ready!(self.pause.poll(cx, PAUSE));
                self.pause.stop();
            }
        }
        Poll::Ready(())
    }

    fn add_time(&mut self) {
        let now = Instant::now();
        let micros = now.duration_since(self.added).as_micros();
        let micros = i64::try_from(micros).unwrap_or(i64::MAX);
        self.add(self.per_second.saturating_mul(micros) / 1_000_000);
        self.added = now;
    }
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The first bytes of an HTTP/2 connection.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes before the payload of a frame.
const HEAD: usize = 9;

/// The type of a frame starting a head (RFC 9113, 6.2).
const HEADERS: u8 = 1;

/// The index of the type in a frame's head.
const TYPE: usize = 3;

/// The frames with heads completed in some bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    frames: usize,
    /// The starts of request heads among them.
    heads: usize,
}

/// The position reached in a connection.
#[derive(Debug, PartialEq, Eq)]
enum Walk {
    /// So far into the preface.
    Preface(usize),
    /// So far into a frame's head, with its payload length so far.
    Head { at: usize, payload: usize },
    /// The bytes left of a payload.
    Payload(usize),
    /// The connection is not HTTP/2.
    Off,
}

impl Walk {
    const START: Self = Self::Head { at: 0, payload: 0 };

    /// Walks on over these bytes.
    fn over(&mut self, mut bytes: &[u8]) -> Seen {
        let mut seen = Seen::default();
        while let Some((first, rest)) = bytes.split_first() {
            bytes = rest;
            *self = match *self {
                Self::Off => return seen,
                Self::Preface(at) if PREFACE[at] != *first => Self::Off,
                Self::Preface(at) if at + 1 == PREFACE.len() => Self::START,
                Self::Preface(at) => Self::Preface(at + 1),
                Self::Head { at, payload } if at + 1 == HEAD => {
                    seen.frames += 1;
                    Self::payload(payload)
                }
                Self::Head { at, payload } => {
                    seen.heads += usize::from(at == TYPE && *first == HEADERS);
                    let payload = match at {
                        // The length comes first, in three bytes.
                        0..TYPE => (payload << 8) | usize::from(*first),
                        _ => payload,
                    };
                    Self::Head {
                        at: at + 1,
                        payload,
                    }
                }
                Self::Payload(left) => {
                    let more = bytes.len().min(left - 1);
                    bytes = &bytes[more..];
                    Self::payload(left - 1 - more)
                }
            };
        }
        seen
    }

    fn payload(left: usize) -> Self {
        match left {
            0 => Self::START,
            left => Self::Payload(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_n;

    use super::*;

    /// Frames with payloads of these lengths, after the preface.
    /// The short ones begin a head.
    fn frames(lengths: &[usize]) -> Vec<u8> {
        let mut bytes = PREFACE.to_vec();
        for length in lengths {
            let length_bytes = u32::try_from(*length).unwrap().to_be_bytes();
            bytes.extend_from_slice(&length_bytes[1..]);
            bytes.push(if *length < 10 { HEADERS } else { 7 });
            bytes.extend([7; 5]);
            bytes.extend(repeat_n(0, *length));
        }
        bytes
    }

    #[test]
    fn frames_are_counted_in_pieces_of_any_size() {
        let bytes = frames(&[0, 1, 300, 70_000, 0, 8]);
        for size in [1, 2, 9, 24, 25, 1000, bytes.len()] {
            let mut walk = Walk::Preface(0);
            let counted = bytes.chunks(size).fold((0, 0), |(frames, heads), piece| {
                let seen = walk.over(piece);
                (frames + seen.frames, heads + seen.heads)
            });
            assert_eq!(
                (counted, walk),
                ((6, 4), Walk::START),
                "in pieces of {size}"
            );
        }
    }

    #[test]
    fn http_1_has_no_frames() {
        for text in ["GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n"] {
            let mut walk = Walk::Preface(0);
            let seen = walk.over(text.repeat(20).as_bytes());
            assert_eq!(seen, Seen::default(), "{text}");
            assert_eq!(walk, Walk::Off);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_frames_beyond_what_bytes_make_up_for_are_waited_for() {
        let mut pacer = FramePacer::new(100);
        let began = Instant::now();
        let mut wait = async |bytes: &[u8]| {
            pacer.received(bytes);
            std::future::poll_fn(|cx| pacer.poll(cx)).await;
            began.elapsed()
        };
        assert_eq!(wait(&frames(&[55; 1000])).await, Duration::ZERO);
        // Each frame is 55 bytes short of its 64: 11 000 in all.
        // 6400 are credited at the start, and 6400 a second.
        let small = frames(&[0; 200]);
        let took = wait(&small[PREFACE.len()..]).await;
        let expected = Duration::from_millis(720);
        assert!(took.abs_diff(expected) <= PAUSE, "{took:?}");
    }
}
