//! Any sequence of writes: what comes back, what the lists show and what the events tell is what
//! the model says.

use proptest::{collection::vec, prelude::*};

use super::{
    check::{Threads, on_each_backend},
    input::{Burst, Write, barcode_writes, batch, bursts, writes},
    session::Session,
};

on_each_backend!(
    any_sequence_of_writes_is_as_in_the_model,
    Threads::One,
    120,
    6,
    (bursts(10), 1_usize..7),
    |shop, (bursts, page)| async move {
        let mut session = Session::new(shop, page);
        session.play(&bursts).await;
        session.compare_filters().await;
    }
);

on_each_backend!(
    a_long_batch_is_as_in_the_model,
    Threads::One,
    8,
    2,
    vec(
        batch(500).prop_map(|shape| Write { shape, key: None }),
        1..4
    ),
    |shop, batches: Vec<Write>| async move {
        let mut session = Session::new(shop, 200);
        for batch in batches {
            session
                .play(&[Burst {
                    clock: 0,
                    writes: vec![batch],
                }])
                .await;
        }
        session.compare_filters().await;
    }
);

// More than share one commit.
on_each_backend!(
    a_crowd_of_writes_is_as_in_the_model,
    Threads::One,
    4,
    1,
    (bursts(3), vec(writes(), 100..200)),
    |shop, (mut bursts, writes): (Vec<Burst>, Vec<Write>)| async move {
        bursts.push(Burst { clock: 0, writes });
        let mut session = Session::new(shop, 200);
        session.play(&bursts).await;
        session.compare_filters().await;
    }
);

// Several products have each barcode, and come and go in the commit that looks for them.
on_each_backend!(
    shared_barcodes_are_as_in_the_model,
    Threads::One,
    40,
    2,
    vec(vec(barcode_writes(), 1..16), 1..5),
    |shop, bursts: Vec<Vec<Write>>| async move {
        let mut session = Session::new(shop, 200);
        for writes in bursts {
            session.play(&[Burst { clock: 0, writes }]).await;
        }
    }
);
