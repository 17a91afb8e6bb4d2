//! Any sequence of writes: what comes back, what the lists show and what the events tell is what
//! the model says.

use super::{
    check::{Threads, on_each_backend},
    input::bursts,
    session::Session,
};

on_each_backend!(
    any_sequence_of_writes_is_as_in_the_model,
    Threads::One,
    160,
    6,
    (bursts(10), 1_usize..7),
    |shop, (bursts, page)| async move {
        let mut session = Session::new(shop, page);
        session.play(&bursts).await;
        session.compare_filters().await;
    }
);
