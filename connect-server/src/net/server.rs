//! The accept loop, from bind to shutdown.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    time::{sleep, timeout},
};

use super::{
    App, Certificate, Limits, Load, Peer, PlainHttp, StartError,
    activity::Stage,
    connection,
    shared::{self, Connection, Shared},
};

/// The capacity of the system's queue of connections.
const BACKLOG: u32 = 1024;

/// The pause after an error of the process while accepting.
const PAUSE: Duration = Duration::from_millis(200);

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
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    /// With the bound address.
    listen: Listen,
    load: Load,
}

impl Server {
    /// Checks the settings, and binds the address.
    pub async fn bind(mut listen: Listen) -> Result<Self, StartError> {
        let address = listen.address;
        let is_reachable = !address.ip().to_canonical().is_loopback();
        if listen.tls.is_none() && is_reachable && listen.plain == PlainHttp::LoopbackOnly {
            return Err(StartError::PlainHttp { address });
        }
        let bound = |source| StartError::Bind { address, source };
        let listener = listener(address, &listen.limits).map_err(bound)?;
        listen.address = listener.local_addr().map_err(bound)?;
        Ok(Self {
            listener,
            load: Load::new(&listen.limits),
            listen,
        })
    }

    /// The bound address, with the port chosen by the system.
    pub fn address(&self) -> SocketAddr {
        self.listen.address
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        self.listen.tls.as_ref().map_or("http", |_| "https")
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
            listen,
            load,
        } = self;
        let drain = listen.limits.drain;
        let shared = Arc::new(Shared {
            app,
            http: shared::http(&listen.limits),
            limits: listen.limits,
            load: load.clone(),
            plain: listen.plain,
            tls: listen.tls,
        });
        tokio::select! {
            biased;
            () = stop => {}
            () = accept_all(&listener, &shared) => {}
        }
        drop(listener);
        load.enter_all(Stage::Draining);
        if timeout(drain, load.all_ended()).await.is_err() {
            tracing::warn!("requests are still running after {drain:?}: cutting them");
            load.enter_all(Stage::Cut);
            load.all_ended().await;
        }
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

/// Accepts connections, and serves each in a task of its own.
async fn accept_all<A: App>(listener: &TcpListener, shared: &Arc<Shared<A>>) {
    loop {
        let (stream, remote) = accept(listener).await;
        // Each trusted proxy speaks for many clients.
        let address = (!shared.is_proxy(remote.ip())).then_some(remote.ip());
        let Some(activity) = shared.load.enter(address, &shared.limits).await else {
            tracing::debug!(%remote, "too many connections from one address: closing one at once");
            continue;
        };
        let peer = Peer::new(remote.ip(), shared.tls.is_some());
        let connection = Connection {
            shared: shared.clone(),
            activity,
            remote,
            peer,
        };
        tokio::spawn(connection::run(Arc::new(connection), stream));
    }
}

/// Accepts the next connection.
/// Errors of a single connection are skipped. Errors of the process, such as too many open files, are
/// waited out: accepting again at once would only spin.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        let error = match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => error,
        };
        let kind = error.kind();
        if [ConnectionAborted, ConnectionRefused, ConnectionReset].contains(&kind) {
            continue;
        }
        tracing::warn!(%error, "cannot accept connections, trying again in {PAUSE:?}");
        sleep(PAUSE).await;
    }
}
