//! A day with a roll, second by second where it matters.

use connect_webhook_verify::{Secret, Verifier, sign};

use super::support::NOW;

const DAY: u64 = 24 * 60 * 60;

#[test]
fn no_delivery_is_lost_whenever_the_receiver_changes_over_within_the_day() {
    let [new, old] = ["whsec_new", "whsec_old"].map(|text| Secret::new(text).unwrap());
    let rolled = NOW;
    // What the sender signs with at a time, and what the receiver knows then.
    let sender = |at: u64| match at {
        at if at < rolled => vec![old.clone()],
        at if at < rolled + DAY => vec![new.clone(), old.clone()],
        _ => vec![new.clone()],
    };
    for (adds, removes) in [(1, DAY), (1, 2), (DAY / 2, DAY + 1), (DAY - 1, DAY)] {
        let receiver = |at: u64| match at {
            at if at < rolled + adds => vec![old.clone()],
            at if at < rolled + removes => vec![new.clone(), old.clone()],
            _ => vec![new.clone()],
        };
        for step in (0..2 * DAY + 60)
            .step_by(41)
            .chain([DAY - 1, DAY, 2 * DAY - 1, 2 * DAY])
        {
            let at = rolled - DAY + step;
            let header = sign(&sender(at), at, "{}").to_string();
            let verified = Verifier::new(receiver(at)).verify(header, "{}", at);
            assert!(verified.is_ok(), "{step} s: {verified:?}");
        }
    }
}

#[test]
fn the_sender_signs_with_each_secret_in_turn() {
    let secrets = ["whsec_new", "whsec_old"].map(|text| Secret::new(text).unwrap());
    let header = sign(&secrets, NOW, "{}").to_string();
    let [new, old] = secrets.map(|secret| secret.sign(NOW, "{}").to_string());
    assert_eq!(header, format!("t={NOW},v1={new},v1={old}"));
}
