//! An attack in progress: its victim, and the answers so far.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use futures_util::future::join_all;
use tokio::{
    net::{TcpSocket, TcpStream},
    time::sleep,
};

/// The counts of an attack.
#[derive(Debug, Default)]
pub struct Tally {
    /// The opened connections.
    pub connections: AtomicU64,
    /// The answers, as far as the attack reads them.
    pub answers: AtomicU64,
    /// The answers with a status of 2xx.
    pub served: AtomicU64,
}

impl Tally {
    /// Counts an answer.
    pub(super) fn answered(&self, is_served: bool) {
        self.answers.fetch_add(1, Relaxed);
        self.served.fetch_add(u64::from(is_served), Relaxed);
    }
}

/// The scene of an attack. A clone is the same scene.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The address of the victim.
    pub address: SocketAddr,
    /// The tokens of the attacker, of one account.
    pub tokens: Arc<[String]>,
    /// The path of the many products at the attacker's location.
    pub products: Arc<str>,
    /// The counts.
    pub tally: Arc<Tally>,
    next_token: Arc<AtomicUsize>,
}

impl Scene {
    /// A new scene, without connections or answers.
    pub fn new(address: SocketAddr, tokens: Arc<[String]>, products: Arc<str>) -> Self {
        Self {
            address,
            tokens,
            products,
            tally: Arc::default(),
            next_token: Arc::default(),
        }
    }

    /// Returns the tokens in turn.
    pub(super) fn token(&self) -> &str {
        let turn = self.next_token.fetch_add(1, Relaxed);
        &self.tokens[turn % self.tokens.len()]
    }

    /// Opens a connection.
    pub(super) async fn connect(&self) -> io::Result<TcpStream> {
        self.open(TcpSocket::new_v4()?).await
    }

    /// Opens a connection with a tiny receive buffer for unread data.
    pub(super) async fn connect_narrow(&self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(2048)?;
        self.open(socket).await
    }

    async fn open(&self, socket: TcpSocket) -> io::Result<TcpStream> {
        let stream = socket.connect(self.address).await?;
        stream.set_nodelay(true)?;
        // Thousands of connections a minute would use up the ports of this machine.
        stream.set_zero_linger()?;
        self.tally.connections.fetch_add(1, Relaxed);
        Ok(stream)
    }

    /// Keeps so many workers running; an ended one starts again.
    pub(super) async fn swarm<F>(&self, workers: usize, work: impl Fn(Self) -> F)
    where
        F: Future<Output = io::Result<()>>,
    {
        let worker = |_| async {
            loop {
                // The victim may refuse a connection or cut it: that is its right.
                let _ = work(self.clone()).await;
                sleep(Duration::from_millis(10)).await;
            }
        };
        join_all((0..workers).map(worker)).await;
    }
}

/// Waits for longer than any attack lasts.
pub(super) async fn hold() {
    sleep(Duration::from_secs(3600)).await;
}
