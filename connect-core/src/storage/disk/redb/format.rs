//! The pages of a redb file, as far as needed to check them: redb's `docs/design.md`, format 3.

use std::ops::Range;

use twox_hash::XxHash3_128;

const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
const FORMAT: u8 = 3;

/// The length of the header with both of its slots.
pub(super) const HEADER_LEN: usize = 64 + 2 * SLOT_LEN;
const SLOT_LEN: usize = 128;
const CHECKSUM_LEN: usize = 16;

const IS_SECOND_SLOT: u8 = 1;
const IS_OPEN: u8 = 2;

/// The longest page: redb allocates none beyond a region of this length.
const LONGEST_PAGE: u64 = 4 * 1024 * 1024 * 1024;

/// The place of a page, and the checksum of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    page: u64,
    checksum: u128,
}

impl Link {
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            page: u64_at(bytes, 0)?,
            checksum: u128_at(bytes, 8)?,
        })
    }
}

/// The fixed lengths of keys and values in a tree, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Widths {
    key: Option<usize>,
    value: Option<usize>,
}

/// A tree of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileTree {
    pub(super) root: Option<Link>,
    pub(super) widths: Widths,
}

/// The header of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    page_len: u64,
    region_header_pages: u64,
    region_pages: u64,
    /// The user's tables.
    pub(super) data: FileTree,
    /// redb's own tables.
    pub(super) system: FileTree,
}

/// Returns whether, by its header, a process has the file open or did not close it.
pub(super) fn is_open(header: &[u8]) -> bool {
    let flags = header.strip_prefix(MAGIC).and_then(<[u8]>::first);
    flags.is_some_and(|flags| flags & IS_OPEN != 0)
}

impl Header {
    /// Reads a header; `None` if it is damaged.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let flags = *rest.first()?;
        let slot = 64 + SLOT_LEN * usize::from(flags & IS_SECOND_SLOT != 0);
        let slot = bytes.get(slot..slot + SLOT_LEN)?;
        let (content, checksum) = slot.split_last_chunk::<CHECKSUM_LEN>()?;
        if XxHash3_128::oneshot(content) != u128::from_le_bytes(*checksum)
            || *slot.first()? != FORMAT
        {
            return None;
        }
        let tree = |is_there: usize, at: usize| {
            let root = match slot.get(is_there)? {
                0 => None,
                _ => Some(Link::read(slot.get(at..)?)?),
            };
            let widths = Widths::default();
            Some(FileTree { root, widths })
        };
        let header = Self {
            page_len: u32_at(bytes, 12)?.into(),
            region_header_pages: u32_at(bytes, 16)?.into(),
            region_pages: u32_at(bytes, 20)?.into(),
            data: tree(1, 8)?,
            system: tree(2, 40)?,
        };
        header.page_len.is_power_of_two().then_some(header)
    }

    /// The place of a page: its first byte, and its length.
    pub(super) fn place(&self, link: Link) -> Option<(u64, usize)> {
        let order = link.page >> 59;
        let region = link.page >> 20 & 0xF_FFFF;
        let index = link.page & (0xF_FFFF >> order);
        let len = self.page_len.checked_shl(order.try_into().ok()?)?;
        // Only the header itself says these are right.
        let region_pages = self.region_header_pages + self.region_pages;
        let before = region_pages
            .checked_mul(region)?
            .checked_add(1 + self.region_header_pages)?; // the header's own page
        let start = before
            .checked_mul(self.page_len)?
            .checked_add(index.checked_mul(len)?)?;
        (len <= LONGEST_PAGE).then_some((start, usize::try_from(len).ok()?))
    }
}

/// A page with a correct checksum.
pub(super) enum FilePage<'a> {
    Leaf(Leaf<'a>),
    Branch(Branch<'a>),
}

impl<'a> FilePage<'a> {
    /// Checks a page; `None` if it is damaged.
    pub(super) fn check(bytes: &'a [u8], link: Link, widths: Widths) -> Option<Self> {
        let count = usize::from(u16::from_le_bytes(bytes.get(2..4)?.try_into().ok()?));
        let (end, page) = match bytes.first()? {
            1 => {
                let leaf = Leaf {
                    bytes,
                    count,
                    widths,
                };
                (leaf.values()?.end, Self::Leaf(leaf))
            }
            2 => {
                let branch = Branch {
                    bytes,
                    keys: count,
                    width: widths.key,
                };
                (branch.key(count.checked_sub(1)?)?.end, Self::Branch(branch))
            }
            _ => return None,
        };
        (XxHash3_128::oneshot(bytes.get(..end)?) == link.checksum).then_some(page)
    }
}

/// A page of entries.
pub(super) struct Leaf<'a> {
    bytes: &'a [u8],
    count: usize,
    widths: Widths,
}

impl<'a> Leaf<'a> {
    /// The start of the list of ends of keys, or of values.
    fn ends_at(&self, of_values: bool) -> usize {
        let keys = usize::from(of_values && self.widths.key.is_none());
        4 + 4 * self.count * keys
    }

    /// The place of all values.
    fn values(&self) -> Option<Range<usize>> {
        let last = self.count.checked_sub(1)?;
        let tables =
            usize::from(self.widths.key.is_none()) + usize::from(self.widths.value.is_none());
        let start = match self.widths.key {
            Some(width) => 4 + 4 * self.count * tables + width.checked_mul(self.count)?,
            None => end(self.bytes, self.ends_at(false), last)?,
        };
        let stop = match self.widths.value {
            Some(width) => start.checked_add(width.checked_mul(self.count)?)?,
            None => end(self.bytes, self.ends_at(true), last)?,
        };
        Some(start..stop)
    }

    /// The entries of a damaged page, if it is still plausible.
    /// Its keys must be in order, each after `after` and not after `last`.
    pub(super) fn salvage(
        bytes: &'a [u8],
        after: Option<&[u8]>,
        last: Option<&[u8]>,
    ) -> Option<Vec<(&'a [u8], &'a [u8])>> {
        let count = usize::from(u16::from_le_bytes(bytes.get(2..4)?.try_into().ok()?));
        let leaf = Self {
            bytes,
            count,
            widths: Widths::default(),
        };
        if *bytes.first()? != 1 || count == 0 {
            return None;
        }
        let (mut key_start, mut value_start) = (4 + 8 * count, leaf.values()?.start);
        let mut entries: Vec<(&[u8], &[u8])> = Vec::with_capacity(count);
        for entry in 0..count {
            let key_end = end(bytes, leaf.ends_at(false), entry)?;
            let value_end = end(bytes, leaf.ends_at(true), entry)?;
            let key = bytes.get(key_start..key_end)?;
            let before = entries.last().map(|(key, _)| *key).or(after);
            if before.is_some_and(|before| key <= before) || last.is_some_and(|last| key > last) {
                return None;
            }
            entries.push((key, bytes.get(value_start..value_end)?));
            (key_start, value_start) = (key_end, value_end);
        }
        Some(entries)
    }

    /// The trees of a table of tables.
    /// Its keys and values have no fixed length.
    pub(super) fn trees(&self) -> Option<Vec<FileTree>> {
        let mut start = self.values()?.start;
        let mut trees = Vec::with_capacity(self.count);
        for entry in 0..self.count {
            let stop = end(self.bytes, self.ends_at(true), entry)?;
            trees.push(tree(self.bytes.get(start..stop)?)?);
            start = stop;
        }
        Some(trees)
    }
}

/// The tree of a table, from the table's definition.
fn tree(definition: &[u8]) -> Option<FileTree> {
    let width = |at: usize| match definition.get(at)? {
        0 => Some(None),
        _ => Some(Some(usize::try_from(u32_at(definition, at + 1)?).ok()?)),
    };
    let root = match definition.get(9)? {
        0 => None,
        _ => Some(Link::read(definition.get(10..)?)?),
    };
    Some(FileTree {
        root,
        widths: Widths {
            key: width(42)?,
            value: width(47)?,
        },
    })
}

/// A page with links to others.
pub(super) struct Branch<'a> {
    bytes: &'a [u8],
    keys: usize,
    width: Option<usize>,
}

impl Branch<'_> {
    /// The child pages, each with its last key, except the last.
    pub(super) fn children(&self) -> Option<Vec<(Link, Option<Vec<u8>>)>> {
        let mut children = Vec::with_capacity(self.keys + 1);
        for child in 0..=self.keys {
            let checksum = u128_at(self.bytes, 8 + CHECKSUM_LEN * child)?;
            let page = u64_at(self.bytes, 8 + CHECKSUM_LEN * (self.keys + 1) + 8 * child)?;
            let last = if child < self.keys {
                Some(self.bytes.get(self.key(child)?)?.to_vec())
            } else {
                None
            };
            children.push((Link { page, checksum }, last));
        }
        Some(children)
    }

    /// The place of a key.
    fn key(&self, key: usize) -> Option<Range<usize>> {
        let ends = 8 + (CHECKSUM_LEN + 8) * (self.keys + 1);
        if let Some(width) = self.width {
            let start = ends + width.checked_mul(key)?;
            return Some(start..start.checked_add(width)?);
        }
        let start = match key.checked_sub(1) {
            None => ends + 4 * self.keys,
            Some(before) => end(self.bytes, ends, before)?,
        };
        Some(start..end(self.bytes, ends, key)?)
    }
}

/// One entry of a list of ends.
fn end(bytes: &[u8], list: usize, at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, list + 4 * at)?).ok()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn u128_at(bytes: &[u8], at: usize) -> Option<u128> {
    let bytes = bytes.get(at..at + CHECKSUM_LEN)?;
    Some(u128::from_le_bytes(bytes.try_into().ok()?))
}
