//! Situations as scripts: the writes, the requests, and their times.
//!
//! A line of a script is a step. Behind `=>` is what it returns, or what arrives of it. Lines that are
//! indented are repeated as often as the line before them says. A script ends with a check of all rows.

mod play;
mod told;

use std::sync::Arc;

use connect_core::storage::Storage;

use self::play::Play;
use crate::{properties::shop::Shop as Stored, shop::Shop};

/// Plays each script of a file in a shop of its own.
async fn play(file: &str, storage: Option<Arc<dyn Storage>>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/webhooks/scripts");
    let scripts = std::fs::read_to_string(format!("{folder}/{file}.txt")).unwrap();
    let mut wrong = Vec::new();
    for script in scripts.split("\n# ").skip(1) {
        let (title, steps) = script.split_once('\n').unwrap();
        let shop = match &storage {
            Some(storage) => Shop::on(storage.clone()).await,
            None => Shop::open().await,
        };
        let mut play = Play::new(shop);
        let mut lines = steps.lines().filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            let Some(times) = line.strip_suffix(" times:") else {
                wrong.extend(play.line(line).await.map(|is| format!("{title}: {is}")));
                continue;
            };
            let mut repeated = Vec::new();
            while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
                repeated.push(line.trim());
            }
            for time in 1..=times.parse().unwrap() {
                for line in &repeated {
                    let is = play.line(line).await;
                    wrong.extend(is.map(|is| format!("{title}, time {time}: {is}")));
                }
            }
        }
        play.end().await;
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

macro_rules! scripts {
    ($($test:ident: $file:literal,)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $test() {
                play($file, None).await;
            }
        )*
    };
}

scripts! {
    failed_deliveries_are_tried_again_on_schedule: "schedule",
    webhooks_get_what_was_committed_while_they_asked_for_it: "choice",
    what_waits_beside_a_webhook_that_is_off_is_sent_or_dropped: "waiting",
    a_product_is_told_of_once_a_minute_with_its_latest_quantity: "stock",
    fifty_failures_in_a_row_switch_a_webhook_off: "health",
    workers_take_over_from_others: "leases",
    damaged_rows_harm_what_needs_them: "damage",
    work_takes_few_trips_however_much_there_is: "trips",
}

on_each_store!(what_was_given_up_is_sent_again_once);

async fn what_was_given_up_is_sent_again_once(shop: Stored) {
    play("resend", Some(shop.storage.clone())).await;
}
