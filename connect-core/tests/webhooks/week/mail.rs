//! The mail server, and a book of the messages that it took.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use async_trait::async_trait;
use connect_core::environment::{Mail, Mailer};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::time::sleep;
use uuid::Uuid;

use super::{clock::SetClock, history::History};

/// A message to an owner.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    /// The webhook that was switched off.
    pub(super) webhook: Uuid,
    /// The process that sent it.
    pub(super) life: usize,
    /// The number of deeds that were done before.
    pub(super) place: usize,
    /// The clock was set around it, so leases may have ended early.
    pub(super) is_near_step: bool,
}

/// A mail server that refuses some messages, and is slow with others.
pub(super) struct Post {
    clock: Arc<SetClock>,
    history: Arc<History>,
    rng: Mutex<StdRng>,
    is_well: AtomicBool,
    letters: Mutex<Vec<Letter>>,
}

impl Post {
    pub(super) fn new(clock: Arc<SetClock>, history: Arc<History>, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            clock,
            history,
            rng: Mutex::new(StdRng::seed_from_u64(seed)),
            is_well: AtomicBool::new(false),
            letters: Mutex::default(),
        })
    }

    /// It takes everything from now on.
    pub(super) fn heal(&self) {
        self.is_well.store(true, Relaxed);
    }

    /// The messages that were taken, in their order.
    pub(super) fn letters(&self) -> Vec<Letter> {
        self.letters.lock().unwrap().clone()
    }

    /// The mail server as a process reaches it.
    pub(super) fn of_life(self: &Arc<Self>, life: usize) -> Arc<Line> {
        let post = self.clone();
        Arc::new(Line { post, life })
    }
}

/// The way from a process to the mail server.
pub(super) struct Line {
    post: Arc<Post>,
    life: usize,
}

#[async_trait]
impl Mailer for Line {
    async fn send(&self, mail: &Mail) -> Result<(), String> {
        let post = &*self.post;
        let (fate, pause) = {
            let mut rng = post.rng.lock().unwrap();
            (rng.random_range(0..8), rng.random_range(0..3000))
        };
        sleep(Duration::from_millis(pause)).await;
        match fate {
            _ if post.is_well.load(Relaxed) => {}
            0 => return std::future::pending().await,
            1 | 2 => return Err("the mailbox is full".to_owned()),
            _ => {}
        }
        let mut words = mail.text.split_whitespace();
        let webhook = words.find_map(|word| word.parse().ok()).unwrap();
        post.letters.lock().unwrap().push(Letter {
            webhook,
            life: self.life,
            place: post.history.place(),
            is_near_step: post.clock.was_set(),
        });
        Ok(())
    }
}
