//! The settings of a client.

mod build;
mod env;

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    error::SettingsError,
    pipeline::{Retry, RetryPolicy, base_url::BaseUrl, retry::OnRetry, token::Token},
    transport::{Bodies, Proxy, Transport},
};

/// Limit on connecting unless set otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit on one attempt unless set otherwise.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// Requests at a time unless set otherwise.
const MAX_IN_FLIGHT: usize = 32;
/// Largest response unless set otherwise.
/// It is many times the largest possible page.
const MAX_RESPONSE_BYTES: usize = 16 * 1024 * 1024;
const USER_AGENT: &str = concat!("connect-client/", env!("CARGO_PKG_VERSION"));

/// The settings of a [`Client`](crate::Client).
/// [`Client::builder`](crate::Client::builder) makes them.
#[must_use]
pub struct ClientBuilder {
    base: Result<BaseUrl, SettingsError>,
    token: Token,
    user_agent: String,
    allow_plain_http: bool,
    connect_timeout: Option<Duration>,
    request_timeout: Duration,
    max_in_flight: usize,
    pacing: bool,
    retry: RetryPolicy,
    on_retry: Option<OnRetry>,
    root_certificates: Vec<Vec<u8>>,
    client_certificate: Option<Vec<u8>>,
    proxy: Proxy,
    bodies: Bodies,
    way: Way,
}

/// The transport of requests.
enum Way {
    OwnPool,
    Pool(reqwest::Client),
    Transport(Arc<dyn Transport>),
}

impl ClientBuilder {
    pub(crate) fn new(base: &str, token: String) -> Self {
        Self {
            base: BaseUrl::parse(base),
            token: Token::new(token),
            user_agent: USER_AGENT.to_owned(),
            allow_plain_http: false,
            connect_timeout: None,
            request_timeout: REQUEST_TIMEOUT,
            max_in_flight: MAX_IN_FLIGHT,
            pacing: true,
            retry: RetryPolicy::default(),
            on_retry: None,
            root_certificates: Vec::new(),
            client_certificate: None,
            proxy: Proxy::Environment,
            bodies: Bodies {
                max_response_bytes: MAX_RESPONSE_BYTES,
                #[cfg(feature = "gzip")]
                compress_requests: false,
            },
            way: Way::OwnPool,
        }
    }

    /// Limits connecting, including TLS.
    /// Unless set 10 s, or half of the [`request_timeout`](Self::request_timeout) if shorter.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = Some(limit);
        self
    }

    /// Limits one attempt, including reading the response.
    /// 20 s unless set. [`RetryPolicy::budget`] limits a whole call with its retries.
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.request_timeout = limit;
        self
    }

    /// Limits the concurrent requests of this client and its clones.
    /// 32 unless set; 0 counts as 1. Further calls wait for their turn, within their own time. The last
    /// part of it, at least a second, is reserved for the attempt. A call without a turn before then is
    /// not sent, and fails with [`Fault::Busy`](crate::transport::Fault::Busy).
    pub fn max_in_flight(mut self, limit: usize) -> Self {
        self.max_in_flight = limit;
        self
    }

    /// Sets whether requests wait while the rate limit is used up.
    /// The rate limit is known from the service's answers. `true` unless set. A call with too little
    /// time left after the wait is sent at once, and refused by the service.
    pub fn pacing(mut self, on: bool) -> Self {
        self.pacing = on;
        self
    }

    /// Sets the rules for repeating failed requests.
    /// Unless set, the defaults of [`RetryPolicy`] apply.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Calls this before each wait for another attempt.
    /// Use it to count or report retries. It must return at once. With the feature `tracing` each retry
    /// is an event as well.
    ///
    /// ```
    /// # use connect_client::{Client, Error};
    /// # fn example(token: &str) -> Result<Client, Error> {
    /// Client::builder("https://pos.example.com/v1", token)
    ///     .on_retry(|retry| eprintln!("{}: {}, again in {:?}", retry.path, retry.error, retry.wait))
    ///     .build()
    /// # }
    /// ```
    pub fn on_retry(mut self, hook: impl Fn(&Retry<'_>) + Send + Sync + 'static) -> Self {
        self.on_retry = Some(Box::new(hook));
        self
    }

    /// Puts your program's name in front of the SDK's in `User-Agent`.
    /// Visible ASCII characters and blanks are allowed, such as `menu-sync/1.4`. With any other
    /// character [`build`](Self::build) fails with [`SettingsError::UserAgent`].
    pub fn user_agent(mut self, program: impl AsRef<str>) -> Self {
        self.user_agent = format!("{} {USER_AGENT}", program.as_ref());
        self
    }

    /// Trusts the certificates in this PEM text besides the system's.
    /// It serves services with self-made certificates. May be called several times. When a text is not
    /// PEM, or has no certificate, [`build`](Self::build) fails with [`SettingsError::Certificate`].
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Sets the client certificate for the service.
    /// The PEM text has the certificate, any intermediate certificates, and the private key (PKCS #8,
    /// PKCS #1 or SEC 1, not encrypted). No error and no `Debug` output shows it.
    pub fn client_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.client_certificate = Some(pem.into());
        self
    }

    /// Sends requests through this proxy.
    /// An example is `http://proxy.example.com:3128`. The address may hold a user name and a password;
    /// no error and no `Debug` output shows it.
    ///
    /// Unless set, the proxy from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) is used,
    /// except for an address on this machine.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Proxy::Url(url.into());
        self
    }

    /// Sends requests without a proxy, even if the environment names one.
    pub fn no_proxy(mut self) -> Self {
        self.proxy = Proxy::None;
        self
    }

    /// Accepts plain `http` for any host.
    /// The network can then read the token and all data.
    pub fn allow_plain_http(mut self) -> Self {
        self.allow_plain_http = true;
        self
    }

    /// Limits the size of a response body, in bytes.
    /// The limit applies before and after decompression. 16 MiB unless set. A larger body is not read
    /// to its end, and the call fails with [`Fault::TooLarge`](crate::transport::Fault::TooLarge).
    pub fn max_response_bytes(mut self, limit: usize) -> Self {
        self.bodies.max_response_bytes = limit;
        self
    }

    /// Sets whether bodies of 1000 bytes and more are compressed with gzip.
    /// `false` unless set. A batch shrinks to about a tenth, for some milliseconds of processor time on
    /// either side. A [`transport`](Self::transport) of your own gets uncompressed bodies.
    #[cfg(feature = "gzip")]
    pub fn compress_requests(mut self, on: bool) -> Self {
        self.bodies.compress_requests = on;
        self
    }

    /// Sends requests through this transport, for example in tests.
    /// Then no setting of connections is allowed, as with [`http_client`](Self::http_client), and
    /// [`max_response_bytes`](Self::max_response_bytes) has no effect: the transport limits bodies
    /// itself.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.way = Way::Transport(Arc::new(transport));
        self
    }

    /// Sends requests with this reqwest client instead of the SDK's own.
    /// For example, several clients can share its connection pool. Make it with
    /// [`http_client_builder`](crate::transport::http_client_builder), with TLS already configured.
    ///
    /// [`connect_timeout`](Self::connect_timeout), [`root_certificate`](Self::root_certificate),
    /// [`client_certificate`](Self::client_certificate), [`proxy`](Self::proxy) and
    /// [`no_proxy`](Self::no_proxy) are then settings of the given client. If one of them is set here
    /// as well, [`build`](Self::build) fails with [`SettingsError::Contradiction`].
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.way = Way::Pool(client);
        self
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("base", &self.base)
            .field("token", &self.token)
            .field("user_agent", &self.user_agent)
            .field("request_timeout", &self.request_timeout)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
