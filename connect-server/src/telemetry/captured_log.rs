//! The log of a test, in memory.

use std::{
    io,
    sync::{Arc, Mutex, Once},
};

use tracing::subscriber::{self, DefaultGuard};
use tracing_subscriber::fmt::MakeWriter;

/// The lines that were logged.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    /// Takes what this thread logs at level info, until the guard is dropped.
    pub(crate) fn listen(&self) -> DefaultGuard {
        // An event that is first met on a thread where nobody listens would be off for all threads, as long as there
        // is one listener. So somebody listens everywhere.
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

impl io::Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Heard {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
