//! All tests but the count of allocations, in one binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::print_stdout,
    reason = "it says which interpreters were left out"
)]

mod all {
    mod errors;
    mod filters;
    mod hints;
    mod http;
    mod properties;
    mod receivers;
    mod rolling;
    mod secrecy;
    mod support;
    mod vectors;
}
