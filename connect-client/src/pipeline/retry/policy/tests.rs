//! The retry decision as a table.

use super::*;

const MS: fn(u64) -> Duration = Duration::from_millis;
const SECS: fn(u64) -> Duration = Duration::from_secs;

/// Draws this part of the longest wait.
fn part(chance: f64) -> impl FnOnce(Duration) -> Duration {
    move |longest| longest.mul_f64(chance)
}

fn policy() -> RetryPolicy {
    RetryPolicy::default()
        .max_attempts(4)
        .backoff(MS(100), MS(250))
        .budget(SECS(60))
}

fn status(status: u16) -> Outcome {
    Outcome::Answer {
        status,
        retry_after: None,
    }
}

fn asking(seconds: u64) -> Outcome {
    Outcome::Answer {
        status: 429,
        retry_after: Some(SECS(seconds)),
    }
}

#[test]
fn what_may_pass_is_sent_again_and_nothing_else() {
    for (outcome, again) in [
        (status(408), true),
        (status(429), true),
        (status(500), true),
        (status(502), true),
        (status(503), true),
        (status(504), true),
        (status(529), true),
        (status(501), false),
        (status(505), false),
        (status(200), false),
        (status(302), false),
        (status(400), false),
        (status(401), false),
        (status(403), false),
        (status(404), false),
        (status(405), false),
        (status(409), false),
        (status(413), false),
        (status(422), false),
        (Outcome::Fault(Fault::Connect), true),
        (Outcome::Fault(Fault::Timeout), true),
        (Outcome::Fault(Fault::Broken), true),
        (Outcome::Fault(Fault::Tls), false),
        (Outcome::Fault(Fault::TooLarge), false),
        (Outcome::Fault(Fault::Unsendable), false),
    ] {
        let decision = policy().decide(1, outcome, Duration::ZERO, part(0.5));
        let expected = if again {
            Decision::Wait(MS(50))
        } else {
            Decision::GiveUp(None)
        };
        assert_eq!(decision, expected, "{outcome:?}");
    }
}

#[test]
fn waits_attempts_and_budget() {
    let gave_up = |why| Decision::GiveUp(Some(why));
    let wait = |millis| Decision::Wait(MS(millis));
    for (attempt, outcome, elapsed, chance, expected) in [
        // The range doubles up to the cap, and chance takes from it.
        (1, status(500), 0, 1.0, wait(100)),
        (2, status(500), 0, 1.0, wait(200)),
        (3, status(500), 0, 1.0, wait(250)),
        (3, status(500), 0, 0.0, wait(0)),
        (2, status(500), 0, 0.25, wait(50)),
        // The fourth attempt is the last.
        (4, status(500), 0, 0.0, gave_up(GaveUp::Attempts)),
        (u32::MAX, status(500), 0, 0.0, gave_up(GaveUp::Attempts)),
        // No attempt begins after the budget, and half of what is left is kept for it.
        (1, status(500), 59_800, 1.0, wait(100)),
        (1, status(500), 59_880, 1.0, wait(60)),
        (1, status(500), 59_900, 1.0, wait(50)),
        (1, status(500), 59_901, 1.0, gave_up(GaveUp::Budget)),
        (1, status(500), 60_000, 0.0, gave_up(GaveUp::Budget)),
        (1, status(500), 99_000, 0.0, gave_up(GaveUp::Budget)),
        // Retry-After comes first, then the drawn part as far as the budget goes.
        (1, asking(0), 0, 1.0, wait(100)),
        (1, asking(7), 0, 1.0, wait(7_100)),
        (1, asking(58), 900, 1.0, wait(58_100)),
        (1, asking(59), 0, 1.0, wait(59_100)),
        // One that leaves hardly any time for an attempt ends the call at once.
        (1, asking(59), 1, 0.0, gave_up(GaveUp::RetryAfter)),
        (1, asking(60), 0, 0.0, gave_up(GaveUp::RetryAfter)),
        (1, asking(30), 30_000, 0.0, gave_up(GaveUp::RetryAfter)),
        (1, asking(u64::MAX), 0, 1.0, gave_up(GaveUp::RetryAfter)),
        (4, asking(7), 0, 1.0, gave_up(GaveUp::Attempts)),
    ] {
        let decision = policy().decide(attempt, outcome, MS(elapsed), part(chance));
        let case = format!("attempt {attempt}, {outcome:?}, {elapsed} ms, chance {chance}");
        assert_eq!(decision, expected, "{case}");
    }
}

#[test]
fn extreme_settings_do_not_overflow() {
    let endless = policy()
        .max_attempts(u32::MAX)
        .backoff(Duration::MAX, Duration::MAX)
        .budget(Duration::MAX);
    for attempt in [1, 2, 31, 32, 33, 64, u32::MAX - 1] {
        let draws: [fn(Duration) -> Duration; 3] = [
            |_| Duration::ZERO,
            |longest| longest,
            |longest| rand::random_range(Duration::ZERO..=longest),
        ];
        for draw in draws {
            for outcome in [status(500), asking(u64::MAX - 1)] {
                let decision = endless.decide(attempt, outcome, Duration::ZERO, draw);
                assert!(matches!(decision, Decision::Wait(_)), "{decision:?}");
            }
        }
    }
    let none = policy()
        .max_attempts(0)
        .decide(1, status(500), SECS(0), part(0.0));
    assert_eq!(none, Decision::GiveUp(Some(GaveUp::Attempts)));
}
