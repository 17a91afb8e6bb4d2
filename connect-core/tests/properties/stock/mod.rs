//! Stock: any sequence of counts, adjustments, sales, refunds, deletions and changes of external ids
//! is as in a naive model, which shares nothing with the core.

mod input;
mod model;
mod play;

use proptest::collection::vec;

use super::check::{Threads, on_each_backend};
use input::{Step, steps};
use play::Play;

on_each_backend!(
    stock_is_as_in_the_model,
    Threads::One,
    100,
    5,
    vec(steps(), 1..40),
    |shop, steps: Vec<Step>| async move {
        let mut play = Play::begin(shop).await;
        for step in &steps {
            play.step(step).await;
        }
        play.check().await;
    }
);
