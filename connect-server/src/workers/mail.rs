//! E-mail to owners: the adapter behind the core's port [`Mailer`], over SMTP.

use std::{fmt, str::FromStr as _, time::Duration};

use async_trait::async_trait;
use connect_core::environment::{Mail, Mailer};
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};
use tokio::time::timeout;
use url::{Host, Url};

use super::outbound::install_provider;

/// The time limit for handing a message to the mail server.
const DEADLINE: Duration = Duration::from_secs(10);

/// The address of a mail server, with a password: `smtps://user:password@mail.example`.
/// It is never shown. Only [`SmtpMailer::new`] checks it, because a refused argument is printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl(String);

impl From<String> for SmtpUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpUrl(..)")
    }
}

/// Mail cannot be sent with this configuration.
/// The text holds no part of the address.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address of the mail server {0}")]
pub struct SmtpError(&'static str);

/// Sends mail through a mail server.
#[derive(Clone, Debug)]
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl SmtpMailer {
    /// Prepares sending through the server at `url`, in the name of `from`.
    /// Does not connect yet.
    ///
    /// # Errors
    /// The address is not one of a mail server, or would send mail to another machine without TLS.
    pub fn new(url: &SmtpUrl, from: Mailbox) -> Result<Self, SmtpError> {
        install_provider();
        check(&url.0)?;
        // The library's error may quote the address.
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(&url.0)
            .map_err(|_| SmtpError("cannot be used"))?;
        let transport = builder.timeout(Some(DEADLINE)).build();
        Ok(Self { transport, from })
    }
}

/// Checks the secrecy of messages and a password on their way: messages have links to set passwords.
fn check(url: &str) -> Result<(), SmtpError> {
    let url = Url::parse(url).map_err(|_| SmtpError("is no address such as smtps://host"))?;
    let wants_tls = url
        .query_pairs()
        .any(|pair| pair == ("tls".into(), "required".into()));
    let is_secret = match url.scheme() {
        "smtps" => true,
        "smtp" => wants_tls,
        _ => return Err(SmtpError("must start with smtps:// or smtp://")),
    };
    let is_near = match url.host() {
        None => return Err(SmtpError("has no host")),
        // In schemes outside the web, hosts are not parsed as addresses.
        Some(Host::Domain(host)) => {
            host == "localhost"
                || host
                    .parse()
                    .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
    };
    if !is_secret && !is_near {
        return Err(SmtpError(
            "is on another machine, and mail has links to set passwords, which may only be sent over TLS: use \
             smtps://, or smtp:// with \"?tls=required\"",
        ));
    }
    Ok(())
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), String> {
        let to = Mailbox::from_str(&mail.to)
            .map_err(|_| "the owner's address is no e-mail address".to_owned())?;
        let message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(&mail.subject)
            .message_id(None)
            .header(ContentType::TEXT_PLAIN)
            .body(mail.text.clone())
            .map_err(|error| error.to_string())?;
        match timeout(DEADLINE, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(reason(&error)),
            Err(_) => Err("the mail server did not answer in time".to_owned()),
        }
    }
}

/// Returns the reason without the words of the mail server.
/// They may repeat the message.
fn reason(error: &lettre::transport::smtp::Error) -> String {
    match error.status() {
        Some(code) => format!("the mail server answered {code}"),
        None => error.to_string(),
    }
}
