//! The frames of an HTTP/2 connection: their rate, and the memory kept by its header table.

use std::mem;

use tokio::time::Instant;

use super::budget::Held;

/// The bytes of traffic paying for one frame.
/// Requests with their answers, and bodies, are larger on average. Frames sent only to keep the server
/// busy have 9 to 17 bytes, and so have their answers.
const FRAME: f64 = 64.0;

/// The first bytes of an HTTP/2 connection.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes before the payload of a frame.
const HEAD: usize = 9;

/// The type of a frame starting a head (RFC 9113, 6.2).
const HEADERS: u8 = 1;

/// The most entries of a table of 4096 bytes (RFC 7541).
/// Each counts 32 bytes beside its text.
const ENTRIES: usize = 4096 / 32;

/// The largest buffer kept by an entry.
const BUFFER: usize = 16 * 1024;

/// The bytes left uncounted, since every connection keeps some.
const ORDINARY: usize = 64 * 1024;

/// The memory taken for each byte kept, as measured.
/// Buffers are larger than their frames, and freed ones leave gaps.
const PER_BYTE: usize = 2;

/// Counts the frames received on a connection, and pays for them.
///
/// Sent and received bytes pay, and time. HTTP/1.1 has no frames, and is never held up.
///
/// It also estimates the bytes kept by the header table. h2 keeps a path, a host or a scheme in it as a
/// slice of its read buffer, and so the whole buffer. A client sending one short entry with each 16 KiB
/// keeps 500 times the 4 KiB allowed for its table.
#[derive(Debug)]
pub(super) struct FrameMeter {
    /// The part of the preface still to come; `None` over HTTP/1.1.
    preface: Option<&'static [u8]>,
    /// The head of a frame, as far as received.
    head: Vec<u8>,
    /// The bytes left of a payload.
    payload: usize,
    /// Bytes credited per second; also the most credit kept.
    per_second: f64,
    /// Bytes of credit for frames to come.
    /// Below zero, reading has to wait.
    credit: f64,
    /// The time of the last credit by the clock.
    added: Instant,
    /// Bytes read since the last request's head.
    since_head: usize,
    /// The estimated bytes kept by the header table.
    kept: usize,
    /// The same, as far as they count.
    held: Held,
}

impl FrameMeter {
    /// A meter for a new connection.
    /// Bytes of its header table beyond 64 KiB count twice in `held`.
    pub(super) fn new(frames_per_second: u32, held: Held) -> Self {
        let per_second = f64::from(frames_per_second) * FRAME;
        Self {
            preface: Some(PREFACE),
            head: Vec::new(),
            payload: 0,
            per_second,
            credit: per_second,
            added: Instant::now(),
            since_head: 0,
            kept: 0,
            held,
        }
    }

    /// Counts received bytes. Returns the bytes kept by the header table.
    pub(super) fn received(&mut self, bytes: &[u8]) -> usize {
        let preface = self.preface.unwrap_or_default();
        let (start, mut rest) = bytes.split_at(bytes.len().min(preface.len()));
        self.preface = self.preface.and_then(|left| left.strip_prefix(start));
        if self.preface.is_none() {
            return 0;
        }
        self.since_head = self.since_head.saturating_add(bytes.len());
        let mut paid = bytes.len() as f64;
        while !rest.is_empty() {
            let (payload, after) = rest.split_at(rest.len().min(self.payload));
            self.payload -= payload.len();
            let (head, after) = after.split_at(after.len().min(HEAD - self.head.len()));
            self.head.extend_from_slice(head);
            rest = after;
            if let [high, middle, low, kind, ..] = self.head[..]
                && self.head.len() == HEAD
            {
                self.head.clear();
                self.payload = u32::from_be_bytes([0, high, middle, low]) as usize;
                paid -= FRAME;
                if kind == HEADERS {
                    // The table is as large as its last entries: an average over them.
                    let buffer = mem::take(&mut self.since_head).min(BUFFER);
                    self.kept = self.kept - self.kept / ENTRIES + buffer;
                }
            }
        }
        self.pay(paid);
        self.held.set(PER_BYTE * self.kept.saturating_sub(ORDINARY));
        self.kept
    }

    /// Pays for frames to come, with bytes taken by the client.
    pub(super) fn pay(&mut self, bytes: f64) {
        self.credit = (self.credit + bytes).min(self.per_second);
    }

    /// Returns whether its frames are not paid for yet.
    pub(super) fn is_in_debt(&mut self) -> bool {
        let now = Instant::now();
        self.pay(self.per_second * now.duration_since(self.added).as_secs_f64());
        self.added = now;
        self.credit < 0.0
    }
}

#[cfg(test)]
mod tests {
    use std::{iter::repeat_n, sync::Arc, time::Duration};

    use super::{super::budget::Budget, *};

    fn meter(frames_per_second: u32) -> (FrameMeter, Arc<Budget>) {
        let budget = Budget::new(0, None);
        let meter = FrameMeter::new(frames_per_second, Held::none_of(&budget));
        (meter, budget)
    }

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
            let (mut meter, _) = meter(1_000_000);
            meter.credit = 0.0;
            for piece in bytes.chunks(size) {
                meter.received(piece);
            }
            assert_eq!(meter.credit, bytes.len() as f64 - 6.0 * FRAME, "{size}");
            // A head is kept with the bytes before it.
            assert!(meter.kept > BUFFER * 9 / 10, "{size}");
            assert!(meter.since_head <= 8 && meter.payload == 0, "{size}");
        }
    }

    #[test]
    fn http_1_has_no_frames() {
        for text in ["GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n"] {
            let (mut meter, _) = meter(0);
            assert_eq!(meter.received(text.repeat(20).as_bytes()), 0, "{text}");
            assert_eq!(meter.received(&frames(&[0; 100])), 0, "{text}");
            assert!(!meter.is_in_debt(), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_frames_beyond_what_bytes_make_up_for_are_waited_for() {
        let (mut meter, _) = meter(100);
        meter.received(&frames(&[55; 1000]));
        assert!(!meter.is_in_debt());
        // Each frame is 55 bytes short of its 64: 11 000 in all.
        // 6400 are credited at the start, and 6400 a second.
        let small = frames(&[0; 200]);
        meter.received(&small[PREFACE.len()..]);
        for (wait, is_in_debt) in [(0, true), (700, true), (20, false)] {
            tokio::time::advance(Duration::from_millis(wait)).await;
            assert_eq!(meter.is_in_debt(), is_in_debt, "{wait}: {meter:?}");
        }
    }

    #[test]
    fn a_table_counts_the_buffers_of_its_entries() {
        let (mut meter, budget) = meter(0);
        meter.preface = Some(&[]);
        let frame = |length: usize, kind| {
            [
                &[0, 0, u8::try_from(length).unwrap(), kind, 0, 0, 0, 0, 0],
                &*vec![0; length],
            ]
            .concat()
        };
        let head = |length| frame(length, HEADERS);
        let about = |bytes: usize| bytes * 98 / 100..=bytes;
        // Several heads share a buffer.
        let kept = meter.received(&head(191).repeat(3));
        assert!(about(600).contains(&kept), "{meter:?}");
        // Bytes before a head are in its buffer.
        meter.received(&frame(91, 0).repeat(8));
        let kept = meter.received(&head(191));
        assert!(about(1600).contains(&kept), "{meter:?}");
        for _ in 0..10 * ENTRIES {
            meter.received(&frame(255, 0).repeat(100));
            meter.received(&head(0));
        }
        let full = ENTRIES * BUFFER;
        assert!((full * 9 / 10..=full).contains(&meter.kept), "{meter:?}");
        assert_eq!(budget.used(), PER_BYTE * (meter.kept - ORDINARY));
        for _ in 0..10 * ENTRIES {
            meter.received(&head(191));
        }
        assert!(meter.kept < 40_000, "{meter:?}");
        assert_eq!(budget.used(), 0);
    }
}
