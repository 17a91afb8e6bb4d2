//! A way to the database that breaks off when it is told to.

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering::SeqCst},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// The two directions of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To the database.
    Up,
    /// From the database.
    Down,
}

/// A proxy of this machine in front of a server.
pub(super) struct Proxy {
    pub(super) port: u16,
    state: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The bytes in each direction that still pass; negative when all pass.
    left: [AtomicI64; 2],
    cuts: AtomicU64,
}

impl Proxy {
    pub(super) async fn to(server: u16) -> Self {
        let state = Arc::new(Shared::default());
        for left in &state.left {
            left.store(-1, SeqCst);
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let shared = shared.clone();
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                    client.set_nodelay(true).unwrap();
                    server.set_nodelay(true).unwrap();
                    let ((from_client, to_client), (from_server, to_server)) =
                        (client.split(), server.split());
                    // When one ends, both are dropped, and the connection with them.
                    tokio::select! {
                        () = shared.pass(Way::Up, from_client, to_server) => {}
                        () = shared.pass(Way::Down, from_server, to_client) => {}
                    }
                });
            }
        });
        Self { port, state }
    }

    /// Lets so many more bytes pass in one direction, and then cuts the connection, once.
    pub(super) fn cut(&self, way: Way, after: i64) {
        self.state.left[way as usize].store(after, SeqCst);
    }

    /// Lets everything pass. Returns how often a connection was cut so far.
    pub(super) fn heal(&self) -> u64 {
        for left in &self.state.left {
            left.store(-1, SeqCst);
        }
        self.state.cuts.load(SeqCst)
    }
}

impl Shared {
    async fn pass(
        &self,
        way: Way,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            let left = self.left[way as usize].load(SeqCst);
            let may_pass = usize::try_from(left).map_or(read, |left| left.min(read));
            if to.write_all(&buffer[..may_pass]).await.is_err() {
                return;
            }
            if may_pass < read {
                self.left[way as usize].store(-1, SeqCst);
                self.cuts.fetch_add(1, SeqCst);
                return;
            }
            if left >= 0 {
                self.left[way as usize].fetch_sub(i64::try_from(read).unwrap(), SeqCst);
            }
        }
    }
}
