//! Reads: one statement for all that are asked for at once.

use std::{iter, sync::LazyLock};

use tokio_postgres::{Row, types::Type};

use super::{
    connections::{Connection, Parameter},
    fault::unreadable,
};
use crate::storage::{Found, Key, MAX_KEY_LEN, Range, Read, State, StorageError, Value};

/// Greater than every key.
const END: &[u8] = &[0xff; MAX_KEY_LEN + 1];

/// Keys to look up, each perhaps with the row that its value leads to.
///
/// The `LIMIT` has the database look up each key in the index, however many it takes there to be.
const POINTS: &str = "SELECT p.n, NULL::bytea, r.value, f.value \
    FROM unnest($::int4[], $::bytea[], $::bytea[]) AS p (n, key, rows) \
    CROSS JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = p.key AND value IS NOT NULL LIMIT 1) r \
    LEFT JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = p.rows || r.value LIMIT 1) f ON true";

/// Ranges to scan, each entry perhaps with the row that its key leads to.
const RANGES: &str = "SELECT s.n, e.key, e.value, f.value \
    FROM unnest($::int4[], $::bytea[], $::bytea[], $::int8[], $::bytea[], $::int4[]) \
        AS s (n, start, stop, most, rows, tail) \
    CROSS JOIN LATERAL (SELECT key, value FROM connect_rows \
        WHERE key >= s.start AND key < s.stop AND value IS NOT NULL \
        ORDER BY key DIRECTION LIMIT s.most) e \
    LEFT JOIN LATERAL (SELECT value FROM connect_rows \
        WHERE key = s.rows || substring(e.key FROM length(e.key) - s.tail + 1) \
            AND length(e.key) >= s.tail LIMIT 1) f ON true";

/// The statements for each mixture of reads: bit 0 is for points, bit 1 for ranges from their start,
/// bit 2 for ranges from their end.
static STATEMENTS: LazyLock<[String; 8]> = LazyLock::new(|| std::array::from_fn(statement));

fn statement(mixture: usize) -> String {
    let parts = [
        POINTS.to_owned(),
        RANGES.replace("DIRECTION", "ASC"),
        RANGES.replace("DIRECTION", "DESC"),
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
struct Points<'r> {
    numbers: Vec<i32>,
    keys: Vec<&'r [u8]>,
    rows: Vec<Option<&'r [u8]>>,
}

impl<'r> Points<'r> {
    fn add(&mut self, number: i32, key: &'r [u8], rows: Option<&'r [u8]>) {
        self.numbers.push(number);
        self.keys.push(key);
        self.rows.push(rows);
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
struct Ranges<'r> {
    numbers: Vec<i32>,
    starts: Vec<&'r [u8]>,
    stops: Vec<&'r [u8]>,
    most: Vec<i64>,
    rows: Vec<Option<&'r [u8]>>,
    tails: Vec<i32>,
}

impl<'r> Ranges<'r> {
    fn add(
        &mut self,
        number: i32,
        range: Range<'r>,
        limit: usize,
        rows: Option<(&'r [u8], usize)>,
    ) {
        self.numbers.push(number);
        self.starts.push(range.from);
        self.stops.push(range.to.unwrap_or(END));
        self.most.push(i64::try_from(limit).unwrap_or(i64::MAX));
        self.rows.push(rows.map(|(rows, _)| rows));
        let tail = rows.map_or(0, |(_, tail)| tail);
        self.tails.push(i32::try_from(tail).unwrap_or(i32::MAX));
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

/// Reads as a statement and its parameters.
pub(super) struct Question<'r> {
    points: Points<'r>,
    /// From their start, and from their end.
    ranges: [Ranges<'r>; 2],
}

impl<'r> Question<'r> {
    /// The statement that asks all reads at once, and what its answer is to be put into.
    pub(super) fn of(reads: &[Read<'r>]) -> (Self, Vec<Found>) {
        let mut points = Points::default();
        let mut ranges = [Ranges::default(), Ranges::default()];
        let mut found = Vec::with_capacity(reads.len());
        for (number, read) in (0..).zip(reads) {
            found.push(match *read {
                Read::Get(key) => {
                    points.add(number, key, None);
                    Found::Value(None)
                }
                Read::Follow { key, rows } => {
                    points.add(number, key, Some(rows));
                    Found::Followed(None)
                }
                Read::Scan {
                    range,
                    limit,
                    newest_first,
                } => {
                    ranges[usize::from(newest_first)].add(number, range, limit, None);
                    Found::Entries(Vec::new())
                }
                Read::ScanFollow {
                    range,
                    limit,
                    newest_first,
                    rows,
                    tail,
                } => {
                    ranges[usize::from(newest_first)].add(number, range, limit, Some((rows, tail)));
                    Found::Joined(Vec::new())
                }
            });
        }
        (Self { points, ranges }, found)
    }

    pub(super) fn statement(&self) -> &'static str {
        let mut mixture = usize::from(!self.points.numbers.is_empty());
        for (bit, ranges) in (1..).zip(&self.ranges) {
            mixture |= usize::from(!ranges.numbers.is_empty()) << bit;
        }
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
        parameters
    }
}

/// Answers all reads from one state: that of one statement.
///
/// # Errors
/// The database gave no answer, or none that is understood.
pub(super) async fn answer(
    connection: &Connection,
    reads: &[Read<'_>],
) -> Result<State, StorageError> {
    let (question, mut found) = Question::of(reads);
    if found.is_empty() {
        return Ok(State::new(found));
    }
    let parameters = question.parameters();
    let rows = connection.query(question.statement(), &parameters).await;
    let rows = rows.map_err(|error| unreadable(&error))?;
    for row in &rows {
        take(row, &mut found).map_err(|error| unreadable(&error))?;
    }
    for (read, found) in reads.iter().zip(&mut found) {
        put_in_order(read, found);
    }
    Ok(State::new(found))
}

/// Puts a row of the answer where it belongs.
fn take(row: &Row, found: &mut [Found]) -> Result<(), tokio_postgres::Error> {
    let number: i32 = row.try_get(0)?;
    // The numbers are those that were sent.
    let Some(found) = usize::try_from(number)
        .ok()
        .and_then(|at| found.get_mut(at))
    else {
        return Ok(());
    };
    let bytes = |column| row.try_get::<_, Option<&[u8]>>(column);
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

/// Puts entries in the order asked for. They come in it, though the database does not promise that.
fn put_in_order(read: &Read<'_>, found: &mut Found) {
    let (Read::Scan { newest_first, .. } | Read::ScanFollow { newest_first, .. }) = *read else {
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
