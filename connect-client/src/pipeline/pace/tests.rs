//! Windows of the rate limit, with a clock set by the test.

use super::*;

fn at(seconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs())
}

/// An answer at this second, in a window ending at 60.
fn told(second: i64, remaining: u64) -> RateInfo {
    RateInfo {
        rate: RateLimit {
            limit: 3,
            remaining,
            reset: Timestamp::EPOCH.plus_seconds(60),
        },
        date: at(second),
        refused: None,
    }
}

/// Takes all available turns; returns their number and the next wait.
fn take_all(pace: &Pace, now: Instant) -> (usize, u64) {
    let mut turns = Vec::new();
    while turns.len() < 100 {
        match pace.take(now) {
            Ok(turn) => turns.push(turn),
            Err(wait) => return (turns.len(), wait.as_secs()),
        }
    }
    (turns.len(), 0)
}

fn learn(pace: &Pace, told: RateInfo, now: Instant) {
    pace.force().learn(told, now);
}

#[test]
fn a_window_that_is_used_up_holds_until_its_end() {
    let (pace, start) = (Pace::default(), Instant::now());
    assert_eq!(take_all(&pace, start), (100, 0), "nothing is known");
    learn(&pace, told(50, 2), start);
    assert_eq!(take_all(&pace, start), (2, 10));
    let next = start + Duration::from_secs(10);
    assert_eq!(take_all(&pace, next), (3, 60));
    let much_later = start + Duration::from_secs(605);
    assert_eq!(take_all(&pace, much_later), (3, 5));
}

#[test]
fn requests_under_way_count_until_the_service_has_said_so() {
    let (pace, now) = (Pace::default(), Instant::now());
    let (first, second) = (pace.take(now).unwrap(), pace.take(now).unwrap());
    first.learn(told(50, 2), now);
    drop(first);
    // The service has counted both, or the first alone.
    let third = pace.take(now).unwrap();
    assert!(pace.take(now).is_err());
    third.learn(told(50, 1), now);
    drop(third);
    assert!(pace.take(now).is_err());
    second.learn(told(50, 2), now);
    drop(second);
    assert_eq!(take_all(&pace, now), (1, 10), "all answers are in");
}

#[test]
fn a_request_that_never_arrived_leaves_its_place_to_another() {
    let (pace, now) = (Pace::default(), Instant::now());
    learn(&pace, told(50, 2), now);
    let (first, second) = (pace.take(now).unwrap(), pace.take(now).unwrap());
    assert!(pace.take(now).is_err());
    first.give_back();
    pace.force().give_back();
    assert_eq!(take_all(&pace, now), (1, 10));
    // Its window is over, and the one under way has never had it.
    let later = now + Duration::from_secs(10);
    assert_eq!(take_all(&pace, later), (3, 60));
    second.give_back();
    assert_eq!(take_all(&pace, later), (0, 60));
}

#[test]
fn other_programs_use_the_window_too_and_an_earlier_one_is_over() {
    let (pace, now) = (Pace::default(), Instant::now());
    learn(&pace, told(50, 3), now);
    learn(&pace, told(50, 1), now);
    assert_eq!(take_all(&pace, now), (1, 10));
    let later = now + Duration::from_secs(10);
    drop(pace.take(later).unwrap());
    learn(&pace, told(59, 0), later);
    assert_eq!(take_all(&pace, later), (2, 60));
}

#[test]
fn a_limit_that_was_raised_holds_from_the_next_answer_on() {
    let (pace, now) = (Pace::default(), Instant::now());
    learn(&pace, told(50, 0), now);
    let later = now + Duration::from_secs(10);
    drop(pace.take(later).unwrap());
    let mut raised = told(60, 9);
    raised.rate.limit = 10;
    raised.rate.reset = raised.rate.reset.plus_seconds(60);
    learn(&pace, raised, later);
    assert_eq!(take_all(&pace, later), (9, 60));
    let next = later + Duration::from_secs(60);
    assert_eq!(take_all(&pace, next), (10, 60));
}

#[test]
fn a_refusal_counts_whatever_was_thought() {
    let (pace, now) = (Pace::default(), Instant::now());
    learn(&pace, told(50, 3), now);
    let refused = Some(Duration::from_secs(7));
    let refusal = RateInfo {
        refused,
        ..told(50, 0)
    };
    learn(&pace, refusal, now);
    assert_eq!(take_all(&pace, now), (0, 7));
}

#[test]
fn figures_that_cannot_be_hold_nobody_up() {
    let (pace, now) = (Pace::default(), Instant::now());
    let endless = RateInfo {
        refused: Some(Duration::from_secs(86_400)),
        ..told(50, 0)
    };
    let mut far = told(0, 0);
    far.rate.reset = Timestamp::MAX;
    for odd in [told(61, 0), far, endless] {
        learn(&pace, odd, now);
        assert_eq!(take_all(&pace, now), (100, 0), "{odd:?}");
    }
}
