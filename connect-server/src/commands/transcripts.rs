//! What transcripts of tests share: a comparison with files, and endpoints of webhooks.

use std::{
    env, fs,
    path::Path,
    sync::atomic::{AtomicU16, Ordering},
};

use connect_core::environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender};

/// The letters and digits of a secret or a form token, at least.
const SECRET: usize = 20;

/// The beginnings of tokens, keys and secrets.
const PREFIXES: [&str; 4] = ["ck_live_", "ck_test_", "dk_", "whsec_"];

/// Holds a text against a file of this crate. `UPDATE_EXPECTED=1` writes the file.
#[track_caller]
pub(crate) fn assert_is(text: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let place = differs.map_or("its length".to_owned(), |at| format!("line {}", at + 1));
    assert!(text == expected, "not as in {file}: {place}\n{text}");
}

/// Replaces secrets, their beginnings and tokens of forms, different in each run.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut left = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let letters = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_long = letters.len() >= SECRET && letters.contains(|c: char| c.is_ascii_digit());
        let is_beginning = PREFIXES.iter().any(|prefix| left.ends_with(prefix));
        match is_long || is_beginning {
            true => left = left + "..." + &word[letters.len()..],
            false => left += word,
        }
    }
    left
}

/// Endpoints of webhooks, all answering with one status.
#[derive(Default)]
pub(crate) struct Endpoints(AtomicU16);

impl Endpoints {
    /// Answers with this status from now on.
    pub(crate) fn answer(&self, status: u16) {
        self.0.store(status, Ordering::Relaxed);
    }
}

#[async_trait::async_trait]
impl WebhookSender for Endpoints {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Ok(WebhookAnswer::of(self.0.load(Ordering::Relaxed)))
    }
}
