//! Commits that want the same.

use std::sync::Arc;

use super::{
    Fault, Place,
    support::{ALL, commit, put, same},
};
use crate::storage::{CommitError, Storage};

/// How many tasks want the same at once, and how often.
const TASKS: u8 = 8;
const TIMES: u64 = 40;

/// How often a task tries before it is clear that nobody gets on. Each refusal means that another
/// task was acknowledged, so a correct store needs a small part of it.
const PATIENCE: u64 = 100 * TIMES;

pub(super) async fn one_winner(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for round in 0..TIMES {
        let key = |name: &str| [&round.to_be_bytes()[..], name.as_bytes()].concat();
        let won = at_once(&store, |store, task| {
            let (wanted, own) = (key("wanted"), key(&format!("own {task}")));
            async move {
                let writes = [(wanted.clone(), Some([task])), (own, Some([task]))];
                won(store.commit(commit(&[(wanted, None)], &writes)).await)
            }
        })
        .await?;
        same(
            "commits that created the key",
            won.iter().filter(|won| **won).count(),
            1,
        )?;
        // The winner's two rows and nothing of the others.
        same(
            "rows",
            store.scan(ALL, usize::MAX).await?.len() as u64,
            2 * (round + 1),
        )?;
    }
    Ok(())
}

pub(super) async fn counter(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    at_once(&store, |store, _| async move {
        let mut acknowledged = 0;
        for _ in 0..PATIENCE {
            if acknowledged == TIMES {
                return Ok(true);
            }
            let before = store.get(&[b"counter"]).await?[0].clone();
            let number = before.as_deref().map_or(Ok(0), number)?;
            let writes = [(b"counter", Some(&(number + 1).to_be_bytes()[..]))];
            let add = commit(&[(b"counter", before.as_deref())], &writes);
            acknowledged += u64::from(won(store.commit(add).await)?);
            tokio::task::yield_now().await;
        }
        Err(Fault::new(
            "refused again and again, although nobody is acknowledged meanwhile",
        ))
    })
    .await?;
    let last = store.get(&[b"counter"]).await?[0].clone();
    let last = last.as_deref().map_or(Ok(0), number)?;
    same(
        "the counter after all increments",
        last,
        u64::from(TASKS) * TIMES,
    )
}

fn number(bytes: &[u8]) -> Result<u64, Fault> {
    Ok(u64::from_be_bytes(
        bytes
            .try_into()
            .map_err(|_| Fault::new("not the number written"))?,
    ))
}

pub(super) async fn disjoint(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    at_once(&store, |store, task| async move {
        let mut before = None;
        for number in 0..TIMES {
            let now = Some(number.to_be_bytes());
            let own = [task, number as u8];
            let expects = [(&[task][..], before), (&own[..], None)];
            let writes = [(&[task][..], now), (&own[..], now)];
            store.commit(commit(&expects, &writes)).await?;
            before = now;
        }
        Ok(true)
    })
    .await?;
    let rows = u64::from(TASKS) * (TIMES + 1);
    same(
        "rows",
        store.scan(ALL, usize::MAX).await?.len() as u64,
        rows,
    )
}

pub(super) async fn skew(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for _ in 0..TIMES {
        put(&*store, &[("0", "on"), ("1", "on")]).await?;
        let won = at_once(&store, |store, task| async move {
            // Off, provided that the other one is on.
            let (own, other) = if task % 2 == 0 {
                ("0", "1")
            } else {
                ("1", "0")
            };
            let off = commit(
                &[(other, Some("on")), (own, Some("on"))],
                &[(own, Some("off"))],
            );
            won(store.commit(off).await)
        })
        .await?;
        same(
            "of two that exclude each other",
            won.iter().filter(|won| **won).count(),
            1,
        )?;
    }
    Ok(())
}

/// Whether a commit was acknowledged rather than refused.
fn won(result: Result<(), CommitError>) -> Result<bool, Fault> {
    match result {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Runs the same in several tasks at once.
async fn at_once<F>(
    store: &Arc<dyn Storage>,
    work: impl Fn(Arc<dyn Storage>, u8) -> F,
) -> Result<Vec<bool>, Fault>
where
    F: Future<Output = Result<bool, Fault>> + Send + 'static,
{
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| tokio::spawn(work(store.clone(), task)))
        .collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await??);
    }
    Ok(results)
}
