//! Any sequence of writes: what comes back, what the lists show and what the events tell is what
//! the model says. What fails, and a dry run, changes no row; a check of the store finds nothing.

use connect_core::environment::ManualClock;
use proptest::{collection::vec, prelude::*};

use super::{
    check::{Threads, holds, on_each_backend},
    input::{
        Burst, Look, Mix, Write, at_once, batch, bursts, in_order, looks, shared_barcodes, writes,
    },
    session::Session,
    shop::{Backend, Shop},
};

/// Plays all, and compares in every way.
async fn walk(shop: Shop, page: usize, bursts: &[Burst], looks: &[Look]) {
    let mut session = Session::new(shop).await.play(bursts).await;
    session.compare_in_pages(page).await;
    session.compare_filters(page).await;
    session.compare_stock().await;
    session.compare_journal(looks).await;
    session.check().await;
}

/// Writes never done, or never refused, would prove nothing.
#[test]
fn the_walks_do_and_refuse_writes_of_every_kind() {
    let bursts = vec(writes(Mix::ALL), 900);
    holds(
        Backend::Memory,
        Threads::One,
        1,
        bursts,
        |shop, writes| async move {
            let bursts: Vec<Burst> = writes
                .chunks(4)
                .map(|some| at_once(some.to_vec()))
                .collect();
            let outcomes = Session::new(shop).await.play(&bursts).await.outcomes;
            assert_eq!(outcomes.len(), 18, "{outcomes:?}");
            for (deed, [done, refused]) in &outcomes {
                assert!(*done > 0, "{deed} is never done: {outcomes:?}");
                let is_safe = ["Batch", "Close", "CountMany", "Delete(Group)", "Link"];
                let is_safe = is_safe.iter().any(|safe| deed.starts_with(safe));
                assert!(
                    is_safe || *refused > 0,
                    "{deed} is never refused: {outcomes:?}"
                );
            }
        },
    );
}

on_each_backend!(
    any_catalog_is_as_in_the_model,
    Threads::One,
    60,
    5,
    (bursts(Mix::CATALOG, 10), 1_usize..7),
    |shop, (bursts, page)| async move { walk(shop, page, &bursts, &[]).await }
);

on_each_backend!(
    groups_and_links_are_as_in_the_model,
    Threads::One,
    50,
    5,
    (bursts(Mix::GROUPS, 12), 1_usize..7),
    |shop, (bursts, page)| async move { walk(shop, page, &bursts, &[]).await }
);

on_each_backend!(
    stock_is_as_in_the_model,
    Threads::One,
    50,
    5,
    (bursts(Mix::STOCK, 12), 1_usize..7),
    |shop, (bursts, page)| async move { walk(shop, page, &bursts, &[]).await }
);

on_each_backend!(
    any_journal_is_as_in_the_model,
    Threads::One,
    40,
    4,
    (bursts(Mix::JOURNAL, 12), any::<bool>(), vec(looks(), 6)),
    |shop, (mut bursts, is_in_order, looks): (Vec<Burst>, bool, Vec<Look>)| async move {
        if is_in_order {
            in_order(&mut bursts);
        }
        walk(shop, 3, &bursts, &looks).await;
    }
);

on_each_backend!(
    writes_of_all_chapters_are_as_in_the_model,
    Threads::One,
    40,
    4,
    (bursts(Mix::ALL, 12), 1_usize..7, vec(looks(), 2)),
    |shop, (bursts, page, looks)| async move { walk(shop, page, &bursts, &looks).await }
);

// Each process has a clock of its own: they do not agree, and are set forwards and backwards.
on_each_backend!(
    two_processes_make_one_history,
    Threads::One,
    40,
    4,
    bursts(Mix::ALL, 20),
    |shop: Shop, bursts: Vec<Burst>| async move {
        let mut session = Session::new(shop).await;
        let machine = ManualClock::at(session.now());
        let other = session.shop.beside(machine.clone());
        session.serve_by(other, machine);
        session.play(&bursts).await.compare_filters(200).await;
    }
);

on_each_backend!(
    two_processes_far_from_the_store_are_as_in_the_model,
    Threads::One,
    6,
    1,
    bursts(Mix::ALL, 10),
    |mut shop: Shop, bursts: Vec<Burst>| async move {
        let other = shop.move_away();
        let machine = shop.clock.clone();
        let mut session = Session::new(shop).await;
        session.serve_by(other, machine);
        session.play(&bursts).await.compare_filters(200).await;
    }
);

on_each_backend!(
    a_long_batch_is_as_in_the_model,
    Threads::One,
    8,
    2,
    vec(batch(1, 500), 1..4),
    |shop, batches: Vec<Write>| async move {
        let bursts: Vec<Burst> = batches
            .into_iter()
            .map(|write| at_once(vec![write]))
            .collect();
        walk(shop, 200, &bursts, &[]).await;
    }
);

// More than share one commit.
on_each_backend!(
    a_crowd_of_writes_is_as_in_the_model,
    Threads::One,
    4,
    1,
    (bursts(Mix::ALL, 3), vec(writes(Mix::ALL), 100..200)),
    |shop, (mut bursts, writes): (Vec<Burst>, Vec<Write>)| async move {
        bursts.push(at_once(writes));
        walk(shop, 200, &bursts, &[]).await;
    }
);

// Several products have each barcode, and come and go in the commit that looks for them.
on_each_backend!(
    shared_barcodes_are_as_in_the_model,
    Threads::One,
    40,
    2,
    vec(vec(shared_barcodes(), 1..16), 1..5),
    |shop, bursts: Vec<Vec<Write>>| async move {
        let bursts: Vec<Burst> = bursts.into_iter().map(at_once).collect();
        Session::new(shop).await.play(&bursts).await;
    }
);

on_each_backend!(
    what_is_deleted_and_forgotten_leaves_no_row,
    Threads::One,
    40,
    3,
    bursts(
        Mix {
            groups: 8,
            linked: 20,
            ..Mix::CATALOG
        },
        8
    ),
    |shop: Shop, mut bursts: Vec<Burst>| async move {
        // Nothing is purged while the machine's clock is hours off.
        bursts
            .iter_mut()
            .for_each(|burst| burst.micros = burst.micros.max(-5_000_000));
        let other = Shop::open(shop.on).await;
        // The location's clock stays for good.
        let first = at_once(writes_of_one_category());
        let before = Session::new(other).await.play(&[first]).await.empty().await;
        let after = Session::new(shop).await.play(&bursts).await.empty().await;
        assert!(after <= before, "{after} rows are left over, not {before}");
    }
);

fn writes_of_one_category() -> Vec<Write> {
    use super::{input::Deed, model::Kind};
    let body = serde_json::json!({ "name": "First" });
    vec![Write::new(Deed::Create(Kind::Category), Vec::new(), body)]
}

/// A shop carried to another backend is as before, and goes on.
#[cfg(all(feature = "redb", feature = "sled"))]
mod a_moved_shop_is_as_it_was {
    use super::*;

    fn on(way: &[Backend]) {
        let legs = vec(bursts(Mix::ALL, 4), way.len());
        holds(way[0], Threads::One, 6, legs, |shop, legs| async move {
            let mut session = Session::new(shop).await;
            for (to, bursts) in way.iter().zip(&legs) {
                if session.shop.on != *to {
                    session.restart(Some(*to)).await;
                    session.compare().await;
                }
                // Clock, event numbers and idempotency keys go on where they were.
                session = session.play(bursts).await;
                session.compare_filters(3).await;
            }
            session.check().await;
        });
    }

    #[test]
    fn from_memory_to_redb_to_sled_to_memory() {
        on(&[
            Backend::Memory,
            Backend::Redb,
            Backend::Sled,
            Backend::Memory,
        ]);
    }

    #[cfg(all(unix, feature = "postgres"))]
    #[test]
    fn from_redb_to_postgres_to_sled() {
        if connect_core::storage::postgres::testing::is_here() {
            on(&[Backend::Redb, Backend::Postgres, Backend::Sled]);
        }
    }
}
