//! The conformance checks find what they are for: for each there is a broken backend that fails it.

mod commits;
mod locks;
mod places;
mod reads;

use std::{collections::BTreeSet, fmt::Debug};

use connect_core::storage::conformance::{CHECKS, Place, run_all};
use futures_util::{StreamExt as _, stream};

use self::places::BrokenPlace;

/// Declares the faults of a kind of backend, each with the checks to find it.
macro_rules! faults {
    ($($fault:ident: $($check:literal)+;)+) => {
        /// A fault of a backend.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Broken {
            $($fault),+
        }

        pub(super) const CASES: &[(Broken, &[&str])] = &[$((Broken::$fault, &[$($check),+])),+];
    };
}

use faults;

/// A check, and a backend that has to fail it.
struct Case {
    check: &'static str,
    broken: String,
    place: Box<dyn Place>,
}

/// The cases of one kind of backend.
fn cases<B: Copy + Debug, P: Place + 'static>(
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

/// All cases: of reads, commits, locks and places.
fn all() -> [Vec<Case>; 4] {
    [
        cases(reads::CASES, |broken| {
            BrokenPlace(move || reads::store(broken))
        }),
        cases(commits::CASES, |broken| {
            BrokenPlace(move || commits::store(broken))
        }),
        cases(locks::CASES, |broken| {
            BrokenPlace(move || locks::store(broken))
        }),
        cases(places::CASES, |broken| broken),
    ]
}

/// The number of runs of a check for a race on one broken backend. It may miss it once, on a busy
/// machine, but not time after time.
const TRIES: u8 = 50;

/// Runs each check on its backend. They mostly wait, so several run at once, each as a task of its own:
/// the reads of one must not wait for what another works out.
async fn are_found(kind: usize) {
    let cases = all().into_iter().nth(kind).unwrap();
    let found = stream::iter(cases).map(|case| tokio::spawn(missed(case)));
    let missed = found.buffer_unordered(8).map(Result::unwrap);
    let missed: Vec<_> = missed.filter_map(std::future::ready).collect().await;
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

/// Returns the name of a case not found.
async fn missed(case: Case) -> Option<String> {
    let check = CHECKS.iter().find(|check| check.name == case.check);
    let check = check.unwrap_or_else(|| panic!("no check is called {}", case.check));
    for _ in 0..TRIES {
        if check.run(&*case.place).await.is_err() {
            return None;
        }
    }
    Some(format!("{} by {}", case.broken, case.check))
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_reads_are_found() {
    are_found(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_commits_are_found() {
    are_found(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_locks_are_found() {
    are_found(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_places_are_found() {
    are_found(3).await;
}

#[test]
fn no_check_is_without_a_broken_backend() {
    let proved: BTreeSet<_> = all().iter().flatten().map(|case| case.check).collect();
    let all: BTreeSet<_> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(proved, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_named_and_explained() {
    let broken = || BrokenPlace(|| reads::store(reads::Broken::IncludesTheEnd));
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
