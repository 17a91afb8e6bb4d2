//! The conformance checks find what they are for: for each there is a broken backend that fails it.

mod commits;
mod locks;
mod places;
mod reads;

use std::{collections::BTreeSet, fmt::Debug};

use connect_core::storage::conformance::{CHECKS, Place, run_all};

use self::{
    commits::BrokenCommits,
    locks::BrokenLocks,
    places::BrokenPlace,
    reads::{Broken, BrokenReads},
};

/// A check, and a backend that has to fail it.
struct Case {
    check: &'static str,
    broken: String,
    place: Box<dyn Place>,
}

/// The cases of one kind of backend.
fn cases_of<B: Copy + Debug, P: Place + 'static>(
    broken: &[(B, &[&'static str])],
    place: impl Fn(B) -> P,
) -> Vec<Case> {
    let place = &place;
    let cases = broken.iter().flat_map(|(broken, checks)| {
        checks.iter().map(move |check| Case {
            check,
            broken: format!("{broken:?}"),
            place: Box::new(place(*broken)),
        })
    });
    cases.collect()
}

fn broken_reads() -> Vec<Case> {
    cases_of(reads::CASES, |broken| BrokenPlace(BrokenReads(broken)))
}

fn broken_commits() -> Vec<Case> {
    cases_of(commits::CASES, |broken| BrokenPlace(BrokenCommits(broken)))
}

fn broken_locks() -> Vec<Case> {
    cases_of(locks::CASES, |broken| BrokenPlace(BrokenLocks(broken)))
}

fn broken_places() -> Vec<Case> {
    cases_of(places::CASES, |broken| broken)
}

/// The number of runs of a check for a race on one broken backend. It may miss it once, on a busy
/// machine, but not time after time.
const TRIES: u8 = 50;

/// Runs each check on the backend that it is meant for.
async fn all_are_found(cases: Vec<Case>) {
    let mut missed = Vec::new();
    for case in cases {
        let check = CHECKS.iter().find(|check| check.name == case.check);
        let check = check.unwrap_or_else(|| panic!("no check is called {}", case.check));
        let mut is_found = false;
        for _ in 0..TRIES {
            is_found = check.run(&*case.place).await.is_err();
            if is_found {
                break;
            }
        }
        if !is_found {
            missed.push(format!("{} by {}", case.broken, case.check));
        }
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_reads_are_found() {
    all_are_found(broken_reads()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_commits_are_found() {
    all_are_found(broken_commits()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_locks_are_found() {
    all_are_found(broken_locks()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_places_are_found() {
    all_are_found(broken_places()).await;
}

#[test]
fn no_check_is_without_a_broken_backend() {
    let cases = [
        broken_reads(),
        broken_commits(),
        broken_locks(),
        broken_places(),
    ];
    let proved: BTreeSet<_> = cases.iter().flatten().map(|case| case.check).collect();
    let all: BTreeSet<_> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(proved, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_named_and_explained() {
    let broken = || BrokenPlace(BrokenReads(Broken::IncludesTheEnd));
    let failures = run_all(broken).await.unwrap_err();
    let text = failures.to_string();
    assert!(
        text.contains("order::range_ends: promised is that a range has its first key"),
        "{text}"
    );
    assert!(
        text.contains("a scan from \"b\" to Some(\"f\"): found ["),
        "{text}"
    );
}
