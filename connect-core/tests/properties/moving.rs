//! A shop that was carried to another backend is as it was, and goes on as if nothing had happened.

use super::{
    check::{Threads, holds},
    input::bursts,
    session::Session,
    shop::Backend,
};

fn a_moved_shop_is_as_it_was(from: Backend, to: Backend) {
    let cases = 6;
    holds(
        from,
        Threads::One,
        cases,
        (bursts(6), bursts(4)),
        |shop, (before, after)| async move {
            let mut session = Session::new(shop, 3);
            session.play(&before).await;
            let rows = session.shop.rows().await;
            let mut session = session.move_to(to).await;
            assert_eq!(session.shop.rows().await, rows);
            session.compare().await;
            session.compare_filters().await;
            // Clock, event numbers and idempotency keys go on where they were.
            session.play(&after).await;
            session.compare().await;
            session.compare_filters().await;
        },
    );
}

#[test]
fn from_memory_to_redb() {
    a_moved_shop_is_as_it_was(Backend::Memory, Backend::Redb);
}

#[test]
fn from_redb_to_sled() {
    a_moved_shop_is_as_it_was(Backend::Redb, Backend::Sled);
}

#[test]
fn from_sled_to_memory() {
    a_moved_shop_is_as_it_was(Backend::Sled, Backend::Memory);
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn from_redb_to_postgres() {
    if connect_core::storage::postgres::testing::is_here() {
        a_moved_shop_is_as_it_was(Backend::Redb, Backend::Postgres);
    }
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn from_postgres_to_sled() {
    if connect_core::storage::postgres::testing::is_here() {
        a_moved_shop_is_as_it_was(Backend::Postgres, Backend::Sled);
    }
}
