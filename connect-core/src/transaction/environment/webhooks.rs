//! The ports of webhook delivery.
//! [`WebhookLinks`] checks addresses, [`WebhookSender`] makes the requests, and [`Mailer`] sends
//! mail to owners.

use async_trait::async_trait;

/// Checks the addresses of webhooks.
#[async_trait]
pub trait WebhookLinks: Send + Sync + 'static {
    /// Checks the address of a created or changed webhook.
    /// May look up its host. The address starts with `http://` or `https://`, and has a host but no
    /// user name or password.
    ///
    /// # Errors
    /// The address is not accepted. The text says the rule, and follows the name of the field:
    /// "must start with https://".
    async fn check(&self, url: &str) -> Result<(), String>;
}

/// Accepts every address over HTTPS.
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
    /// Sends one request, and returns the answer of any status.
    ///
    /// Redirects must not be followed, and the address must be checked again as resolved for the
    /// connection. Up to 64 kB of the answer's body may be read, or none of it; its beginning is
    /// stored for the owner. The caller drops the future after ten seconds.
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
    /// The headers: names in lower case, values in visible ASCII.
    pub headers: Vec<(&'static str, String)>,
    /// The signed body, to be sent byte for byte.
    pub body: Vec<u8>,
}

/// The answer of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status code.
    pub status: u16,
    /// The body, as far as read.
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

/// The reason of a request without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// The endpoint gave no answer: a failed attempt.
    /// The sentence is for the owner of the shop.
    #[error("{0}")]
    NoAnswer(String),
    /// The request was not made, as the sender is full.
    /// It does not count as a failure of the endpoint: the delivery stays as it is, and is tried
    /// again in a few seconds.
    #[error("the request was not made")]
    NotTried,
}

/// Sends mail to owners.
#[async_trait]
pub trait Mailer: Send + Sync + 'static {
    /// Hands a message to the mail server. A failed message is retried later.
    ///
    /// # Errors
    /// The server did not accept it. The text is for the log.
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
