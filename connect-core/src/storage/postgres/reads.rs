//! Reads: one statement for all reads of a request.

use std::{iter, sync::LazyLock};

use tokio_postgres::{Row, types::Type};

use super::{
    batched_lookups::{self, BatchedLookups, FoundAlike},
    connections::{Connection, Parameter},
    fault::unreadable,
};
use crate::storage::{Found, Key, MAX_KEY_LEN, Range, Read, StorageError, Value};

/// The most keys and entries of a small read.
/// It has too few keys for a batched lookup.
const SMALL: usize = batched_lookups::MANY - 1;

/// A bound above every key.
const END: &[u8] = &[0xff; MAX_KEY_LEN + 1];

/// Looks up keys, each optionally with the row its value leads to.
///
/// The `LIMIT` makes the database look up each key in the index, whatever number of keys it estimates.
const POINTS: &str = "SELECT p.n, NULL::bytea, r.value, f.value \
    FROM unnest($::int4[], $::bytea[], $::bytea[]) AS p (n, key, rows) \
    CROSS JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = p.key AND value IS NOT NULL LIMIT 1) r \
    LEFT JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = p.rows || r.value LIMIT 1) f ON true";

/// Scans ranges, each entry optionally with the row its key leads to.
const RANGES: &str = "SELECT s.n, e.key, e.value, f.value \
    FROM unnest($::int4[], $::bytea[], $::bytea[], $::int8[], $::bytea[], $::int4[]) \
        AS s (n, start, stop, most, rows, tail) \
    CROSS JOIN LATERAL (SELECT key, value FROM connect_rows \
        WHERE key >= s.start AND key < s.stop AND value IS NOT NULL \
        ORDER BY key DIRECTION LIMIT s.most) e \
    LEFT JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = s.rows || substring(e.key FROM length(e.key) - s.tail + 1) \
            AND length(e.key) >= s.tail LIMIT 1) f ON true";

/// The statements for each combination of reads.
/// Bit 0 is for points, bit 1 for ranges from their start, bit 2 for ranges from their end, bit 3 for
/// points of one kind.
static STATEMENTS: LazyLock<[String; 16]> = LazyLock::new(|| std::array::from_fn(statement));

fn statement(mixture: usize) -> String {
    let parts = [
        POINTS.to_owned(),
        RANGES.replace("DIRECTION", "ASC"),
        RANGES.replace("DIRECTION", "DESC"),
        batched_lookups::STATEMENT.to_owned(),
    ];
    let parts = iter::zip(0.., parts).filter(|(bit, _)| mixture & 1 << bit != 0);
    let parts: Vec<_> = parts.map(|(_, part)| format!("({part})")).collect();
    let mut sql = String::new();
    for (number, piece) in iter::zip(0.., parts.join(" UNION ALL ").split('$')) {
        if number > 0 {
            sql.push_str(&format!("${number}"));
        }
        sql.push_str(piece);
    }
    sql
}

/// The parameters of [`POINTS`].
#[derive(Default)]
struct Points {
    numbers: Vec<i32>,
    keys: Vec<Vec<u8>>,
    rows: Vec<Option<Vec<u8>>>,
}

impl Points {
    fn add(&mut self, number: i32, key: &[u8], rows: Option<&[u8]>) {
        self.numbers.push(number);
        self.keys.push(key.into());
        self.rows.push(rows.map(Into::into));
    }

    fn append(&mut self, other: Self, shift: i32) {
        self.numbers.extend(shifted(other.numbers, shift));
        self.keys.extend(other.keys);
        self.rows.extend(other.rows);
    }

    fn parameters(&self) -> [Parameter<'_>; 3] {
        [
            (&self.numbers, Type::INT4_ARRAY),
            (&self.keys, Type::BYTEA_ARRAY),
            (&self.rows, Type::BYTEA_ARRAY),
        ]
    }
}

/// The parameters of [`RANGES`].
#[derive(Default)]
struct Ranges {
    numbers: Vec<i32>,
    starts: Vec<Vec<u8>>,
    stops: Vec<Vec<u8>>,
    most: Vec<i64>,
    rows: Vec<Option<Vec<u8>>>,
    tails: Vec<i32>,
}

impl Ranges {
    fn add(&mut self, number: i32, range: Range<'_>, limit: usize, rows: Option<(&[u8], usize)>) {
        self.numbers.push(number);
        self.starts.push(range.from.into());
        self.stops.push(range.to.unwrap_or(END).into());
        self.most.push(i64::try_from(limit).unwrap_or(i64::MAX));
        self.rows.push(rows.map(|(rows, _)| rows.into()));
        let tail = rows.map_or(0, |(_, tail)| tail);
        self.tails.push(i32::try_from(tail).unwrap_or(i32::MAX));
    }

    fn append(&mut self, other: Self, shift: i32) {
        self.numbers.extend(shifted(other.numbers, shift));
        self.starts.extend(other.starts);
        self.stops.extend(other.stops);
        self.most.extend(other.most);
        self.rows.extend(other.rows);
        self.tails.extend(other.tails);
    }

    fn parameters(&self) -> [Parameter<'_>; 6] {
        [
            (&self.numbers, Type::INT4_ARRAY),
            (&self.starts, Type::BYTEA_ARRAY),
            (&self.stops, Type::BYTEA_ARRAY),
            (&self.most, Type::INT8_ARRAY),
            (&self.rows, Type::BYTEA_ARRAY),
            (&self.tails, Type::INT4_ARRAY),
        ]
    }
}

fn shifted(numbers: Vec<i32>, shift: i32) -> impl Iterator<Item = i32> {
    numbers.into_iter().map(move |number| number + shift)
}

/// The form of a read's answer.
#[derive(Clone, Copy)]
enum AnswerForm {
    Value,
    Followed,
    Entries { newest_first: bool },
    Joined { newest_first: bool },
}

/// Reads as a statement and its parameters.
#[derive(Default)]
pub(super) struct Question {
    points: Points,
    /// Only used by reads too large for a shared statement.
    alike: BatchedLookups,
    /// The ranges from their start, and from their end.
    ranges: [Ranges; 2],
    /// The form of each answer, by number of the read.
    wanted: Vec<AnswerForm>,
}

impl Question {
    /// Combines all reads into one statement.
    pub(super) fn of(reads: &[Read<'_>]) -> Self {
        let mut question = Self {
            alike: BatchedLookups::among(reads),
            ..Self::default()
        };
        for (number, read) in (0..).zip(reads) {
            let wanted = question.add(number, read);
            question.wanted.push(wanted);
        }
        question
    }

    fn add(&mut self, number: i32, read: &Read<'_>) -> AnswerForm {
        match *read {
            Read::Get(key) => {
                self.look_up(number, key, None);
                AnswerForm::Value
            }
            Read::Follow { key, rows } => {
                self.look_up(number, key, Some(rows));
                AnswerForm::Followed
            }
            Read::Scan {
                range,
                limit,
                newest_first,
            } => {
                self.ranges[usize::from(newest_first)].add(number, range, limit, None);
                AnswerForm::Entries { newest_first }
            }
            Read::ScanFollow {
                range,
                limit,
                newest_first,
                rows,
                tail,
            } => {
                self.ranges[usize::from(newest_first)].add(
                    number,
                    range,
                    limit,
                    Some((rows, tail)),
                );
                AnswerForm::Joined { newest_first }
            }
        }
    }

    fn look_up(&mut self, number: i32, key: &[u8], rows: Option<&[u8]>) {
        if !self.alike.take(self.wanted.len(), key, rows) {
            self.points.add(number, key, rows);
        }
    }

    /// Returns true if the trip costs more than the rows it reads.
    pub(super) fn is_small(&self) -> bool {
        let entries = self.ranges.iter().flat_map(|ranges| &ranges.most);
        let entries = entries.fold(0_i64, |sum, most| sum.saturating_add(*most));
        let points = self.points.keys.len() + self.alike.len();
        points <= SMALL && entries <= SMALL as i64
    }

    /// Appends small reads after these.
    pub(super) fn append(&mut self, other: Self) {
        // A batch is too small for this to overflow.
        let shift = i32::try_from(self.wanted.len()).unwrap_or(i32::MAX);
        debug_assert_eq!(other.alike.len(), 0, "a small read has too few keys");
        self.points.append(other.points, shift);
        for (ranges, other) in iter::zip(&mut self.ranges, other.ranges) {
            ranges.append(other, shift);
        }
        self.wanted.extend(other.wanted);
    }

    /// The number of reads.
    pub(super) fn len(&self) -> usize {
        self.wanted.len()
    }

    pub(super) fn statement(&self) -> &'static str {
        let mut mixture = usize::from(!self.points.numbers.is_empty());
        for (bit, ranges) in (1..).zip(&self.ranges) {
            mixture |= usize::from(!ranges.numbers.is_empty()) << bit;
        }
        mixture |= usize::from(self.alike.len() > 0) << 3;
        &STATEMENTS[mixture]
    }

    pub(super) fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = Vec::new();
        if !self.points.numbers.is_empty() {
            parameters.extend(self.points.parameters());
        }
        for ranges in &self.ranges {
            if !ranges.numbers.is_empty() {
                parameters.extend(ranges.parameters());
            }
        }
        if self.alike.len() > 0 {
            parameters.extend(self.alike.parameters());
        }
        parameters
    }
}

/// Answers all reads from the snapshot of one statement.
///
/// # Errors
/// The database gave no answer, or an unreadable one.
pub(super) async fn answer(
    connection: &Connection,
    question: &Question,
) -> Result<Vec<Found>, StorageError> {
    let wanted = &question.wanted;
    let mut found: Vec<Found> = wanted.iter().map(AnswerForm::nothing).collect();
    if found.is_empty() {
        return Ok(found);
    }
    let parameters = question.parameters();
    let rows = connection.query(question.statement(), &parameters).await;
    let rows = rows.map_err(|error| unreadable(&error))?;
    let mut alike = FoundAlike::default();
    for row in &rows {
        take(row, &mut found, &mut alike).map_err(|error| unreadable(&error))?;
    }
    alike.answer(&question.alike, &mut found);
    for (wanted, found) in wanted.iter().zip(&mut found) {
        wanted.put_in_order(found);
    }
    Ok(found)
}

/// Adds a row of the answer to its read.
fn take<'r>(
    row: &'r Row,
    found: &mut [Found],
    alike: &mut FoundAlike<'r>,
) -> Result<(), tokio_postgres::Error> {
    let number: i32 = row.try_get(0)?;
    let bytes = |column| row.try_get::<_, Option<&[u8]>>(column);
    let Ok(number) = usize::try_from(number) else {
        let (key, value) = (bytes(1)?.unwrap_or_default(), bytes(2)?.unwrap_or_default());
        alike.take(number, key, value);
        return Ok(());
    };
    // The database returns only numbers of reads sent to it.
    let Some(found) = found.get_mut(number) else {
        return Ok(());
    };
    let value: Value = bytes(2)?.unwrap_or_default().into();
    let followed = || Ok::<_, tokio_postgres::Error>(bytes(3)?.map(Value::from));
    let key = || Ok::<_, tokio_postgres::Error>(Key::from(bytes(1)?.unwrap_or_default()));
    match found {
        Found::Value(found) => *found = Some(value),
        Found::Followed(found) => *found = Some((value, followed()?)),
        Found::Entries(found) => found.push((key()?, value)),
        Found::Joined(found) => found.push(((key()?, value), followed()?)),
    }
    Ok(())
}

impl AnswerForm {
    fn nothing(&self) -> Found {
        match self {
            Self::Value => Found::Value(None),
            Self::Followed => Found::Followed(None),
            Self::Entries { .. } => Found::Entries(Vec::new()),
            Self::Joined { .. } => Found::Joined(Vec::new()),
        }
    }

    /// Sorts entries into the requested order.
    /// In practice they arrive in it, though the database does not guarantee this.
    fn put_in_order(self, found: &mut Found) {
        let (Self::Entries { newest_first } | Self::Joined { newest_first }) = self else {
            return;
        };
        let order = |one: &Key, other: &Key| {
            let order = one.cmp(other);
            if newest_first { order.reverse() } else { order }
        };
        match found {
            Found::Entries(found) => found.sort_by(|one, other| order(&one.0, &other.0)),
            Found::Joined(found) => found.sort_by(|one, other| order(&one.0.0, &other.0.0)),
            Found::Value(_) | Found::Followed(_) => {}
        }
    }
}
