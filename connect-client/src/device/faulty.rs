//! A file with failures on demand, for tests.

use std::{
    fs::File,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

use super::disk::{self, Disk};

pub(super) struct Faulty {
    file: File,
    faults: Arc<Faults>,
}

pub(super) struct Faults {
    /// Set for a full disk: only half of an extending write succeeds.
    pub(super) full: AtomicBool,
    /// The number of changes left before the disk fails.
    pub(super) left: AtomicUsize,
    /// Set when a cut succeeds but reports a failure.
    pub(super) unsure: AtomicBool,
}

impl Faults {
    /// Counts a change.
    fn change(&self) -> io::Result<()> {
        let one_less = |left: usize| left.checked_sub(1);
        let counted = self.left.try_update(Relaxed, Relaxed, one_less);
        counted.map_err(|_| io::Error::other("gone"))?;
        Ok(())
    }
}

impl Faulty {
    pub(super) fn open(path: &Path) -> (Self, Arc<Faults>) {
        let file = disk::open(path).unwrap();
        let faults = Arc::new(Faults {
            full: AtomicBool::new(false),
            left: AtomicUsize::new(usize::MAX),
            unsure: AtomicBool::new(false),
        });
        (
            Self {
                file,
                faults: faults.clone(),
            },
            faults,
        )
    }
}

impl Disk for Faulty {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.faults.change()?;
        let is_longer = at + bytes.len() as u64 > self.file.metadata()?.len();
        if is_longer && self.faults.full.load(Relaxed) {
            self.file.write(at, &bytes[..bytes.len() / 2])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write(at, bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.faults.change()?;
        self.file.cut(length)?;
        if self.faults.unsure.load(Relaxed) {
            return Err(io::Error::other("unsure"));
        }
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }
}
