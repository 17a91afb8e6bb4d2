//! A well-behaved client at another address, and its waiting times.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpSocket, TcpStream},
    runtime::Builder,
    time::timeout,
};

/// The time between two requests, even if the last is unanswered.
const PACE: Duration = Duration::from_millis(20);
/// The number of requests on one connection.
const ANEW: u32 = 5;
/// The longest wait for an answer; then the request has failed.
const PATIENCE: Duration = Duration::from_secs(5);
/// The address of this client, to share no limit with the attacker.
const HERE: [u8; 4] = [127, 0, 0, 2];

/// The waiting times of a well-behaved client.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The time from due to answered for each request, sorted.
    pub times: Vec<Duration>,
    /// Requests refused, cut or not answered in time.
    pub failed: usize,
}

impl Waiting {
    /// A percentile of the waiting times; failed requests count as the longest.
    pub fn percentile(&self, percent: usize) -> Duration {
        let all = self.times.len() + self.failed;
        let rank = (all * percent).div_ceil(100).saturating_sub(1);
        self.times.get(rank).copied().unwrap_or(PATIENCE)
    }
}

/// A client on a thread of its own, sending until stopped.
pub struct Bystander {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Waiting>,
}

impl Bystander {
    /// Begins to send, with these tokens in turn.
    pub fn start(address: SocketAddr, tokens: Arc<[String]>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || send(address, &tokens, &stopped));
        Self { stop, thread }
    }

    /// Stops sending.
    ///
    /// # Panics
    /// The client panicked.
    pub fn stop(self) -> Waiting {
        self.stop.store(true, Relaxed);
        self.thread.join().expect("a client that does not panic")
    }
}

/// Sends until stopped.
/// A runtime of its own keeps the attack from delaying it.
fn send(address: SocketAddr, tokens: &[String], stopped: &AtomicBool) -> Waiting {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let mut waiting = Waiting::default();
    let (mut kept, began) = (None, Instant::now());
    for turn in 0.. {
        if stopped.load(Relaxed) {
            break;
        }
        let due = began + PACE * turn;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let token = &tokens[turn as usize % tokens.len()];
        if turn.is_multiple_of(ANEW) {
            kept = None;
        }
        let answer = async { timeout(PATIENCE, ask(&mut kept, address, token)).await };
        match runtime.block_on(answer) {
            Ok(Ok(())) => waiting.times.push(due.elapsed()),
            Ok(Err(_)) | Err(_) => {
                kept = None;
                waiting.failed += 1;
            }
        }
    }
    waiting.times.sort();
    waiting
}

/// Exchanges a request and its answer, on the kept or a new connection.
async fn ask(
    kept: &mut Option<BufReader<TcpStream>>,
    address: SocketAddr,
    token: &str,
) -> io::Result<()> {
    if kept.is_none() {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((HERE, 0)))?;
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        *kept = Some(BufReader::new(stream));
    }
    let stream = kept.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    let request = format!(
        "GET /v1/locations HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.get_mut().write_all(request.as_bytes()).await?;
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    if !line.starts_with("HTTP/1.1 200") {
        return Err(io::Error::other(line));
    }
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        if name == "content-length" {
            length = value.parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.map(drop)
}
