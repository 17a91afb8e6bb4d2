//! The ports of webhook delivery. [`WebhookLinks`] says which addresses are taken,
//! [`WebhookSender`] makes the requests, and [`Mailer`] writes to owners.

use async_trait::async_trait;

/// Says which addresses a webhook may have.
#[async_trait]
pub trait WebhookLinks: Send + Sync + 'static {
    /// Judges an address when a webhook is made or changed. May look up its host. The address starts
    /// with `http://` or `https://`, and has a host but no user name or password.
    ///
    /// # Errors
    /// The address is not taken. The text says what is allowed, and follows the name of the field:
    /// "must start with https://".
    async fn check(&self, url: &str) -> Result<(), String>;
}

/// Takes every address over HTTPS.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpsWebhooks;

#[async_trait]
impl WebhookLinks for HttpsWebhooks {
    async fn check(&self, url: &str) -> Result<(), String> {
        super::ImageLinks::check(&super::HttpsLinks, url)
    }
}

/// Sends webhook requests.
#[async_trait]
pub trait WebhookSender: Send + Sync + 'static {
    /// Sends one request, and returns the answer, whatever its status is.
    ///
    /// Redirects must not be followed, and the address must be judged again, as it is really
    /// connected to. The body of the answer may be read up to 64 kB, or not at all; its beginning is kept
    /// for the owner to look at. The caller drops the future after ten seconds.
    ///
    /// # Errors
    /// There was no answer, or the request was not made.
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure>;
}

/// A webhook request, to be sent as a `POST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRequest {
    /// The address.
    pub url: String,
    /// The headers: names in lower case, and values that are visible ASCII.
    pub headers: Vec<(&'static str, String)>,
    /// The body, which has to be sent as it is: it is signed.
    pub body: Vec<u8>,
}

/// The answer of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status code.
    pub status: u16,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
}

impl WebhookAnswer {
    /// An answer without a body.
    pub fn of(status: u16) -> Self {
        Self {
            status,
            body: Vec::new(),
        }
    }
}

/// The reason for which a request got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// The endpoint gave no answer, which counts as a failed attempt. The sentence is for the owner of
    /// the shop.
    #[error("{0}")]
    NoAnswer(String),
    /// The request was not made, as the sender has no room for it. This is not held against the
    /// endpoint: the delivery stays as it is, and has its turn again in a few seconds.
    #[error("the request was not made")]
    NotTried,
}

/// Sends mail to owners.
#[async_trait]
pub trait Mailer: Send + Sync + 'static {
    /// Hands a message to the mail server. It is tried again later when this fails.
    ///
    /// # Errors
    /// The server did not take it. The text is for the log.
    async fn send(&self, mail: &Mail) -> Result<(), String>;
}

/// A message to an owner, in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The address.
    pub to: String,
    /// The subject, one line.
    pub subject: String,
    /// The text.
    pub text: String,
}
