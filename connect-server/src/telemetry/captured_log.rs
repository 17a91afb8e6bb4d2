//! The log of a test, in memory.

use std::{
    io,
    sync::{Arc, Mutex, Once},
};

use tracing::subscriber::{self, DefaultGuard};
use tracing_subscriber::fmt::MakeWriter;

/// The logged lines.
#[derive(Clone, Default)]
pub(crate) struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Captures this thread's log at level info until the guard drops.
    pub(crate) fn listen(&self) -> DefaultGuard {
        // tracing turns an event off for all threads if a thread without a subscriber meets it first while
        // there is just one subscriber. So every thread gets one.
        static EVERYWHERE: Once = Once::new();
        EVERYWHERE.call_once(|| {
            subscriber::set_global_default(tracing_subscriber::registry()).unwrap();
        });
        let lines = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(self.clone());
        subscriber::set_default(lines.finish())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for CapturedLog {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
