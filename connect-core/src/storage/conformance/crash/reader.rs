//! A reader beside the lanes. The commits it has seen must survive.

use super::{
    lane::{GUARDS, INDEX, ROW, SINGLE, TAIL, guard_key, guard_number, rows, single_number},
    load::{Load, Note},
};
use crate::storage::{
    Range, Read, Storage, Value,
    conformance::{
        Fault,
        support::{ShortenedBytes, ascending, same},
    },
};

/// Reads the guards, the single row, and a lane's newest rows by index, without end.
pub(super) async fn read(
    store: &dyn Storage,
    load: Load,
    note: impl Fn(Note),
) -> Result<(), Fault> {
    let mut seen = vec![0; usize::from(load.lanes) + 1];
    let mut note_once = move |lane: u8, number: u64| {
        if let Some(last) = seen.get_mut(usize::from(lane))
            && *last < number
        {
            *last = number;
            note(Note { lane, number });
        }
    };
    for lane in (0..load.lanes).cycle() {
        let guard = guard_key(lane);
        let [from, to] = bounds(INDEX, lane);
        let reads = [
            ascending(starting(&[GUARDS], &[GUARDS + 1]), usize::MAX),
            Read::Get(SINGLE),
            // A guard's value is the end of the key of its commit's first row.
            Read::Follow {
                key: &guard,
                rows: &[ROW, lane],
            },
            Read::ScanFollow {
                range: starting(&from, &to),
                limit: 6,
                newest_first: true,
                rows: &[ROW],
                tail: TAIL,
            },
        ];
        let mut state = store.read(&reads).await?;
        let guards = state.entries()?;
        for (key, last) in &guards {
            note_once(key.last().copied().unwrap_or_default(), guard_number(last)?);
        }
        if let Some(single) = state.value()? {
            note_once(load.lanes, single_number(&single)?);
        }
        let followed = state.followed()?;
        let newest = state.joined()?;
        if let Some((guard, first)) = followed {
            let last = guard_number(&guard)?;
            let mut found: Vec<_> = newest.iter().map(|(_, row)| row.as_ref()).collect();
            found.push(first.as_ref());
            whole(lane, last, &found)?;
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Checks the newest rows of a lane.
/// These are the rows of the last commit and of the one before, then once more the first row of the
/// last.
fn whole(lane: u8, last: u64, found: &[Option<&Value>]) -> Result<(), Fault> {
    let before = (last > 1).then(|| rows(lane, last - 1));
    let before = before.into_iter().flatten();
    let mut wanted: Vec<_> = before.chain(rows(lane, last)).collect();
    wanted.reverse();
    wanted.extend(rows(lane, last).take(1));
    let wanted = wanted
        .iter()
        .map(|(_, row)| Some(ShortenedBytes(row)))
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|row| row.map(|row| ShortenedBytes(row)))
        .collect();
    let what = format_args!("the newest rows of lane {lane} at {last}");
    same(what, found, wanted)
}

/// The bounds of a lane's keys in a family.
pub(super) fn bounds(family: u8, lane: u8) -> [[u8; 2]; 2] {
    [[family, lane], [family, lane + 1]]
}

pub(super) fn starting<'a>(from: &'a [u8], to: &'a [u8]) -> Range<'a> {
    Range { from, to: Some(to) }
}
