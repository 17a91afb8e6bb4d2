//! A file that fails when a test tells it to.

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
    /// Set when the disk is full: of what makes the file longer, half is written.
    pub(super) full: AtomicBool,
    /// The number of changes after which the disk takes no more.
    pub(super) left: AtomicUsize,
    /// Set when a file is cut and that cannot be made sure.
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
