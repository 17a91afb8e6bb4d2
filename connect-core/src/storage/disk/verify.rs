//! The check of every entry of a store.

use std::mem;

use super::{
    damage::DamagedPages,
    engine::{Damage, Engine, EngineSnapshot as _, ReadFault},
    engine_keys::{self, EngineFamily},
    layout::{self},
    progress::StoreMark,
};

/// The number of entries to check before commits get their turn.
const AT_ONCE: usize = 2000;

/// The first engine key after all others.
const END: &[u8] = &[0xFF];

/// The most damaged rows to list by key.
const LISTED: usize = 1000;

/// The progress of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of rows checked so far.
    pub rows: u64,
    /// The number of rows of the store, by its own count.
    pub of: u64,
}

/// The findings of a check of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of rows checked, damaged ones included.
    pub rows: u64,
    /// The number of unreadable rows with bytes different from the written ones.
    pub damaged: u64,
    /// The number of unreadable rows with a part of their value missing.
    pub missing_parts: u64,
    /// The keys of the first 1000 unreadable rows, in hexadecimal digits.
    pub keys: Vec<String>,
    /// The number of entries without an owner.
    /// They do no harm. These are parts of removed values, and entries unknown to this version.
    pub leftover: u64,
    /// True if the rows are exactly as the last commit left them.
    /// `None` if commits went on during the check.
    pub complete: Option<bool>,
    /// The number of damaged, unreadable pages in the engine's files.
    pub damaged_pages: u64,
    /// The number of intact rows not found by their key.
    /// The path to them in the engine's files is damaged.
    pub unreachable: u64,
}

impl Report {
    /// Returns whether no fault was found.
    pub fn is_clean(&self) -> bool {
        self.damaged == 0
            && self.missing_parts == 0
            && self.damaged_pages == 0
            && self.complete != Some(false)
            && self.unreachable == 0
    }
}

/// A check under way.
/// It walks the engine in steps; commits go on in between.
#[derive(Debug, Default)]
pub(super) struct StoreCheck {
    next: CheckPosition,
    /// The mark of the store at the start, and now.
    began: Option<StoreMark>,
    now: StoreMark,
    /// The mark of the rows found.
    found: StoreMark,
    report: Report,
}

/// The position of a check.
#[derive(Debug, Default)]
enum CheckPosition {
    #[default]
    Start,
    From(Vec<u8>),
    End,
}

impl StoreCheck {
    /// Checks some entries. `mark` is the store's mark for this snapshot.
    pub(super) fn step<E: Engine>(
        &mut self,
        snapshot: &E::Snapshot,
        damage: Option<&DamagedPages>,
        mark: StoreMark,
    ) -> Result<(), ReadFault> {
        self.began.get_or_insert(mark);
        self.now = mark;
        let from = match mem::replace(&mut self.next, CheckPosition::End) {
            CheckPosition::Start => Vec::new(),
            CheckPosition::From(key) => key,
            CheckPosition::End => return Ok(()),
        };
        if let Some(page) = damage.and_then(|damage| damage.at(&from)) {
            match &page.row {
                Some(row) => {
                    self.report.rows += 1;
                    self.damaged(engine_keys::key_of(row), Damage::Checksum);
                }
                None => self.report.damaged_pages += 1,
            }
            if let Some(to) = page.to {
                self.next = CheckPosition::From(to);
            }
            return Ok(());
        }
        // A walk ends at a damaged page.
        let page = damage.and_then(|damage| damage.next(&from));
        let to = page.as_ref().map_or(END, |page| &*page.from);
        let mut left = AT_ONCE;
        snapshot.visit(&from, to, false, |key, stored| {
            if left == 0 {
                self.next = CheckPosition::From(key.to_vec());
                return Ok(false);
            }
            left -= 1;
            self.entry::<E>(snapshot, key, stored)?;
            Ok(true)
        })?;
        if self.is_done() && to != END {
            self.next = CheckPosition::From(to.to_vec());
        }
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.next, CheckPosition::End)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            rows: self.report.rows,
            of: self.now.rows,
        }
    }

    pub(super) fn into_report(self) -> Report {
        let stood_still = self.began == Some(self.now);
        Report {
            complete: stood_still.then(|| self.found.same_rows(&self.now)),
            ..self.report
        }
    }

    fn entry<E: Engine>(
        &mut self,
        snapshot: &E::Snapshot,
        key: &[u8],
        stored: &[u8],
    ) -> Result<(), ReadFault> {
        match engine_keys::family(key) {
            Some(EngineFamily::Row) => {
                self.report.rows += 1;
                let checksum = layout::checksum_of(stored).unwrap_or_default();
                self.found.add(checksum.into());
                if snapshot.get(key, |_| ())?.is_none() {
                    self.report.unreachable += 1;
                    self.list(key);
                }
                match layout::decode(snapshot, key, stored, E::PART_LEN) {
                    Ok(_) => {}
                    Err(ReadFault::Row { key, damage }) => self.damaged(&key, damage),
                    Err(fault) => return Err(fault),
                }
            }
            Some(EngineFamily::Part) => {
                let has_owner = match engine_keys::owner_of(key) {
                    Some((owner, part)) => {
                        part < layout::Was::now(snapshot, owner, E::PART_LEN)?.parts
                    }
                    None => false,
                };
                self.report.leftover += u64::from(!has_owner);
            }
            Some(EngineFamily::Mark) => {}
            None => self.report.leftover += 1,
        }
        Ok(())
    }

    fn damaged(&mut self, key: &[u8], damage: Damage) {
        match damage {
            Damage::Checksum => self.report.damaged += 1,
            Damage::MissingPart => self.report.missing_parts += 1,
        }
        self.list(key);
    }

    fn list(&mut self, key: &[u8]) {
        if self.report.keys.len() < LISTED {
            self.report.keys.push(hex::encode(key));
        }
    }
}
