//! Reading through an index of words.

use std::ops::Bound;

use uuid::Uuid;

use crate::{
    storage::{Key, Range, Read},
    transaction::{
        Fault, Keyed, ReadKey, Record, SortKey, WordIndex,
        clock::{ChangeClock, clock_key},
        key_parts::HeldPart,
        keys::{KeyPart, after_prefix, key},
        row::ID_LEN,
        store::Store,
    },
    wire::Timestamp,
};

/// The most bytes of a word in an index.
pub(crate) const MAX_WORD: usize = 64;

/// A place in an index of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordPlace {
    /// The place in the search of the word read at.
    pub(crate) by: u8,
    len: u8,
    word: [u8; MAX_WORD],
    pub(crate) id: Uuid,
}

impl WordPlace {
    /// The place of a record at a word; `None` for a longer word.
    pub(crate) fn new(by: u8, word: &str, id: Uuid) -> Option<Self> {
        let mut bytes = [0; MAX_WORD];
        bytes
            .get_mut(..word.len())?
            .copy_from_slice(word.as_bytes());
        let len = u8::try_from(word.len()).ok()?;
        Some(Self {
            by,
            len,
            word: bytes,
            id,
        })
    }

    /// Returns the word.
    pub(crate) fn word(&self) -> &str {
        let word = self.word.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(word).unwrap_or_default()
    }
}

impl SortKey for WordPlace {
    const TAG: u8 = 3;
    const LEN: usize = 2 + MAX_WORD + ID_LEN;

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&[self.by, self.len]);
        bytes.extend_from_slice(&self.word);
        bytes.extend_from_slice(self.id.as_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let ([by, len], rest) = bytes.split_first_chunk()?;
        let (word, id) = rest.split_first_chunk::<MAX_WORD>()?;
        let word = std::str::from_utf8(word.get(..usize::from(*len))?).ok()?;
        Self::new(*by, word, Uuid::from_slice(id).ok()?)
    }

    fn first_at(_: Timestamp) -> Option<Self> {
        None
    }
}

/// A word to look up, whole or as a beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtWord<'w> {
    pub(crate) word: &'w str,
    pub(crate) is_beginning: bool,
}

/// The rows found at words.
pub(crate) struct WordRows {
    /// The rows in the order of words, then of ids.
    pub(crate) rows: Vec<Keyed<WordPlace>>,
    /// The number of entries read, stray ones included.
    pub(crate) read: usize,
    /// The place of the last entry read.
    pub(crate) last: Option<WordPlace>,
    /// The time of the partition's last change.
    pub(crate) changed_at: Timestamp,
}

impl SoughtWord<'_> {
    /// The range of the word's entries.
    fn range<R: Record>(self, partition: Uuid, index: &WordIndex<R>) -> (Key, Key) {
        let whole = key(partition, index.family, &[KeyPart::Text(self.word)]);
        let start = match self.is_beginning {
            // Without the end of the text: two bytes, as a word has no zero.
            true => whole[..whole.len().saturating_sub(2)].into(),
            false => whole,
        };
        let end = after_prefix(&start);
        (start, end)
    }
}

impl Store {
    /// Counts the entries of each word, up to `most`.
    pub(crate) async fn count_words<R: Record>(
        &self,
        partition: Uuid,
        index: &WordIndex<R>,
        words: &[SoughtWord<'_>],
        most: usize,
    ) -> Result<Vec<usize>, Fault> {
        let ranges: Vec<_> = words
            .iter()
            .map(|word| word.range(partition, index))
            .collect();
        let reads: Vec<_> = ranges
            .iter()
            .map(|(from, end)| Read::Scan {
                range: Range {
                    from,
                    to: Some(end),
                },
                limit: most,
                newest_first: false,
            })
            .collect();
        let mut state = self.read(&reads).await?;
        ranges.iter().map(|_| Ok(state.entries()?.len())).collect()
    }

    /// Reads the rows at a word, after a place. `by` is the place of the word in its search.
    /// A stray entry, without a row, spoils no search: it is passed over, and told by the check.
    pub(crate) async fn rows_at_word<R: Record>(
        &self,
        partition: Uuid,
        index: &WordIndex<R>,
        by: usize,
        word: SoughtWord<'_>,
        after: Bound<WordPlace>,
        limit: usize,
    ) -> Result<WordRows, Fault> {
        // A search has few words.
        let by = u8::try_from(by).unwrap_or(u8::MAX);
        let (start, end) = word.range(partition, index);
        let from = match after {
            Bound::Excluded(place) | Bound::Included(place) => {
                let id = KeyPart::Id(place.id);
                let last = key(partition, index.family, &[KeyPart::Text(place.word()), id]);
                [&last[..], &[0]].concat().into()
            }
            Bound::Unbounded => start.clone(),
        };
        let rows = key(partition, R::ROWS, &[]);
        let clock = clock_key(partition);
        let from: Key = from.max(start);
        let range = Range {
            from: &from,
            to: Some(&end),
        };
        let reads = [
            Read::Get(&clock),
            Read::ScanFollow {
                range,
                limit,
                newest_first: false,
                rows: &rows,
                tail: ID_LEN,
            },
        ];
        let mut state = self.read(&reads).await?;
        let clock = ChangeClock::read(&clock, state.value()?.as_ref())?;
        let found = state.joined()?;
        let mut read = WordRows {
            rows: Vec::with_capacity(found.len()),
            read: found.len(),
            last: None,
            changed_at: clock.updated_at,
        };
        for ((entry, _), row) in found {
            let parts = ReadKey::of(&entry).map(|key| key.parts);
            let place = match parts.as_deref() {
                Some([HeldPart::Text(word), HeldPart::Id(id)]) => WordPlace::new(by, word, *id),
                _ => None,
            };
            let Some(place) = place else { continue };
            read.last = Some(place);
            if let Some(row) = row {
                read.rows.push((place, row));
            }
        }
        Ok(read)
    }
}
