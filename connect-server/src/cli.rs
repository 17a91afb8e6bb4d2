//! The command line.

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

use clap::{Args, Parser, Subcommand};
use connect_core::{RateLimits, wire::limits};
use lettre::message::Mailbox;

use crate::{
    admin::{
        accounts::AccountCommand, locations::LocationCommand, screens::ScreenCommand,
        tokens::TokenCommand, webhooks::WebhookCommand,
    },
    images::{DEFAULT_DEADLINE, PublicUrl},
    mail::{SmtpError, SmtpMailer, SmtpUrl},
    net::{PlainHttp, TlsFiles, TrustedProxies},
    networks::Networks,
};

/// The reference server of Connect: a shop's catalog for other software, over HTTP.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of the server.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a store. A new store is empty.
    Serve(Options),
    /// Serve a store with a sandbox account and a shop to try things out, and print a token.
    Demo(Options),
    /// Check every row of a store that no server has open, and that the rows agree with each
    /// other.
    ///
    /// Exits with 0 when nothing is wrong, 1 when something is, and 2 when the store could not be
    /// checked.
    Check(CheckOptions),
    /// Make, change and list accounts: the businesses that the service is for. Works beside a
    /// running server, and without one.
    Account {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// Make, change and list locations: the shops of an account. Works beside a running server, and
    /// without one.
    Location {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: LocationCommand,
    },
    /// Make, list and revoke tokens, by which other software uses the API. Works beside a running
    /// server, and without one.
    Token {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Make, change, list and delete screens, and give them keys: registers, kiosks, and Scan &
    /// Order. Works beside a running server, and without one.
    Screen {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: ScreenCommand,
    },
    /// Make, change, test and list webhooks: addresses to which events are sent. Works beside a
    /// running server, and without one.
    Webhook {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: WebhookCommand,
    },
}

/// The options of a command of the operator.
#[derive(Clone, Debug, Args)]
pub struct AdminOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Print the result as JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The place of the store.
#[derive(Clone, Debug, Args)]
pub struct StoreOptions {
    /// The directory for the data [default: "connect" in the user's data folder]
    #[arg(long, value_name = "DIR", env = "CONNECT_DATA", global = true)]
    pub data: Option<PathBuf>,
    /// The store of the records: "redb:PATH", "sled:PATH", or "memory" [default: redb in "store" of
    /// the data directory]
    #[arg(long, value_name = "STORAGE", global = true)]
    pub storage: Option<StorageChoice>,
    /// The memory that the store may use as a cache, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256, global = true)]
    pub cache: u64,
}

/// The options of a check.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The options of serving.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Start although the machine's clock differs much from the time at which this store was last
    /// served.
    #[arg(long)]
    pub trust_clock: bool,
    /// The address of the API; port 0 lets the system choose one.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The owner's own address, on this machine only.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0", value_parser = loopback)]
    pub admin_listen: SocketAddr,
    /// Requests per minute and token.
    #[arg(long, value_name = "N", default_value_t = limits::DEFAULT_TOKEN_LIMIT)]
    pub token_limit: u32,
    /// Requests per minute and account, all its tokens together.
    #[arg(long, value_name = "N", default_value_t = limits::DEFAULT_ACCOUNT_LIMIT)]
    pub account_limit: u32,
    /// Requests without a valid token per minute and address.
    #[arg(long, value_name = "N", default_value_t = limits::DEFAULT_ADDRESS_LIMIT)]
    pub ip_limit: u32,
    /// The certificate chain for HTTPS, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key for HTTPS, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Serve plain HTTP on any address. Tokens can then be read on the way.
    #[arg(long, conflicts_with_all = ["tls_cert", "trusted_proxy"])]
    pub insecure_http: bool,
    /// Proxies that end TLS in front of this server: addresses or networks, with commas between.
    #[arg(long, value_name = "NETS")]
    pub trusted_proxy: Option<TrustedProxies>,
    /// Images.
    #[command(flatten)]
    pub images: ImageOptions,
    /// Webhooks.
    #[command(flatten)]
    pub webhooks: WebhookOptions,
    /// E-mail.
    #[command(flatten)]
    pub mail: MailOptions,
    /// Print where and how to connect as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options for taking over the images of products.
#[derive(Clone, Debug, Args)]
pub struct ImageOptions {
    /// The directory for the copies of images [default: "images" beside the store; with
    /// "--storage memory" in memory]
    #[arg(long = "images", value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The address at which everybody reaches this server, for the links to images and in the API
    /// document [default: links have the address that is listened on, and the document "/v1"]
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// The time that the download of an image may take, in seconds, at most 60.
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_DEADLINE.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=60))]
    pub image_timeout: u64,
    /// Networks besides the public internet from which images are downloaded and to which webhooks
    /// are sent, there also over plain HTTP and at any port: addresses or networks, with commas
    /// between.
    #[arg(long, value_name = "NETS")]
    pub allow_networks: Option<Networks>,
}

/// Options for writing to owners.
#[derive(Clone, Debug, Args)]
pub struct MailOptions {
    /// The mail server that sends e-mail to owners: "smtps://user:password@mail.example", or
    /// "smtp://..?tls=required" for STARTTLS. Set it in the environment, as others on this machine
    /// can read a command line [default: owners are not written to]
    #[arg(
        long,
        value_name = "URL",
        env = "CONNECT_SMTP_URL",
        hide_env_values = true,
        requires = "mail_from"
    )]
    pub smtp_url: Option<SmtpUrl>,
    /// The sender of this e-mail: "shop@example.com" or "The Shop <shop@example.com>".
    #[arg(long, value_name = "ADDRESS", env = "CONNECT_MAIL_FROM")]
    pub mail_from: Option<Mailbox>,
}

impl MailOptions {
    /// Prepares sending, if it is configured.
    ///
    /// # Errors
    /// The address of the mail server cannot be used.
    pub fn mailer(&self) -> Result<Option<SmtpMailer>, SmtpError> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.mail_from) else {
            return Ok(None);
        };
        SmtpMailer::new(url, from.clone()).map(Some)
    }
}

/// Options for sending webhooks.
#[derive(Clone, Debug, Args)]
pub struct WebhookOptions {
    /// The time between two rounds of deliveries, in seconds, at most 3600 [default: 60; 1 in the
    /// demo]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub delivery_interval: Option<u64>,
}

impl WebhookOptions {
    /// The time between two rounds of deliveries.
    pub fn interval(&self, is_demo: bool) -> Duration {
        let default = if is_demo { 1 } else { 60 };
        Duration::from_secs(self.delivery_interval.unwrap_or(default))
    }
}

impl ImageOptions {
    /// The time that a download may take.
    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.image_timeout)
    }
}

impl Options {
    /// The rate limits.
    pub fn limits(&self) -> RateLimits {
        RateLimits {
            token: self.token_limit,
            account: self.account_limit,
            address: self.ip_limit,
        }
    }

    /// The files for TLS, if it is wanted.
    pub fn tls(&self) -> Option<TlsFiles> {
        let (certificates, key) = (self.tls_cert.clone()?, self.tls_key.clone()?);
        Some(TlsFiles { certificates, key })
    }

    /// Returns the addresses at which plain HTTP is answered.
    pub fn plain_http(&self) -> PlainHttp {
        match &self.trusted_proxy {
            Some(proxies) => PlainHttp::BehindProxy(proxies.clone()),
            None if self.insecure_http => PlainHttp::Anywhere,
            None => PlainHttp::LoopbackOnly,
        }
    }
}

/// A place to keep records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageChoice {
    /// In memory: gone when the server stops.
    Memory,
    /// In an embedded store on redb, in this directory.
    Redb(PathBuf),
    /// In an embedded store on sled, in this directory.
    Sled(PathBuf),
}

impl FromStr for StorageChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("redb", path)) if !path.is_empty() => Ok(Self::Redb(path.into())),
            Some(("sled", path)) if !path.is_empty() => Ok(Self::Sled(path.into())),
            _ => Err("must be \"memory\", or \"redb:\" or \"sled:\" and a directory".to_owned()),
        }
    }
}

/// Reads an address of this machine: what needs no token must not be reachable from outside.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|e| format!("{e}"))?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err("must be a loopback address such as 127.0.0.1:8081 or [::1]:8081".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(flags: &[&str]) -> Result<Options, clap::Error> {
        let words = ["connect-server", "serve"].iter().chain(flags);
        match Arguments::try_parse_from(words)?.command {
            Command::Serve(options) => Ok(options),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn deliveries_are_made_every_minute_and_every_second_in_the_demo() {
        let default = serve(&[]).unwrap().webhooks;
        assert_eq!(default.interval(false), Duration::from_secs(60));
        assert_eq!(default.interval(true), Duration::from_secs(1));
        let set = serve(&["--delivery-interval", "5"]).unwrap().webhooks;
        assert_eq!(set.interval(false), Duration::from_secs(5));
        assert_eq!(set.interval(true), Duration::from_secs(5));
        assert!(serve(&["--delivery-interval", "0"]).is_err());
    }

    #[test]
    fn the_password_of_the_mail_server_is_never_shown() {
        let url = "smtps://user:word@mail.example";
        let from = "The Shop <shop@example.com>";
        let mail = serve(&["--smtp-url", url, "--mail-from", from])
            .unwrap()
            .mail;
        assert!(mail.mailer().unwrap().is_some());
        assert!(!format!("{mail:?}").contains("word"), "{mail:?}");
        let wrong = ["--smtp-url", "user:word@mail.example", "--mail-from", from];
        let refused = serve(&wrong).unwrap().mail.mailer().unwrap_err();
        assert!(!refused.to_string().contains("word"), "{refused}");
        for wrong in [
            &["--smtp-url", url][..],
            &["--smtp-url", url, "--mail-from", "nobody"],
        ] {
            let refused = serve(wrong).unwrap_err().to_string();
            assert!(refused.contains("--mail-from"), "{refused}");
            assert!(!refused.contains("word"), "{refused}");
        }
        assert!(serve(&[]).unwrap().mail.mailer().unwrap().is_none());
    }

    #[test]
    fn images_are_taken_as_the_flags_say() {
        let plain = serve(&["--storage", "redb:/var/lib/connect/store"]).unwrap();
        assert_eq!(plain.images.deadline(), DEFAULT_DEADLINE);
        assert_eq!(plain.images.allow_networks, None);
        let beside = plain.store.choice().unwrap().images();
        assert_eq!(beside, Some("/var/lib/connect/images".into()));
        assert_eq!(StorageChoice::Memory.images(), None);

        let flags = "--images /srv/images --image-timeout 5 --public-url https://shop.example/ \
                     --allow-networks 127.0.0.0/8,::1/128";
        let flags: Vec<_> = flags.split_whitespace().collect();
        let images = serve(&flags).unwrap().images;
        assert_eq!(images.folder, Some("/srv/images".into()));
        assert_eq!(images.deadline(), Duration::from_secs(5));
        assert_eq!(images.allow_networks, Some(Networks::loopback()));
        let public = images.public_url.unwrap().to_string();
        assert_eq!(public, "https://shop.example");
        for wrong in [
            ["--allow-networks", "localhost"],
            ["--allow-networks", "10.0.0.0/33"],
            ["--public-url", "shop.example"],
            ["--image-timeout", "0"],
        ] {
            assert!(serve(&wrong).is_err(), "{wrong:?}");
        }
    }
}
