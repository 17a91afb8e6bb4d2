//! The driver finds faults, shortens them, and does the same twice.

use connect_fuzz::{Target, Verdict, drive::drive};

/// A reader of prices, with a fault for one of them.
fn faulty(input: &[u8]) -> Verdict {
    assert!(
        !input.windows(10).any(|part| part == b"1000000000"),
        "too much"
    );
    if input.starts_with(b"{\"price\":") {
        Verdict::Taken
    } else {
        Verdict::Refused
    }
}

fn target(run: fn(&[u8]) -> Verdict) -> Target {
    Target {
        name: "prices".into(),
        seeds: vec![b"{\"price\":7,\"name\":\"Bread\"}".to_vec()],
        words: vec!["price".into()],
        run,
    }
}

#[test]
fn a_fault_is_found_and_made_short() {
    let summary = drive(&target(faulty), 50_000, 1, |_| ());
    assert!(!summary.faults.is_empty());
    for (input, words) in summary.faults {
        assert_eq!((&*input, &*words), (&b"1000000000"[..], "too much"));
    }
}

#[test]
fn a_seed_makes_the_same_inputs() {
    fn sound(input: &[u8]) -> Verdict {
        match input.len() % 3 {
            0 => Verdict::Taken,
            _ => Verdict::Refused,
        }
    }
    let run = |seed| drive(&target(sound), 5_000, seed, |_| ()).taken;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
