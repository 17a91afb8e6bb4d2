//! The accept loop, from bind to shutdown.

use std::{fmt, future::Future, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};

use super::{
    App, Certificate, Limits, Load, PlainHttp, StartError, connection,
    connection_registry::Registration,
    shared::{self, Phase, Shared},
};

/// The address to listen at, with its files, proxies and limits.
#[derive(Clone, Debug)]
pub struct Listen {
    /// Address and port; port 0 lets the system choose one.
    pub address: SocketAddr,
    /// The certificate for TLS. Without one, plain HTTP where [`Listen::plain`] allows it.
    pub tls: Option<Certificate>,
    /// The addresses served over plain HTTP, and the trusted proxies.
    pub plain: PlainHttp,
    /// The limits on one client.
    pub limits: Limits,
}

impl Listen {
    /// Plain HTTP on loopback with the default limits.
    pub fn on(address: SocketAddr) -> Self {
        Self {
            address,
            tls: None,
            plain: PlainHttp::default(),
            limits: Limits::default(),
        }
    }
}

/// A bound server. Connections queue up from now on; [`Server::serve`] answers them.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Certificate>,
    plain: PlainHttp,
    limits: Limits,
    load: Load,
}

impl Server {
    /// Checks the settings, and binds the address.
    pub async fn bind(listen: Listen) -> Result<Self, StartError> {
        let Listen {
            address,
            tls,
            plain,
            limits,
        } = listen;
        let reachable = !address.ip().to_canonical().is_loopback();
        if tls.is_none() && reachable && plain == PlainHttp::LoopbackOnly {
            return Err(StartError::PlainHttp { address });
        }
        let bound = |source| StartError::Bind { address, source };
        let listener = listener(address, &limits).map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        Ok(Self {
            listener,
            address,
            tls,
            plain,
            load: Load::new(&limits),
            limits,
        })
    }

    /// The bound address, with the port chosen by the system.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// The address with its scheme, such as `http://127.0.0.1:8080`.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address())
    }

    /// The connections and bytes held, also while it serves.
    pub fn load(&self) -> Load {
        self.load.clone()
    }

    /// Answers connections until `stop` is ready.
    /// Then takes no new ones, closes the idle ones, lets running requests finish for at most
    /// [`Limits::drain`] and returns.
    pub async fn serve<A: App>(self, app: A, stop: impl Future<Output = ()>) {
        let Self {
            listener,
            tls,
            plain,
            limits,
            load,
            ..
        } = self;
        let drain = limits.drain;
        let connections = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let slots = Arc::new(Semaphore::new(connections as usize));
        let http = shared::http(&limits);
        let shared = Arc::new(Shared {
            app,
            limits,
            load,
            plain,
            tls,
            http,
        });
        let (phase, watched) = watch::channel(Phase::Serving);

        let mut stop = pin!(stop);
        loop {
            let next = async {
                let (stream, remote) = accept(&listener).await;
                let registration = shared.enter(remote.ip())?;
                let slot = slot(&slots, &registration).await;
                Some((stream, remote, registration, slot))
            };
            tokio::select! {
                biased;
                () = stop.as_mut() => break,
                next = next => {
                    let Some((stream, remote, registration, slot)) = next else {
                        continue;
                    };
                    let connection =
                        connection::run(shared.clone(), stream, remote, registration, watched.clone());
                    tokio::spawn(async move {
                        connection.await;
                        drop(slot);
                    });
                }
            }
        }
        drop(listener);
        phase.send_replace(Phase::Draining);
        // All slots are free when all connections have ended.
        if timeout(drain, slots.acquire_many(connections))
            .await
            .is_err()
        {
            tracing::warn!("requests are still running after {drain:?}: cutting them");
            phase.send_replace(Phase::Cut);
            let _ = slots.acquire_many(connections).await;
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .field("scheme", &self.scheme())
            .finish_non_exhaustive()
    }
}

/// Binds an address. Settings made here hold for the connections too.
fn listener(address: SocketAddr, limits: &Limits) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // Lets a restart bind at once, while the system still knows the last run's connections.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(limits.send_buffer)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts the next connection.
/// Errors of a single connection are skipped. Errors of the process, such as too many open files, are
/// waited out, longer each time: accepting again at once would only spin.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let mut pause = Duration::from_millis(20);
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_one_connections(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections, trying again in {pause:?}");
                sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
        }
    }
}

/// The capacity of the system's queue of connections.
const BACKLOG: u32 = 1024;

/// The time between two searches for an idle connection to close.
const LOOK: Duration = Duration::from_millis(50);

/// Waits for a free slot.
/// With none free, idle connections have to make room; later connections wait in the system's queue
/// meanwhile. The semaphore is never closed.
async fn slot(slots: &Arc<Semaphore>, newcomer: &Registration) -> Option<OwnedSemaphorePermit> {
    loop {
        if let Ok(slot) = slots.clone().try_acquire_owned() {
            return Some(slot);
        }
        newcomer.make_room();
        if let Ok(slot) = timeout(LOOK, slots.clone().acquire_owned()).await {
            return slot.ok();
        }
    }
}

fn is_one_connections(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}
