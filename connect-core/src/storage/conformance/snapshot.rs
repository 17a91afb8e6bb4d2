//! Reads while commits go on.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{
    Fault, Place,
    support::{commit, same},
};
use crate::storage::{Entry, Range, Storage, Value};

/// How many rows every commit of these checks writes, and how many commits there are.
const ROWS: u32 = 60;
const COMMITS: u64 = 150;

pub(super) async fn acknowledged_is_seen(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut tasks = Vec::new();
    for task in 0..4_u8 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            for number in 0..50_u64 {
                let value = number.to_be_bytes();
                store.commit(commit(&[], &[([task], Some(value))])).await?;
                let found = store.get(&[&[task]]).await?;
                same(
                    "a get after the commit",
                    found[0].as_deref(),
                    Some(&value[..]),
                )?;
                let next = [task + 1];
                let scanned = store
                    .scan(
                        Range {
                            from: &[task],
                            to: Some(&next),
                        },
                        1,
                    )
                    .await?;
                let found = scanned.first().map(|(_, value)| &**value);
                same("a scan after the commit", found, Some(&value[..]))?;
            }
            Ok::<(), Fault>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

pub(super) async fn scan_sees_whole_commits(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let scan = async |store: &dyn Storage| -> Result<Vec<Entry>, Fault> {
        Ok(store
            .scan(
                Range {
                    from: b"r",
                    to: Some(b"s"),
                },
                usize::MAX,
            )
            .await?)
    };
    let writer = Writer::start(&store);
    let mut last = 0;
    while writer.goes_on() {
        let rows = scan(&*store).await?;
        last = one_commit(last, rows.iter().map(|(_, value)| value))?;
        // Every commit moves one row, so a scan of two commits has one too many or too few.
        same(
            "rows in a scan",
            rows.len(),
            if last == 0 { 0 } else { ROWS as usize + 1 },
        )?;
        tokio::task::yield_now().await;
    }
    writer.finish().await?;
    let rows = scan(&*store).await?;
    same(
        "the last scan",
        one_commit(last, rows.iter().map(|(_, value)| value))?,
        COMMITS,
    )
}

pub(super) async fn get_sees_whole_commits(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let keys: Vec<_> = (0..ROWS).map(key).collect();
    let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
    let writer = Writer::start(&store);
    let mut last = 0;
    while writer.goes_on() {
        let found = store.get(&keys).await?;
        let there = found.iter().flatten().count();
        last = one_commit(last, found.iter().flatten())?;
        same(
            "rows in a get",
            there,
            if last == 0 { 0 } else { ROWS as usize },
        )?;
        tokio::task::yield_now().await;
    }
    writer.finish().await?;
    let found = store.get(&keys).await?;
    same(
        "the last get",
        one_commit(last, found.iter().flatten())?,
        COMMITS,
    )
}

fn key(row: u32) -> Vec<u8> {
    [b"r", &row.to_be_bytes()[..]].concat()
}

/// Writes the commit's number, from 1 on, to every row; and moves one row about.
struct Writer {
    task: tokio::task::JoinHandle<Result<(), Fault>>,
    done: Arc<AtomicBool>,
}

impl Writer {
    fn start(store: &Arc<dyn Storage>) -> Self {
        let (store, done) = (store.clone(), Arc::new(AtomicBool::new(false)));
        let stop = Stop(done.clone());
        let task = tokio::spawn(async move {
            let _stop = stop;
            for number in 1..=COMMITS {
                let value = Some(number.to_be_bytes());
                let mut writes: Vec<_> = (0..ROWS).map(|row| (key(row), value)).collect();
                let moved = |number: u64| [&key(number as u32 % ROWS)[..], b"moved"].concat();
                writes.push((moved(number - 1), None));
                writes.push((moved(number), value));
                store.commit(commit(&[], &writes)).await?;
                tokio::task::yield_now().await;
            }
            Ok(())
        });
        Self { task, done }
    }

    fn goes_on(&self) -> bool {
        !self.done.load(Ordering::Acquire)
    }

    async fn finish(self) -> Result<(), Fault> {
        self.task.await?
    }
}

/// Tells the readers that the writer is done, also when it fails.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The number of the one commit that wrote all of `values`; 0 when there are none.
fn one_commit<'a>(at_least: u64, values: impl Iterator<Item = &'a Value>) -> Result<u64, Fault> {
    let mut numbers = values.map(|value| {
        let bytes = (**value)
            .try_into()
            .map_err(|_| Fault::new("a value of another length"))?;
        Ok::<_, Fault>(u64::from_be_bytes(bytes))
    });
    let first = numbers.next().transpose()?.unwrap_or(0);
    if first < at_least {
        let what = format!("a read saw commit {first}, an earlier one had seen {at_least}");
        return Err(Fault::new(what));
    }
    for other in numbers {
        same("two rows of one read", other?, first)?;
    }
    Ok(first)
}
