//! Room on the disk, and a ballast to reserve some for opening.
//!
//! An engine fails when the disk fills up in the middle of a write. A group is therefore begun only
//! with more room than a reserve. The ballast is a file of real blocks. When another program has
//! filled the disk, releasing the ballast gives opening and recovery the necessary room.

use std::{
    fs::{self, File},
    io::{self, Seek, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::files;

/// The least length of a data file to shrink, in bytes.
const WORTH_SHRINKING: u64 = 64 * 1024 * 1024;

/// The divisor of a data file's length: with less in use, it is shrunk.
const UNUSED_SHARE: u64 = 3;

/// The longest copy, as a multiple of the bytes in use.
const LONGEST_COPY: u64 = 2;

/// The name of the ballast.
pub(super) const BALLAST_FILE: &str = "connect.ballast";

/// The pause before a retry to fill the ballast.
const PAUSE: Duration = Duration::from_secs(2);

/// The room to keep free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceOptions {
    /// The room left untouched by commits, in bytes.
    /// With less, they are refused.
    pub reserve_bytes: u64,
    /// The size of the ballast file, released when opening lacks room.
    pub ballast_bytes: u64,
}

impl Default for SpaceOptions {
    /// A reserve of 32 MiB, and 8 MiB of ballast.
    fn default() -> Self {
        Self {
            reserve_bytes: 32 * 1024 * 1024,
            ballast_bytes: 8 * 1024 * 1024,
        }
    }
}

/// The room on the disk of a folder.
#[derive(Clone, Debug)]
pub(super) struct Space {
    folder: PathBuf,
    /// The growing file.
    data: PathBuf,
    options: SpaceOptions,
    /// The time of the next ballast check; `None` while it is whole.
    ballast_due: Option<Instant>,
}

impl Space {
    /// The room for the store in `folder`, with the file `data`.
    pub(super) fn new(folder: &Path, data: &Path, options: SpaceOptions) -> Self {
        Self {
            folder: folder.into(),
            data: data.into(),
            options,
            ballast_due: None,
        }
    }

    /// The length of the data file in bytes.
    pub(super) fn file_len(&self) -> u64 {
        fs::metadata(&self.data).map_or(0, |metadata| metadata.len())
    }

    /// The number of bytes still writable by this process.
    /// It is limited by the disk's free room, and for the data file by the limit on the length of
    /// files (`ulimit -f`).
    #[cfg(unix)]
    pub(super) fn room(&self) -> io::Result<u64> {
        use rustix::process::{Resource, getrlimit};

        let disk = rustix::fs::statvfs(&self.folder)?;
        let disk = disk.f_bavail.saturating_mul(disk.f_frsize);
        let Some(longest) = getrlimit(Resource::Fsize).current else {
            return Ok(disk);
        };
        Ok(disk.min(longest.saturating_sub(self.file_len())))
    }

    /// The number of bytes still writable by this process.
    /// Unknown here, so unlimited.
    #[cfg(not(unix))]
    pub(super) fn room(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// Returns whether `bytes` may be written without touching the reserve.
    /// A disk without an answer counts as having room; the write will tell.
    pub(super) fn has_room_for(&self, bytes: u64) -> bool {
        let wanted = self.options.reserve_bytes.saturating_add(bytes);
        self.room().map_or(true, |room| room >= wanted)
    }

    /// Returns whether most of a long data file is unused.
    /// A copy of the used part must have room.
    pub(super) fn is_mostly_unused(&self, used: u64) -> bool {
        let length = self.file_len();
        let copy = used.saturating_mul(LONGEST_COPY);
        length >= WORTH_SHRINKING && used < length / UNUSED_SHARE && self.has_room_for(copy)
    }

    /// Makes room for opening by releasing the ballast, if necessary.
    /// It is necessary with less than half of the reserve, or less than the size of the ballast.
    pub(super) fn make_room(&self) -> io::Result<()> {
        let SpaceOptions {
            reserve_bytes,
            ballast_bytes,
        } = self.options;
        if self.room()? < ballast_bytes.max(reserve_bytes / 2) {
            self.release_ballast()?;
        }
        Ok(())
    }

    /// Releases the ballast's room for other use. Without a ballast nothing happens.
    pub(super) fn release_ballast(&self) -> io::Result<()> {
        match File::options().write(true).open(self.ballast()) {
            // The name stays: a full disk may have no room to change the folder.
            Ok(file) => file.set_len(0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Refills an incomplete ballast, after a pause since the last try.
    pub(super) fn keep_ballast(&mut self) {
        if self.ballast_due.is_some_and(|due| due <= Instant::now()) {
            self.refill_ballast();
        }
    }

    /// Fills the ballast; if that fails, [`keep_ballast`](Self::keep_ballast) tries again.
    pub(super) fn refill_ballast(&mut self) {
        let is_whole = self.restore_ballast().unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot reserve disk space for opening on a full disk");
            false
        });
        self.ballast_due = (!is_whole).then(|| Instant::now() + PAUSE);
    }

    /// Fills the ballast up to its size, if the reserve stays untouched.
    /// Returns whether it is whole. An interrupted fill is continued.
    fn restore_ballast(&self) -> io::Result<bool> {
        let wanted = self.options.ballast_bytes;
        let there = fs::metadata(self.ballast()).map_or(0, |metadata| metadata.len());
        if there == wanted {
            return Ok(true);
        }
        let missing = wanted.saturating_sub(there);
        if missing > 0 && !self.has_room_for(missing) {
            return Ok(false);
        }
        let mut file = files::private()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.ballast())?;
        if there > wanted {
            file.set_len(wanted)?;
            return Ok(true);
        }
        let filled = fill(&mut file, there, missing);
        if filled.is_err() {
            // Another program took the room first.
            file.set_len(0)?;
        }
        filled.map(|()| true)
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join(BALLAST_FILE)
    }
}

/// Appends real blocks. Not zeros: some file systems store them as nothing.
fn fill(file: &mut File, from: u64, mut missing: u64) -> io::Result<()> {
    const CHUNK: u64 = 64 * 1024;
    let mut chunk = vec![0; CHUNK as usize];
    rand::fill(&mut chunk[..]);
    file.seek(io::SeekFrom::Start(from))?;
    while missing > 0 {
        let len = missing.min(CHUNK);
        file.write_all(&chunk[..len as usize])?;
        missing -= len;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn space(folder: &Path, reserve_bytes: u64, ballast_bytes: u64) -> Space {
        let options = SpaceOptions {
            reserve_bytes,
            ballast_bytes,
        };
        Space::new(folder, &folder.join("data"), options)
    }

    fn ballast(folder: &Path) -> Option<u64> {
        Some(fs::metadata(folder.join(BALLAST_FILE)).ok()?.len())
    }

    #[test]
    fn the_ballast_is_given_up_and_filled_again() {
        let folder = tempfile::tempdir().unwrap();
        let ample = space(folder.path(), 0, 100_000);
        ample.release_ballast().unwrap();
        assert!(ample.restore_ballast().unwrap());
        assert_eq!(ballast(folder.path()), Some(100_000));
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let blocks = fs::metadata(folder.path().join(BALLAST_FILE))
                .unwrap()
                .blocks();
            assert!(blocks * 512 >= 100_000, "{blocks} blocks");
        }
        ample.release_ballast().unwrap();
        assert_eq!(ballast(folder.path()), Some(0));
        assert!(ample.restore_ballast().unwrap());
        // Another size, and an interrupted fill.
        assert!(space(folder.path(), 0, 50_000).restore_ballast().unwrap());
        assert_eq!(ballast(folder.path()), Some(50_000));
        assert!(ample.restore_ballast().unwrap());
        assert_eq!(ballast(folder.path()), Some(100_000));
    }

    #[test]
    fn a_ballast_that_found_no_room_is_filled_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut space = space(folder.path(), 1 << 60, 1000);
        space.refill_ballast();
        assert_eq!(ballast(folder.path()), None);
        space.options.reserve_bytes = 0;
        space.keep_ballast();
        assert_eq!(ballast(folder.path()), None, "not at every commit");
        space.ballast_due = Some(Instant::now());
        space.keep_ballast();
        assert_eq!(ballast(folder.path()), Some(1000));
        assert_eq!(space.ballast_due, None);
    }

    #[test]
    fn a_disk_with_less_than_the_reserve_has_no_room() {
        let folder = tempfile::tempdir().unwrap();
        let full = space(folder.path(), 1 << 60, 100_000);
        assert!(full.room().unwrap() > 0);
        assert!(!full.has_room_for(0));
        assert!(!full.restore_ballast().unwrap());
        assert_eq!(ballast(folder.path()), None);
        fs::write(folder.path().join(BALLAST_FILE), [1; 1000]).unwrap();
        full.make_room().unwrap();
        assert_eq!(ballast(folder.path()), Some(0));
        let ample = space(folder.path(), 1, 100_000);
        assert!(ample.has_room_for(1));
        assert!(!ample.has_room_for(u64::MAX));
    }
}
