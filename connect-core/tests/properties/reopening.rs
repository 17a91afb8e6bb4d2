//! After a stop and a start everything is as it was.

use super::{
    check::{Threads, on_each_backend},
    input::bursts,
    session::Session,
};

on_each_backend!(
    a_shop_opened_again_is_as_it_was,
    Threads::One,
    20,
    5,
    (bursts(6), bursts(4)),
    |shop, (before, after)| async move {
        let mut session = Session::new(shop, 3);
        session.play(&before).await;
        let rows = session.shop.rows().await;
        let mut session = session.reopen().await;
        assert_eq!(session.shop.rows().await, rows);
        session.compare().await;
        session.compare_filters().await;
        // Clock, event numbers and idempotency keys go on where they were.
        session.play(&after).await;
    }
);
