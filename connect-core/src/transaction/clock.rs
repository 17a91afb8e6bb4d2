//! The change clock of a partition.
//! The partition is a location or an account, for example. The clock is one row. Every commit
//! expects and writes it, so it gives commits their order, their time and their event numbers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Fault, TrailHead, Usage,
    keys::{Family, key},
};
use crate::{
    storage::{Commit, Guard, Key, Value},
    wire::Timestamp,
};

/// The state of the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeClock {
    /// The time of the last change.
    pub(crate) updated_at: Timestamp,
    /// The number of the last event.
    pub(crate) sequence: u64,
    /// The unique number of the last commit.
    /// After a lost answer, a writer finds out by it whether its commit was applied.
    pub(super) nonce: u64,
    /// The last number of every other numbered kind, by family byte.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<(u8, u64)>,
    /// The counts of a location's rows.
    /// `None` until a [migration](crate::Connect::migrate) has counted the rows of an older program, and in
    /// other partitions.
    #[serde(
        default,
        deserialize_with = "Usage::finished",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) usage: Option<Usage>,
    /// What the retention of the account has done so far.
    #[serde(default, skip_serializing_if = "Retained::is_default")]
    pub(crate) retained: Retained,
    /// The last entry of the trail; `None` without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trail: Option<TrailHead>,
}

/// The progress of a retention at a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Retained {
    /// Orders made before are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orders_from: Option<Timestamp>,
    /// Orders made before have no names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orders_blanked: Option<Timestamp>,
    /// Receipts up to this number have no names.
    pub(crate) receipts_blanked: u64,
    /// Receipts made before have no names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipts_blanked_to: Option<Timestamp>,
    /// Deliveries of this webhook made before are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deliveries_from: Option<Timestamp>,
    /// Set while the last change had no event, or events went early: without any, none need be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_quiet: bool,
}

impl Retained {
    const NOTHING: Self = Self {
        orders_from: None,
        orders_blanked: None,
        receipts_blanked: 0,
        receipts_blanked_to: None,
        deliveries_from: None,
        is_quiet: false,
    };

    fn is_default(&self) -> bool {
        *self == Self::NOTHING
    }
}

/// The key of a partition's clock.
pub(crate) fn clock_key(partition: Uuid) -> Key {
    key(partition, Family::Clock, &[])
}

impl ChangeClock {
    /// The clock of a partition without commits.
    pub(super) const START: Self = Self {
        updated_at: Timestamp::EPOCH,
        sequence: 0,
        nonce: 0,
        numbers: Vec::new(),
        usage: None,
        retained: Retained::NOTHING,
        trail: None,
    };

    /// Reads the clock from `row`.
    pub(crate) fn read(key: &[u8], row: Option<&Value>) -> Result<Self, Fault> {
        row.map_or(Ok(Self::START), |row| {
            serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))
        })
    }

    /// The last number of a kind of row, 0 for none.
    pub(super) fn last_number_mut(&mut self, rows: Family) -> &mut u64 {
        if rows == Family::Event {
            return &mut self.sequence;
        }
        let found = self.numbers.iter().position(|(of, _)| *of == rows as u8);
        let place = found.unwrap_or(self.numbers.len());
        if found.is_none() {
            self.numbers.push((rows as u8, 0));
        }
        &mut self.numbers[place].1
    }

    /// The last number of a kind besides events, 0 for none.
    pub(crate) fn last_number(&self, rows: Family) -> u64 {
        let found = self.numbers.iter().find(|(of, _)| *of == rows as u8);
        found.map_or(0, |(_, number)| *number)
    }

    /// Raises the last number of a kind of row to a row's.
    pub(crate) fn raise(&mut self, rows: Family, number: u64) {
        if number > 0 {
            let last = self.last_number_mut(rows);
            *last = number.max(*last);
        }
    }

    /// A commit to move the clock from `was` to a later time.
    /// It changes nothing else.
    pub(crate) fn moving_to(
        self,
        time: Timestamp,
        nonce: u64,
        (key, was): (Key, Option<Value>),
    ) -> Result<Commit, Fault> {
        let moved = Self {
            updated_at: time,
            nonce,
            ..self
        };
        let becomes = serde_json::to_vec(&moved).map_err(|e| Fault::corrupt(&key, e))?;
        let guard = Guard {
            key,
            was,
            becomes: Value::from(becomes),
        };
        Ok(Commit {
            guard: Some(guard),
            ..Commit::default()
        })
    }

    /// The time of the next commit: now, but later than the last.
    /// This holds even when the machine's clock stands still or was set back.
    pub(super) fn next_time(&self, now: Timestamp) -> Timestamp {
        now.max(self.updated_at.plus_micros(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_only_moves_forward() {
        let at = Timestamp::from_micros;
        let clock = ChangeClock {
            updated_at: at(100),
            ..ChangeClock::START
        };
        for (now, next) in [(99, 101), (100, 101), (101, 101), (102, 102), (-5, 101)] {
            assert_eq!(clock.next_time(at(now)), at(next), "at {now}");
        }
    }

    /// A writer finds its commit by the nonce.
    #[test]
    fn a_move_has_a_number_of_its_own() {
        let clock = ChangeClock {
            sequence: 3,
            nonce: 7,
            ..ChangeClock::START
        };
        let time = Timestamp::from_micros(100);
        let key = clock_key(Uuid::nil());
        let was = (key.clone(), Some(Value::from(Vec::new())));
        let guard = clock.clone().moving_to(time, 8, was).unwrap().guard;
        let moved = ChangeClock::read(&key, guard.map(|guard| guard.becomes).as_ref());
        let expected = ChangeClock {
            updated_at: time,
            nonce: 8,
            ..clock
        };
        assert_eq!(moved.unwrap(), expected);
    }
}
