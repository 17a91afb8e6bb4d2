//! A folder as it would be after a loss of power, made from the log of what was done to it.
//!
//! What was synced is there. Of the rest, each block of a file is as it was at some moment since
//! the last sync of the file, each at another one; so is the file's length. Names are there up to
//! some moment, in the order in which they were made, as a journal keeps them.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};

/// One entry of the log.
pub(super) struct Record<'a> {
    what: u8,
    inode: u64,
    at: u64,
    data: &'a [u8],
}

/// The entries of a log. The last one may have been cut.
pub(super) fn records(mut log: &[u8]) -> Vec<Record<'_>> {
    fn take<'a>(log: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = log.split_at_checked(len)?;
        *log = rest;
        Some(taken)
    }
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let next = || {
        let what = take(&mut log, 1)?[0];
        let inode = number(take(&mut log, 8)?);
        let at = number(take(&mut log, 8)?);
        let len = u32::from_le_bytes(take(&mut log, 4)?.try_into().unwrap());
        let data = take(&mut log, len as usize)?;
        Some(Record {
            what,
            inode,
            at,
            data,
        })
    };
    std::iter::from_fn(next).collect()
}

#[derive(Clone, Copy)]
enum Node {
    Folder,
    File(usize),
}

enum Change {
    Add(PathBuf, Node),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

enum Op {
    Write(u64, Vec<u8>),
    Length(u64),
}

/// A file: what is on the disk, and what has been done to it since.
#[derive(Default)]
struct Content {
    durable: Vec<u8>,
    pending: Vec<Op>,
}

type Names = BTreeMap<PathBuf, Node>;

/// What a drive does with data that it was given, but not told to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drive {
    /// It keeps some of it, in any order: a cache that a loss of power empties.
    HasACache,
    /// It keeps all of it: no such cache, or one with a battery. What a file has grown by is lost
    /// all the same, until the file is synced.
    KeepsWhatItHas,
}

/// A folder on a disk that loses what was not synced.
pub(super) struct Disk {
    root: PathBuf,
    drive: Drive,
    durable: Names,
    names: Names,
    changes: Vec<Change>,
    files: Vec<Content>,
    by_inode: HashMap<u64, usize>,
    folders: HashMap<u64, PathBuf>,
}

impl Disk {
    /// The disk with a folder as it is now, all of it synced.
    pub(super) fn with(root: &Path, drive: Drive) -> Self {
        let mut disk = Self {
            root: root.into(),
            drive,
            durable: Names::new(),
            names: Names::new(),
            changes: Vec::new(),
            files: Vec::new(),
            by_inode: HashMap::new(),
            folders: HashMap::new(),
        };
        disk.load(root);
        disk.durable = disk.names.clone();
        disk
    }

    fn load(&mut self, folder: &Path) {
        self.names.insert(folder.into(), Node::Folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.load(&path);
                continue;
            }
            let inode = fs::metadata(&path).unwrap().ino();
            let file = self.new_file(inode);
            self.files[file].durable = fs::read(&path).unwrap();
            self.names.insert(path, Node::File(file));
        }
    }

    fn new_file(&mut self, inode: u64) -> usize {
        self.files.push(Content::default());
        self.by_inode.insert(inode, self.files.len() - 1);
        self.files.len() - 1
    }

    /// Does what the record says. Returns what was appended when it is to the file of this name.
    pub(super) fn apply<'a>(&mut self, record: &Record<'a>, notes: &Path) -> Option<&'a [u8]> {
        let path = || {
            let text = std::str::from_utf8(record.data).unwrap();
            PathBuf::from(text)
        };
        match record.what {
            b'C' => {
                let file = self.new_file(record.inode);
                self.change(Change::Add(path(), Node::File(file)));
            }
            b'M' => self.change(Change::Add(path(), Node::Folder)),
            b'D' => drop(self.folders.insert(record.inode, path())),
            b'O' => {
                let Some(Node::File(file)) = self.names.get(&path()) else {
                    panic!("{} is not known", path().display());
                };
                self.by_inode.insert(record.inode, *file);
            }
            b'R' => {
                let both = std::str::from_utf8(record.data).unwrap();
                let (from, to) = both.split_once('\0').unwrap();
                self.change(Change::Rename(from.into(), to.into()));
            }
            b'U' => self.change(Change::Remove(path())),
            b'S' => self.sync(record.inode),
            b'F' if self.drive == Drive::KeepsWhatItHas => {
                self.files[self.by_inode[&record.inode]].hand_over();
            }
            b'F' => {}
            b'W' => {
                let file = self.by_inode[&record.inode];
                if matches!(self.names.get(notes), Some(Node::File(notes)) if *notes == file) {
                    return Some(record.data);
                }
                let write = Op::Write(record.at, record.data.into());
                self.files[file].pending.push(write);
            }
            b'T' => {
                let file = self.by_inode[&record.inode];
                self.files[file].pending.push(Op::Length(record.at));
            }
            other => panic!("unknown record {other}"),
        }
        None
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.names);
        self.changes.push(change);
    }

    fn sync(&mut self, inode: u64) {
        if let Some(folder) = self.folders.get(&inode) {
            let (synced, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.changes)
                .into_iter()
                .partition(|change| change.path().parent() == Some(folder));
            self.changes = rest;
            for change in synced {
                change.apply(&mut self.durable);
            }
        } else {
            let file = &mut self.files[self.by_inode[&inode]];
            let whole = file.after(&Kept::All, &mut StdRng::seed_from_u64(0));
            file.durable = whole;
            file.pending.clear();
        }
    }

    /// How much there is that a loss of power could take.
    pub(super) fn unsynced(&self) -> usize {
        self.changes.len()
            + self
                .files
                .iter()
                .map(|file| file.pending.len())
                .sum::<usize>()
    }

    /// Makes the folder `to` as this one is after a loss of power.
    pub(super) fn lose_power(&self, to: &Path, random: &mut StdRng) {
        let mut names = self.durable.clone();
        let kept = random.random_range(0..=self.changes.len());
        for change in &self.changes[..kept] {
            change.apply(&mut names);
        }
        let kept = match random.random_range(0..5) {
            0 => Kept::Nothing,
            1 => Kept::All,
            2 => Kept::Blocks(512),
            _ => Kept::Blocks(4096),
        };
        for (path, node) in names {
            let target = to.join(path.strip_prefix(&self.root).unwrap());
            match node {
                Node::Folder => fs::create_dir_all(target).unwrap(),
                Node::File(_) if !target.parent().unwrap().is_dir() => {}
                Node::File(file) => {
                    fs::write(target, self.files[file].after(&kept, random)).unwrap();
                }
            }
        }
    }
}

impl Change {
    fn path(&self) -> &Path {
        match self {
            Self::Add(path, _) | Self::Rename(path, _) | Self::Remove(path) => path,
        }
    }

    fn apply(&self, names: &mut Names) {
        match self {
            Self::Add(path, node) => drop(names.insert(path.clone(), *node)),
            Self::Remove(path) => drop(names.remove(path)),
            Self::Rename(from, to) => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

/// What is kept of what was not synced.
enum Kept {
    Nothing,
    All,
    /// Each block of this length as it was at some moment.
    Blocks(usize),
}

impl Kept {
    /// After how many of the operations something is, that is on the disk at any moment.
    fn moment(&self, operations: usize, random: &mut impl Rng) -> usize {
        match self {
            Self::Nothing => 0,
            Self::All => operations,
            Self::Blocks(_) => match random.random_range(0..4) {
                0 => 0,
                1 => random.random_range(0..=operations),
                _ => operations,
            },
        }
    }
}

impl Content {
    /// The drive has been given all writes, and keeps those to parts that the file has had before.
    fn hand_over(&mut self) {
        let length = self.durable.len();
        if self.pending.iter().any(|op| matches!(op, Op::Length(_))) {
            return;
        }
        for op in std::mem::take(&mut self.pending) {
            let Op::Write(at, data) = op else { continue };
            let from = (at as usize).min(length);
            let (kept, grown) = data.split_at(data.len().min(length - from));
            self.durable[from..from + kept.len()].copy_from_slice(kept);
            if !grown.is_empty() {
                self.pending
                    .push(Op::Write(at + kept.len() as u64, grown.into()));
            }
        }
    }

    /// The content after a loss of power.
    fn after(&self, kept: &Kept, random: &mut impl Rng) -> Vec<u8> {
        let operations = self.pending.len();
        let length_moment = kept.moment(operations, random);
        let mut length = self.durable.len();
        let mut longest = length;
        for (number, op) in self.pending.iter().enumerate() {
            let after = match op {
                Op::Write(at, data) => length.max(usize::try_from(*at).unwrap() + data.len()),
                Op::Length(len) => usize::try_from(*len).unwrap(),
            };
            longest = longest.max(after);
            if number < length_moment {
                length = after;
            }
        }
        let block = match kept {
            Kept::Blocks(block) => *block,
            _ => longest.max(1),
        };
        let mut moments = HashMap::new();
        let mut content = self.durable.clone();
        content.resize(longest, 0);
        for (number, op) in self.pending.iter().enumerate() {
            let (from, to) = match op {
                Op::Write(at, data) => (*at as usize, *at as usize + data.len()),
                Op::Length(len) => (*len as usize, longest),
            };
            let mut at = from;
            while at < to {
                let end = to.min((at / block + 1) * block);
                let moment = moments
                    .entry(at / block)
                    .or_insert_with(|| kept.moment(operations, random));
                if number < *moment {
                    match op {
                        Op::Write(_, data) => {
                            content[at..end].copy_from_slice(&data[at - from..end - from]);
                        }
                        Op::Length(_) => content[at..end].fill(0),
                    }
                }
                at = end;
            }
        }
        content.truncate(length);
        content
    }
}
