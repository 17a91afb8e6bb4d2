//! The common parts of transcripts of tests: their stage, and a comparison with files.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
};

use async_trait::async_trait;
use connect_core::{
    Connect, ConnectBuilder, MailWorker, WebhookWorker,
    environment::{
        Mail, Mailer, ManualClock, SendFailure, SequentialIds, WebhookAnswer, WebhookRequest,
        WebhookSender,
    },
    storage::memory::MemoryStorage,
    wire::Timestamp,
};

/// The letters and digits of a secret or a form token, at least.
const SECRET: usize = 20;

/// The beginnings of tokens, keys and secrets.
const PREFIXES: [&str; 4] = ["ck_live_", "ck_test_", "dk_", "whsec_"];

/// Returns the path of a file of this crate.
fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Returns the steps of a transcript: its lines behind `> `.
pub(crate) fn steps(file: &str) -> Vec<String> {
    let text = fs::read_to_string(path(file)).unwrap();
    let steps = text.lines().filter_map(|line| line.strip_prefix("> "));
    steps.map(str::to_owned).collect()
}

/// Holds a text against a file of this crate. `UPDATE_EXPECTED=1` writes the file.
#[track_caller]
pub(crate) fn assert_is(text: &str, file: &str) {
    let path = path(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let place = differs.map_or("its length".to_owned(), |at| format!("line {}", at + 1));
    assert!(text == expected, "not as in {file}: {place}\n{text}");
}

/// Replaces recovery codes, such as `abcd-efgh-ijkm-npqr`.
fn without_recovery_codes(text: &str) -> String {
    let is_part = |part: &str| {
        part.len() == 4
            && part
                .bytes()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let word = |word: &str| {
        let parts: Vec<_> = word.split('-').collect();
        match parts.len() == 4 && parts.into_iter().all(is_part) {
            true => "....".to_owned(),
            false => word.to_owned(),
        }
    };
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let words = words.map(|with_end| {
        let end = with_end.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let begin = &with_end[..with_end.len() - end.len()];
        word(begin) + end
    });
    words.collect()
}

/// Replaces secrets, their beginnings, recovery codes and tokens of forms, different in each run.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut left = String::new();
    let text = &without_recovery_codes(text);
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

/// The core of a transcript: an empty store, a still clock, counted ids, and endpoints of webhooks.
pub(crate) struct Stage {
    pub(crate) connect: Connect,
    clock: Arc<ManualClock>,
    endpoints: Arc<Endpoints>,
    worker: WebhookWorker,
    mails: Arc<Mails>,
    mail_worker: MailWorker,
}

/// A mail server, and its messages.
#[derive(Default)]
struct Mails(Mutex<Vec<Mail>>);

#[async_trait]
impl Mailer for Mails {
    async fn send(&self, mail: &Mail) -> Result<(), String> {
        self.0.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of(|builder| builder)
    }

    /// One with mail to users.
    pub(crate) fn with_mail() -> Self {
        Self::of(ConnectBuilder::queue_mail)
    }

    fn of(with: impl Fn(ConnectBuilder) -> ConnectBuilder) -> Self {
        let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
        let builder = Connect::builder(Arc::new(MemoryStorage::new()))
            .clock(clock.clone())
            .ids(Arc::new(SequentialIds::default()));
        let connect = with(builder).build();
        let mails = Arc::<Mails>::default();
        let endpoints = Arc::<Endpoints>::default();
        Self {
            worker: connect.webhook_worker(endpoints.clone(), None),
            mail_worker: connect.mail_worker(mails.clone(), "http://owner/dashboard"),
            mails,
            connect,
            clock,
            endpoints,
        }
    }

    /// Does a step common to all transcripts. Returns the visible result; `None` for another step.
    ///
    /// `wait 60` turns the clock, in seconds. `mail` sends the waiting mail, and shows it. `deliver 500` sends all due webhooks, to endpoints answering with this
    /// status.
    pub(crate) async fn step(&self, words: &[&str]) -> Option<String> {
        match words {
            ["wait", seconds] => {
                self.clock.advance(seconds.parse().unwrap());
                Some(String::new())
            }
            ["deliver", status] => {
                let status = status.parse().unwrap();
                self.endpoints.0.store(status, Ordering::Relaxed);
                Some(format!("{:?}", self.worker.tick().await.unwrap()))
            }
            ["mail"] => {
                // A link for a forgotten password is queued by a task of its own.
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
                self.mail_worker.tick().await.unwrap();
                let sent = std::mem::take(&mut *self.mails.0.lock().unwrap());
                let lines = sent.iter().map(|mail| {
                    format!(
                        "To: {}\nSubject: {}\n\n{}",
                        mail.to, mail.subject, mail.text
                    )
                });
                Some(lines.collect::<Vec<_>>().join("\n").trim_end().to_owned())
            }
            _ => None,
        }
    }
}

/// Endpoints of webhooks, all answering with one status.
#[derive(Default)]
struct Endpoints(AtomicU16);

#[async_trait]
impl WebhookSender for Endpoints {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Ok(WebhookAnswer::of(self.0.load(Ordering::Relaxed)))
    }
}
