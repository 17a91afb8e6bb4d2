//! Concurrent commits to the same rows.

use super::{
    Fault, Place,
    support::{TASKS, at_once, commit, everything, get, number, put, same, won},
};

/// The number of rounds of concurrent attempts.
const TIMES: u64 = 15;

/// The tries of a task before the test counts as stuck.
/// Each refusal means an acknowledged commit of another task, so a correct store needs only a small
/// part of them.
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
        // The winner's two rows, and nothing of the other commits.
        same(
            "rows",
            everything(&*store).await?.len() as u64,
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
            let before = get(&*store, b"counter").await?;
            let number = before.as_deref().map_or(Ok(0), number)?;
            let writes = [(b"counter", Some(&(number + 1).to_be_bytes()[..]))];
            let add = commit(&[(b"counter", before.as_deref())], &writes);
            acknowledged += u64::from(won(store.commit(add).await)?);
            tokio::task::yield_now().await;
        }
        Err(Fault::new(
            "refused again and again, although no other commit is acknowledged",
        ))
    })
    .await?;
    let last = get(&*store, b"counter").await?;
    let last = last.as_deref().map_or(Ok(0), number)?;
    same(
        "the counter after all increments",
        last,
        u64::from(TASKS) * TIMES,
    )
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
    same("rows", everything(&*store).await?.len() as u64, rows)
}

pub(super) async fn skew(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    for _ in 0..TIMES {
        put(&*store, &[("0", "on"), ("1", "on")]).await?;
        let won = at_once(&store, |store, task| async move {
            // Turns its own off, provided that the other one is on.
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

pub(super) async fn refusals_are_known(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let won = at_once(&store, |store, task| async move {
        let mut acknowledged = 0;
        for number in 0..TIMES {
            // A few large commits among many small ones on the same row; none may be `Unknown`.
            let long = if number % 5 == 0 { 100_000 } else { 10 };
            let before = get(&*store, b"wanted").await?;
            // Some are refused even without a rival.
            let expected = if number % 3 == 2 {
                Some(&b"never"[..])
            } else {
                before.as_deref()
            };
            let expects = [(&b"wanted"[..], expected)];
            let (now, own) = ([task, number as u8], [b'o', task, number as u8]);
            let row = vec![task; long];
            let writes = [(&b"wanted"[..], Some(&now[..])), (&own, Some(&row))];
            acknowledged += u64::from(won(store.commit(commit(&expects, &writes)).await)?);
        }
        Ok(acknowledged)
    })
    .await?;
    // Acknowledged commits are present, refused ones are not.
    let rows = everything(&*store).await?.len() as u64 - 1;
    same("rows of acknowledged commits", rows, won.iter().sum())
}
