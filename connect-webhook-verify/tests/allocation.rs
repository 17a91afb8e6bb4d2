//! Counts what `verify` asks of the allocator: nothing.
//!
//! A binary of its own, for the counting allocator is the whole process's.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::hint::black_box;

use connect_webhook_verify::{Secret, Verifier, sign};

/// How often the allocator was asked for memory by this thread while `work` ran.
fn allocations<T>(work: impl FnOnce() -> T) -> u64 {
    let counted = allocation_counter::measure(|| {
        black_box(work());
    });
    counted.count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| Box::new(1)), 1);
    assert_eq!(allocations(|| vec![1; 100]), 1);
}

#[test]
fn verify_allocates_nothing() {
    const NOW: u64 = 1_700_000_000;
    let secrets = ["whsec_new", "whsec_old"].map(|text| Secret::new(text).unwrap());
    let verifier = Verifier::new(secrets.clone());
    let body = vec![b'x'; 10_000];
    let good = secrets[1].sign(NOW, &body);
    for count in 0..=40 {
        let wrong = format!(",v1={}", "0".repeat(64)).repeat(count);
        let accepted = format!("t={NOW}{wrong},v1={good}");
        let refused = format!("t={NOW}{wrong},v1=");
        assert_eq!(
            allocations(|| verifier.verify(&accepted, &body, NOW).unwrap()),
            0
        );
        assert_eq!(
            allocations(|| verifier.verify(&refused, &body, NOW).unwrap_err()),
            0
        );
    }
    for header in ["", "t=", "t=1,v1=", "t=1,t=1", "x"] {
        assert_eq!(
            allocations(|| verifier.verify(header, &body, NOW).unwrap_err()),
            0
        );
    }
    #[cfg(feature = "std")]
    assert_eq!(
        allocations(|| verifier.verify_now("t=1,v1=", &body).unwrap_err()),
        0
    );
}

#[cfg(feature = "http")]
#[test]
fn verify_headers_allocates_nothing() {
    use connect_webhook_verify::http::SIGNATURE;
    let secret = Secret::new("whsec_test_secret").unwrap();
    let headers = http::HeaderMap::from_iter([(SIGNATURE, sign(&secret, 1, "{}").into())]);
    let verifier = Verifier::new(secret);
    assert_eq!(
        allocations(|| verifier.verify_headers(&headers, "{}", 1).unwrap()),
        0
    );
}

#[test]
fn neither_a_secret_nor_a_signature_allocates() {
    use std::fmt::Write;

    struct Count(usize);
    impl Write for Count {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let work = || {
        let secret = Secret::new("whsec_test_secret").unwrap();
        let mut written = Count(0);
        write!(written, "{}", sign(&secret, 1_700_000_000, "{}")).unwrap();
        assert_eq!(written.0, "t=1700000000,v1=".len() + 64);
    };
    assert_eq!(allocations(work), 0);
}
