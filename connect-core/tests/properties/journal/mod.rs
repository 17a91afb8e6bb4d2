//! The journal: random rows of several registers, in order or late, with repeats and refusals
//! between them. Lists, daily summaries, Z reports and events are as in a naive model, which shares
//! nothing with the core.

mod input;
mod model;
mod play;

use proptest::{collection::vec, prelude::*};

use super::check::{Threads, on_each_backend};
use input::{Step, in_order, looks, steps};
use play::Play;

on_each_backend!(
    any_journal_is_as_in_the_model,
    Threads::One,
    60,
    4,
    (
        vec(vec(steps(), 1..8), 1..12),
        any::<bool>(),
        vec(looks(), 6)
    ),
    |shop, (mut bursts, is_in_order, looks): (Vec<Vec<Step>>, bool, _)| async move {
        if is_in_order {
            in_order(&mut bursts);
        }
        let mut play = Play::begin(shop).await;
        for burst in bursts {
            play.burst(burst).await;
        }
        play.compare(&looks).await;
        let play = play.reopen().await;
        play.compare(&looks).await;
    }
);
