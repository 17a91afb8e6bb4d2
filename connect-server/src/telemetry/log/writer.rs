//! A non-blocking writer of the log.
//!
//! A thread of its own writes the lines. Standard error may be a full disk, a closed pipe, or a pipe without
//! an active reader. Requests are answered all the same: lines without room are lost, and a later line gives
//! their number. A killed process loses the lines of its last 20 milliseconds.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// The most bytes of waiting lines.
const MOST_WAITING: usize = 1_000_000;

/// The pause after a write, to gather lines for the next.
/// Waking the thread for each line cost a busy server half of its requests per second.
const GATHER: Duration = Duration::from_millis(20);

/// The longest wait for the last lines at the program's end.
const LAST_LINES: Duration = Duration::from_secs(1);

/// A log. Writing returns at once and always succeeds. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer(Arc<SharedQueue>);

#[derive(Debug, Default)]
struct SharedQueue {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// The waiting lines, and the number of lost ones.
#[derive(Debug, Default)]
struct Queue {
    lines: Vec<u8>,
    /// Set while the thread writes taken lines.
    is_writing: bool,
    /// The lines lost since the last successful write.
    lost: usize,
}

impl Writer {
    /// A log with a thread to write it to `output`.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(crate) fn to(output: impl io::Write + Send + 'static) -> io::Result<Self> {
        let log = Self::default();
        let writer = log.clone();
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(move || writer.run(output))?;
        Ok(log)
    }

    /// Adds a line, if there is room for it.
    pub(crate) fn add(&self, line: &[u8]) {
        let mut queue = self.queue();
        if queue.lines.len() + line.len() > MOST_WAITING {
            queue.lost += 1;
            return;
        }
        let is_first = queue.lines.is_empty();
        queue.lines.extend_from_slice(line);
        drop(queue);
        if is_first {
            self.0.changed.notify_all();
        }
    }

    /// Waits until all lines are written, for at most [`LAST_LINES`].
    pub(crate) fn finish(&self) {
        let is_busy = |queue: &mut Queue| queue.is_writing || !queue.lines.is_empty();
        let (changed, queue) = (&self.0.changed, self.queue());
        // Whether it was written in time changes nothing: the program ends.
        drop(changed.wait_timeout_while(queue, LAST_LINES, is_busy));
    }

    /// Writes the lines as they come, for ever.
    fn run(&self, mut output: impl io::Write) {
        let mut lines = Vec::new();
        loop {
            self.take(&mut lines);
            let written = output.write_all(&lines).and_then(|()| output.flush());
            let lost = self.settle(&lines, written.is_ok());
            lines.clear();
            if lost > 0 {
                tracing::warn!(lost, "lines of this log were lost: it could not be written");
            }
            thread::sleep(GATHER);
        }
    }

    /// Waits for lines, and takes all of them.
    fn take(&self, lines: &mut Vec<u8>) {
        let is_idle = |queue: &mut Queue| queue.lines.is_empty();
        let queue = self.0.changed.wait_while(self.queue(), is_idle);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut queue.lines, lines);
        queue.is_writing = true;
    }

    /// Notes the outcome of writing the taken lines.
    /// After a success it returns the number of lines lost before, to log it.
    fn settle(&self, lines: &[u8], is_written: bool) -> usize {
        let mut queue = self.queue();
        queue.is_writing = false;
        self.0.changed.notify_all();
        if is_written {
            return std::mem::take(&mut queue.lost);
        }
        queue.lost += lines.iter().filter(|byte| **byte == b'\n').count();
        0
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes one line with each call, as `tracing_subscriber` writes them.
impl io::Write for &Writer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Writer {
    type Writer = &'w Self;

    fn make_writer(&'w self) -> &'w Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc::{Receiver, SyncSender, sync_channel},
        time::Instant,
    };

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    /// An output under the test's control: when and how writes end.
    struct Slow {
        may_write: Receiver<io::Result<()>>,
        written: SyncSender<Vec<u8>>,
    }

    impl io::Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.may_write.recv().map_err(io::Error::other)??;
            self.written
                .send(bytes.to_vec())
                .map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Writer, SyncSender<io::Result<()>>, Receiver<Vec<u8>>) {
        let (allow, may_write) = sync_channel(10);
        let (written, lines) = sync_channel(10);
        let log = Writer::to(Slow { may_write, written }).unwrap();
        (log, allow, lines)
    }

    #[test]
    fn an_output_that_takes_nothing_holds_up_nobody() {
        let (log, allow, lines) = slow();
        let line = [b'x'; 1000];
        log.add(&line);
        while !log.queue().is_writing {
            thread::yield_now();
        }
        for _ in 0..5000 {
            log.add(&line);
        }
        let queue = log.queue();
        assert_eq!((queue.lines.len(), queue.lost), (MOST_WAITING, 4000));
        drop(queue);
        // It goes on when it is read again.
        allow.send(Ok(())).unwrap();
        assert_eq!(lines.recv().unwrap(), line);
    }

    #[test]
    fn lines_that_come_together_are_written_together() {
        let (log, allow, lines) = slow();
        let began = Instant::now();
        log.add(b"first\n");
        allow.send(Ok(())).unwrap();
        assert_eq!(lines.recv().unwrap(), b"first\n");
        for _ in 0..100 {
            log.add(b"more\n");
        }
        // A machine that was busy for so long shows nothing.
        let is_in_time = began.elapsed() < GATHER;
        allow.send(Ok(())).unwrap();
        let together = lines.recv().unwrap();
        assert!(!is_in_time || together == b"more\n".repeat(100));
    }

    #[test]
    fn lines_that_could_not_be_written_are_counted() {
        let (allow, may_write) = sync_channel(10);
        let (written, lines) = sync_channel(10);
        let (log, notices) = (Writer::default(), CapturedLog::default());
        let (writer, captured) = (log.clone(), notices.clone());
        thread::spawn(move || {
            let _listening = captured.listen();
            writer.run(Slow { may_write, written });
        });
        log.add(b"one\n");
        allow.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        log.finish();
        assert_eq!(log.queue().lost, 1);
        log.add(b"two\n");
        allow.send(Ok(())).unwrap();
        assert_eq!(lines.recv().unwrap(), b"two\n");
        log.finish();
        assert_eq!(log.queue().lost, 0);
        log.add(b"three\n");
        allow.send(Ok(())).unwrap();
        assert_eq!(lines.recv().unwrap(), b"three\n");
        let notices = notices.text();
        assert!(
            notices.contains("were lost: it could not be written lost=1"),
            "{notices}"
        );
        assert_eq!(notices.lines().count(), 1, "once: {notices}");
    }
}
