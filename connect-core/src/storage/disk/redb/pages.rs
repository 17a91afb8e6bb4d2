//! The check of a redb file's pages by their checksums.

use std::{
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use parking_lot::Mutex;

use super::format::{self, FilePage, FileTree, HEADER_LEN, Header, Leaf, Link, Widths};
use crate::storage::{
    StorageError,
    disk::{
        damage::{Checked, DamagedRange, Pages},
        engine_keys, layout,
    },
};

/// The greatest height of a tree. A longer path is a cycle, made by damage.
const HIGHEST: usize = 64;

/// The most pages of a table of tables.
/// redb has five tables, and we have one.
const MOST_OF_TABLES: usize = 1000;

/// The number of threads for a full check, mostly waiting for the disk.
const THREADS: usize = 4;

/// The file as of one commit.
/// `P` prevents the reuse of its pages.
pub(super) struct FilePages<P> {
    file: Arc<File>,
    len: u64,
    header: Header,
    _pin: P,
}

/// The reason for a failed check of pages.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unchecked {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path to all rows is damaged.
    #[error("{0} is damaged")]
    Everything(&'static str),
}

/// Returns whether a process has the file open or did not close it.
pub(super) fn is_open(file: &File) -> io::Result<bool> {
    Ok(format::is_open(&header(file)?))
}

fn header(file: &File) -> io::Result<[u8; HEADER_LEN]> {
    let mut bytes = [0; HEADER_LEN];
    read_at(file, &mut bytes, 0)?;
    Ok(bytes)
}

impl<P> FilePages<P> {
    /// The pages of the file's current header.
    pub(super) fn read(file: Arc<File>, pin: P) -> Result<Self, Unchecked> {
        let header =
            Header::read(&header(&file)?).ok_or(Unchecked::Everything("the file's header"))?;
        Ok(Self {
            len: file.metadata()?.len(),
            file,
            header,
            _pin: pin,
        })
    }

    /// Checks redb's own tables, and the path to ours.
    pub(super) fn check_tables(&self) -> Result<(), Unchecked> {
        for tree in self.trees(self.header.system, "a table of redb's own")? {
            let mut walk = PageWalk::new(&[], None, u64::MAX);
            self.walk(tree, &mut walk)?;
            if !walk.checked.damaged.is_empty() {
                return Err(Unchecked::Everything("a page of redb's own"));
            }
        }
        self.entries_tree().map(drop)
    }

    /// The tree of entries; `None` if the path to it is damaged.
    fn entries(&self) -> Result<Option<FileTree>, StorageError> {
        match self.entries_tree() {
            Err(Unchecked::Everything(_)) => Ok(None),
            tree => tree.map(Some).map_err(StorageError::new),
        }
    }

    fn entries_tree(&self) -> Result<FileTree, Unchecked> {
        let trees = self.trees(self.header.data, "the page that leads to all rows")?;
        let nothing = FileTree {
            root: None,
            widths: Widths::default(),
        };
        Ok(trees.first().copied().unwrap_or(nothing))
    }

    /// The trees in a table of tables.
    fn trees(&self, tables: FileTree, name: &'static str) -> Result<Vec<FileTree>, Unchecked> {
        let mut found = Vec::new();
        let mut left: Vec<Link> = tables.root.into_iter().collect();
        let mut bytes = Vec::new();
        let mut pages = 0;
        while let Some(link) = left.pop() {
            pages += 1;
            let page = self.page(link, tables.widths, &mut bytes)?;
            let below = match page {
                Some(FilePage::Leaf(leaf)) => leaf.trees().map(|trees| found.extend(trees)),
                Some(FilePage::Branch(branch)) => branch
                    .children()
                    .map(|children| left.extend(children.iter().map(|(link, _)| *link))),
                None => None,
            };
            if below.is_none() || pages > MOST_OF_TABLES {
                return Err(Unchecked::Everything(name));
            }
        }
        Ok(found)
    }

    /// Reads a page; `None` if it is damaged.
    fn page<'b>(
        &self,
        link: Link,
        widths: Widths,
        bytes: &'b mut Vec<u8>,
    ) -> io::Result<Option<FilePage<'b>>> {
        bytes.clear();
        let Some((start, len)) = self.header.place(link) else {
            return Ok(None);
        };
        // A place past the end of the file is damage; do not allocate memory for it.
        if self.len < start.saturating_add(len as u64) {
            return Ok(None);
        }
        bytes.resize(len, 0);
        read_at(&self.file, bytes, start)?;
        Ok(FilePage::check(bytes, link, widths))
    }

    fn walk(&self, tree: FileTree, walk: &mut PageWalk<'_>) -> io::Result<()> {
        match tree.root {
            Some(root) => self.descend(root, tree.widths, None, None, HIGHEST, walk),
            None => Ok(()),
        }
    }

    /// Checks a page and all pages below it.
    /// Its keys are after `after` and up to `last`.
    fn descend(
        &self,
        link: Link,
        widths: Widths,
        after: Option<&[u8]>,
        last: Option<&[u8]>,
        height: usize,
        walk: &mut PageWalk<'_>,
    ) -> io::Result<()> {
        let mut bytes = walk.buffers.pop().unwrap_or_default();
        let page = match self.page(link, widths, &mut bytes) {
            // A page unreadable to the disk counts as damaged, if it stays unreadable.
            Err(error) if is_unread(&error) => {
                walk.checked.is_unread = true;
                None
            }
            page => page?,
        };
        let children = match page {
            Some(FilePage::Leaf(_)) => Some(Vec::new()),
            Some(FilePage::Branch(branch)) if height > 0 => branch.children(),
            _ => None,
        };
        walk.checked.bytes += bytes.len() as u64;
        walk.left = walk.left.saturating_sub(1);
        walk.buffers.push(bytes);
        let Some(children) = children else {
            let bytes = walk.buffers.last().map_or(&[][..], |bytes| &bytes[..]);
            let damaged = match damaged_rows(bytes, after, last) {
                Some(rows) => rows,
                None => vec![DamagedRange {
                    from: after.map(behind).unwrap_or_default(),
                    to: last.map(behind),
                    row: None,
                }],
            };
            walk.checked.damaged.extend(damaged);
            return Ok(());
        };
        self.read_ahead(&children);
        let mut after = after;
        for (link, up_to) in &children {
            let up_to = up_to.as_deref().or(last);
            if walk.wants(after, up_to) {
                if walk.left == 0 {
                    walk.checked.next = Some(after.map(behind).unwrap_or_default());
                    return Ok(());
                }
                self.descend(*link, widths, after, up_to, height - 1, walk)?;
                if walk.checked.next.is_some() {
                    return Ok(());
                }
            }
            after = up_to;
        }
        Ok(())
    }

    /// Asks the system to read the next pages, all at once.
    #[cfg(target_os = "linux")]
    fn read_ahead(&self, children: &[(Link, Option<Vec<u8>>)]) {
        use rustix::fs::{Advice, fadvise};

        let places = children
            .iter()
            .filter_map(|(link, _)| self.header.place(*link));
        let mut places: Vec<_> = places.map(|(start, len)| (start, len as u64)).collect();
        places.sort_unstable();
        // Neighbours are one request.
        places.dedup_by(|next, before| {
            let is_next = before.0 + before.1 == next.0;
            before.1 += if is_next { next.1 } else { 0 };
            is_next
        });
        for (start, len) in places {
            // Only for speed.
            let _ = fadvise(&self.file, start, len.try_into().ok(), Advice::WillNeed);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn read_ahead(&self, _children: &[(Link, Option<Vec<u8>>)]) {}

    /// The parts of a tree below its root, as bounds of keys.
    fn parts(&self, tree: FileTree) -> io::Result<Vec<Option<Vec<u8>>>> {
        let mut bytes = Vec::new();
        let page = match tree.root {
            Some(root) => match self.page(root, tree.widths, &mut bytes) {
                // The walk finds it.
                Err(error) if is_unread(&error) => None,
                page => page?,
            },
            None => None,
        };
        let children = match page {
            Some(FilePage::Branch(branch)) => branch.children(),
            _ => None,
        };
        let children = children.unwrap_or_default();
        Ok(children
            .into_iter()
            .filter_map(|child| child.1)
            .map(Some)
            .collect())
    }
}

impl<P: Send + Sync> Pages for FilePages<P> {
    fn check_all(&self) -> Result<Checked, StorageError> {
        let Some(tree) = self.entries()? else {
            return Ok(Checked::of_everything());
        };
        let mut bounds = vec![None];
        bounds.extend(self.parts(tree).map_err(StorageError::new)?);
        bounds.push(None);
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Checked::default()));
        let work = || -> io::Result<()> {
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                let Some([from, to]) = bounds.get(part..part + 2) else {
                    return Ok(());
                };
                let from = from.as_deref().map(behind).unwrap_or_default();
                let mut walk = PageWalk::new(&from, to.as_deref(), u64::MAX);
                self.walk(tree, &mut walk)?;
                let mut found = found.lock();
                found.bytes += walk.checked.bytes;
                found.is_unread |= walk.checked.is_unread;
                found.damaged.append(&mut walk.checked.damaged);
            }
        };
        let results = thread::scope(|scope| {
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..THREADS).filter_map(spawn).collect();
            // Without other threads, this one checks everything.
            let own = work();
            let others = others.into_iter().map(|other| other.join());
            let others =
                others.map(|other| other.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())));
            std::iter::once(own)
                .chain(others)
                .collect::<io::Result<()>>()
        });
        results.map_err(StorageError::new)?;
        let mut found = found.into_inner();
        // Every thread finds a damaged root.
        found
            .damaged
            .sort_by(|one, other| one.from.cmp(&other.from));
        found.damaged.dedup();
        Ok(found)
    }

    fn check_some(&self, from: &[u8], at_most: u64) -> Result<Checked, StorageError> {
        let Some(tree) = self.entries()? else {
            return Ok(Checked::of_everything());
        };
        let mut walk = PageWalk::new(from, None, at_most);
        self.walk(tree, &mut walk).map_err(StorageError::new)?;
        Ok(walk.checked)
    }

    fn check_again(&self, found: &[DamagedRange]) -> Result<Vec<DamagedRange>, StorageError> {
        let Some(tree) = self.entries()? else {
            return Ok(Checked::of_everything().damaged);
        };
        let mut damaged = Vec::new();
        for span in found {
            // Enough for the path to the page, and few pages if it is intact with many children.
            let mut walk = PageWalk::new(&span.from, span.to.as_deref(), HIGHEST as u64);
            self.walk(tree, &mut walk).map_err(StorageError::new)?;
            let again = walk.checked.damaged.into_iter();
            damaged.extend(again.filter(|again| again.overlaps(span)));
        }
        Ok(damaged)
    }
}

/// The damaged rows in a damaged page of entries.
/// Each row has its own checksum, so the page can show that all other rows are intact. `None` if
/// the whole page is lost.
fn damaged_rows(
    bytes: &[u8],
    after: Option<&[u8]>,
    last: Option<&[u8]>,
) -> Option<Vec<DamagedRange>> {
    let entries = Leaf::salvage(bytes, after, last)?;
    let is_row = |key: &[u8]| engine_keys::family(key) == Some(engine_keys::EngineFamily::Row);
    let is_whole = |(key, stored): &(&[u8], &[u8])| layout::is_whole(key, stored);
    // A wrong number of entries shifts all keys. A bound before them reveals this.
    if after.is_none() && !entries.iter().any(is_whole) {
        return None;
    }
    let mut damaged = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if !is_row(entry.0) || is_whole(entry) {
            continue;
        }
        // Its key may be the damage, so nothing between its neighbours can be read.
        let before = at.checked_sub(1).map(|at| entries[at].0).or(after);
        let behind_it = entries.get(at + 1).map(|(key, _)| key.to_vec());
        damaged.push(DamagedRange {
            from: before.map(behind).unwrap_or_default(),
            to: behind_it.or_else(|| last.map(behind)),
            row: Some(entry.0.to_vec()),
        });
    }
    (!damaged.is_empty()).then_some(damaged)
}

/// A walk under way.
struct PageWalk<'k> {
    from: &'k [u8],
    /// The last key to visit.
    last: Option<&'k [u8]>,
    /// The number of pages still allowed.
    left: u64,
    checked: Checked,
    /// Memory for pages, reused.
    buffers: Vec<Vec<u8>>,
}

impl<'k> PageWalk<'k> {
    fn new(from: &'k [u8], last: Option<&'k [u8]>, left: u64) -> Self {
        Self {
            from,
            last,
            left,
            checked: Checked::default(),
            buffers: Vec::new(),
        }
    }

    /// Returns whether a page of keys in `after < key <= last` is needed.
    fn wants(&self, after: Option<&[u8]>, last: Option<&[u8]>) -> bool {
        last.is_none_or(|last| last >= self.from)
            && match (after, self.last) {
                (Some(after), Some(last)) => after < last,
                _ => true,
            }
    }
}

/// The first key after another.
fn behind(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// Returns whether the disk could not read, by the system's error number.
fn is_unread(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    error.raw_os_error() == Some(EIO)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};

    // Threads would move each other's position in the file.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock();
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(bytes)
}
