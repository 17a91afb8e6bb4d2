//! What a check costs, beside what it cannot cost less than: reading the header and one
//! HMAC-SHA256 by the same libraries. All are measured in one run, one after the other in short
//! turns, so that a busy machine slows them alike; ratios within a run are what counts.
//!
//! `cargo bench -p connect-webhook-verify`: the table of ratios, then criterion's own figures.
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark is there to print"
)]

mod floor;
mod turns;

use std::hint::black_box;

use connect_webhook_verify::{Secret, Verifier, sign};
use criterion::{BenchmarkId, Criterion, Throughput};
use turns::Contest;

const SECRET: &str = "whsec_NewNewNewNewNewNewNewNewNewNewNewNewNewNewNewN";
const NOW: u64 = 1_700_000_000;
const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// A delivery of so many bytes, with a true and a forged signature.
struct Delivery {
    body: Vec<u8>,
    good: String,
    forged: String,
}

impl Delivery {
    fn new(size: usize) -> Self {
        let mut body = br#"{"id":"evt_1","type":"ping","data":""#.to_vec();
        body.resize(size - 2, b'x');
        body.extend(b"\"}");
        let good = sign(&secret(SECRET), NOW, &body).to_string();
        let forged = sign(&secret("whsec_forged"), NOW, &body).to_string();
        Self { body, good, forged }
    }
}

fn secret(text: &str) -> Secret {
    Secret::new(text).unwrap_or_else(|error| unreachable!("{error}"))
}

fn ratios() {
    let verifier = Verifier::new(secret(SECRET));
    let keyed = floor::key(SECRET.as_bytes());
    for size in SIZES {
        let delivery = Delivery::new(size);
        let Delivery { body, good, forged } = &delivery;
        println!("\n{size} bytes");
        Contest::new("header and bare HMAC (the floor)", || {
            floor::header_and_hmac(black_box(good), SECRET.as_bytes(), black_box(body))
        })
        .against("the same with the key taken in before", || {
            floor::header_and_keyed_hmac(black_box(good), &keyed, black_box(body))
        })
        .against("verify, true signature", || {
            u8::from(
                verifier
                    .verify(black_box(good), black_box(body), NOW)
                    .is_ok(),
            )
        })
        .against("verify, forged signature", || {
            u8::from(
                verifier
                    .verify(black_box(forged), black_box(body), NOW)
                    .is_ok(),
            )
        })
        .run();
    }
}

/// The place of the match among signatures, and the number of secrets.
fn shapes() {
    let delivery = Delivery::new(1_000);
    let body = &delivery.body;
    let (head, good) = delivery.good.split_at(delivery.good.len() - 67);
    let wrong = format!("v1={},", "0".repeat(64));
    let first = format!("{head}{good},{}", wrong.repeat(15).trim_end_matches(','));
    let last = format!("{head}{}{good}", wrong.repeat(15));
    let none = format!("{head}{}", wrong.repeat(16).trim_end_matches(','));
    let one = Verifier::new(secret(SECRET));
    println!("\n1000 bytes, 16 signatures, by the place of the one that matches");
    let check =
        |header: &str| u8::from(one.verify(black_box(header), black_box(body), NOW).is_ok());
    Contest::new("the first", || check(&first))
        .against("the last", || check(&last))
        .against("none", || check(&none))
        .run();

    let other = || secret("whsec_other");
    let [front, back, neither] = [
        [secret(SECRET), other()],
        [other(), secret(SECRET)],
        [other(), other()],
    ]
    .map(Verifier::new);
    println!("\n1000 bytes, two secrets, by the place of the one that matches");
    let check = |verifier: &Verifier<[Secret; 2]>| {
        u8::from(
            verifier
                .verify(black_box(&delivery.good), black_box(body), NOW)
                .is_ok(),
        )
    };
    Contest::new("the first", || check(&front))
        .against("the second", || check(&back))
        .against("neither", || check(&neither))
        .run();
}

fn details(criterion: &mut Criterion) {
    let verifier = Verifier::new(secret(SECRET));
    let mut group = criterion.benchmark_group("verify");
    for size in SIZES {
        let delivery = Delivery::new(size);
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_with_input(BenchmarkId::new("floor", size), &delivery, |b, delivery| {
            b.iter(|| {
                floor::header_and_hmac(&delivery.good, SECRET.as_bytes(), black_box(&delivery.body))
            });
        });
        group.bench_with_input(BenchmarkId::new("true", size), &delivery, |b, delivery| {
            b.iter(|| verifier.verify(&delivery.good, black_box(&delivery.body), NOW));
        });
        group.bench_with_input(
            BenchmarkId::new("forged", size),
            &delivery,
            |b, delivery| {
                b.iter(|| verifier.verify(&delivery.forged, black_box(&delivery.body), NOW));
            },
        );
    }
    group.finish();
}

fn main() {
    // `cargo test --benches` only asks whether it runs.
    if !std::env::args().any(|argument| argument == "--test") {
        ratios();
        shapes();
    }
    let mut criterion = Criterion::default().configure_from_args();
    details(&mut criterion);
    criterion.final_summary();
}
