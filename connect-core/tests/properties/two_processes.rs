//! Two processes on a store that is far away: calls that go to them in turn do what calls to one
//! process do.

use super::{
    check::{Threads, on_each_backend},
    input::{Burst, bursts},
    session::Session,
};

on_each_backend!(
    calls_to_two_processes_in_turn_are_as_in_the_model,
    Threads::One,
    6,
    1,
    bursts(5),
    |shop, bursts: Vec<Burst>| async move {
        let mut session = Session::new(shop, 200);
        let mut other = session.shop.move_away();
        for burst in bursts {
            session.shop.clock.advance(burst.clock);
            for write in &burst.writes {
                let call = session.resolve(write);
                session.send(vec![call]).await;
                std::mem::swap(&mut session.shop.connect, &mut other);
            }
        }
        session.compare_filters().await;
    }
);
