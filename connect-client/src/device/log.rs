//! A file of checksummed lines that only grows: each is on disk before it counts.
//!
//! A line is the CRC-32 of its JSON in eight hexadecimal digits, a blank, and the JSON. A crash can
//! leave the last line unfinished. Its writer was never told that it is there, so it is dropped.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::error::QueueError;

/// The part of a file that a log needs. In tests it fails on demand.
pub(super) trait Disk: Send {
    /// Writes at the end and waits until it is on disk.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Drops what lies beyond `length` bytes, and waits until that is on disk.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Disk for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.sync_all()
    }
}

/// A file of lines.
pub(super) struct Log {
    path: PathBuf,
    disk: Box<dyn Disk>,
    /// The bytes that are known to be whole lines.
    length: u64,
    /// Set when bytes beyond `length` could not be removed.
    broken: bool,
}

impl Log {
    /// Opens the file, which is made when it is not there, and reads its lines.
    pub(super) fn open<T: DeserializeOwned>(path: PathBuf) -> Result<(Self, Vec<T>), QueueError> {
        let failed = |source| disk_error(&path, source);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                replace(&path, &[]).map_err(failed)?;
                Vec::new()
            }
            read => read.map_err(failed)?,
        };
        let (entries, length) = read(&path, &bytes)?;
        let mut file = append_to(&path).map_err(failed)?;
        if length < bytes.len() {
            file.cut(length as u64).map_err(failed)?;
        }
        Ok((Self::over(path, file, length as u64), entries))
    }

    /// A log whose file has this many bytes.
    pub(super) fn over(path: PathBuf, disk: impl Disk + 'static, length: u64) -> Self {
        Self {
            path,
            disk: Box::new(disk),
            length,
            broken: false,
        }
    }

    /// Adds a line. It is on disk once this returns; after an error it is not there.
    pub(super) fn append(&mut self, entry: &impl Serialize) -> Result<(), QueueError> {
        self.check()?;
        let line = line(entry)?;
        if let Err(error) = self.disk.append(&line) {
            // The next line must not follow half of this one.
            self.broken = self.disk.cut(self.length).is_err();
            return Err(disk_error(&self.path, error));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Puts these lines in the place of all others, by a new file.
    pub(super) fn replace(&mut self, entries: &[impl Serialize]) -> Result<(), QueueError> {
        let mut text = Vec::new();
        for entry in entries {
            text.extend(line(entry)?);
        }
        let file = replace(&self.path, &text).and_then(|()| append_to(&self.path));
        let file = file.map_err(|error| disk_error(&self.path, error))?;
        *self = Self::over(self.path.clone(), file, text.len() as u64);
        Ok(())
    }

    /// Removes all lines.
    pub(super) fn clear(&mut self) -> Result<(), QueueError> {
        self.check()?;
        let cut = self.disk.cut(0);
        self.broken = cut.is_err();
        cut.map_err(|error| disk_error(&self.path, error))?;
        self.length = 0;
        Ok(())
    }

    fn check(&self) -> Result<(), QueueError> {
        let problem = "the disk failed before; open the queue again";
        match self.broken {
            false => Ok(()),
            true => Err(disk_error(&self.path, io::Error::other(problem))),
        }
    }
}

pub(super) fn disk_error(path: &Path, source: io::Error) -> QueueError {
    let path = path.to_owned();
    QueueError::Disk { path, source }
}

/// An entry as it is written.
fn line(entry: &impl Serialize) -> Result<Vec<u8>, QueueError> {
    let json = serde_json::to_string(entry)?;
    let checksum = crc32fast::hash(json.as_bytes());
    Ok(format!("{checksum:08x} {json}\n").into_bytes())
}

/// The entries of a file, and the length of their lines. A last line that is not whole is left out.
fn read<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<(Vec<T>, usize), QueueError> {
    let (mut entries, mut length) = (Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let is_last = length + line.len() == bytes.len();
        match entry(line) {
            Some(entry) => entries.push(entry),
            None if is_last => break,
            None => {
                let (path, line) = (path.to_owned(), entries.len() + 1);
                return Err(QueueError::Damaged { path, line });
            }
        }
        length += line.len();
    }
    Ok((entries, length))
}

/// The entry in a whole line.
fn entry<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (checksum, json) = line.split_once(' ')?;
    let expected = format!("{:08x}", crc32fast::hash(json.as_bytes()));
    (checksum == expected).then(|| serde_json::from_str(json).ok())?
}

/// Puts a file with this text in the place of the one that is there, all at once.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

/// Waits until the names in a folder are on disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: elsewhere a folder cannot be opened, and its names are written through.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
