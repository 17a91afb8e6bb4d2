//! The command line.

mod account_limits;
mod address;
pub mod admin;
pub(crate) mod backup;
pub mod check;
pub(crate) mod clock_check;
pub(crate) mod failure;
mod generate;
pub(crate) mod health;
mod image_place;
pub(crate) mod import_guard;
mod mail;
pub(crate) mod moving;
mod network;
pub(crate) mod progress_line;
mod secret;
pub(crate) mod secret_keys;
pub(crate) mod secrets;
mod settings;
pub(crate) mod startup_banner;
mod storage;
pub mod store;

use std::{net::SocketAddr, path::PathBuf, process, sync::LazyLock, time::Duration};

use clap::{
    Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    builder::{BoolishValueParser, TypedValueParser},
    error::ErrorKind,
};
use connect_core::{HostLimits, RateLimits, storage::RowsVersion, wire::limits};

pub use self::{account_limits::AccountLimitOptions, network::NetworkOptions};
pub use crate::telemetry::log::{LogFormat, LogOptions};
use crate::{
    commands::{
        accounts::AccountCommand, locations::LocationCommand, screens::ScreenCommand,
        tokens::TokenCommand, trail::TrailCommand, users::UserCommand, webhooks::WebhookCommand,
    },
    net::{PlainHttp, TlsFiles, networks::Networks},
    telemetry::metrics::MetricsToken,
    workers::images::{DEFAULT_DEADLINE, PublicUrl},
};

pub use image_place::ImagePlace;
pub use mail::MailOptions;
pub use secret_keys::{GivenKeys, KeyFileError, NoKeys, SecretKeyOptions};
pub use secrets::SecretsCommand;
pub use settings::{Setting, Source};
pub use storage::StorageChoice;

/// The reference server of Connect: a shop's catalog for other software, over HTTP.
#[derive(Debug, Parser)]
#[command(version = version(), about)]
pub struct Arguments {
    /// The log.
    #[command(flatten)]
    pub log: LogOptions,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The version of the program, with its commit and rows version.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let (version, source) = (env!("CARGO_PKG_VERSION"), env!("CONNECT_SOURCE"));
        let rows = RowsVersion::THIS.written_by;
        format!("{version} ({source}, rows of version {rows})")
    });
    &VERSION
}

impl Arguments {
    /// Reads the command line of this process.
    /// Ends the process for an invalid command line, for help and for `generate`.
    pub fn read() -> Self {
        let command = Self::command();
        let whole = command.clone().subcommand(generate::command());
        let matches = settings::without_empty(whole).try_get_matches();
        let matches =
            matches.unwrap_or_else(|error| secret::without_secrets(error, &command).exit());
        if let Some((generate::NAME, matches)) = matches.subcommand() {
            generate::run(matches, command).unwrap_or_else(|error| error.exit());
            process::exit(0);
        }
        let read = Self::from_arg_matches(&matches);
        let mut arguments = read.unwrap_or_else(|error| error.format(&mut Self::command()).exit());
        if let (Command::Config(config), Some((name, matches))) =
            (&mut arguments.command, matches.subcommand())
        {
            config.settings = settings::of(&command, name, matches);
        }
        if let Err(conflict) = arguments.check() {
            conflict.exit();
        }
        arguments
    }

    /// The options for the store.
    pub(crate) fn store(&self) -> &StoreOptions {
        match &self.command {
            Command::Serve(options) | Command::Demo(options) | Command::Health(options) => {
                &options.store
            }
            Command::Config(config) => &config.options.store,
            Command::Check(options) | Command::Repair(options) => &options.store,
            Command::Backup(options) => &options.store,
            Command::Export(options) => &options.store,
            Command::Import(options) => &options.store,
            Command::Restore(options) => &options.store,
            Command::Account { options, .. }
            | Command::Location { options, .. }
            | Command::Token { options, .. }
            | Command::User { options, .. }
            | Command::Screen { options, .. }
            | Command::Trail { options, .. }
            | Command::Webhook { options, .. }
            | Command::Secrets { options, .. } => &options.store,
        }
    }

    /// Checks the conflicts between switches beyond clap's own rules.
    /// A switch set to off in the environment conflicts with nothing.
    fn check(&self) -> Result<(), clap::Error> {
        let options = match &self.command {
            Command::Serve(options) | Command::Demo(options) | Command::Health(options) => options,
            Command::Config(config) => &config.options,
            _ => return Ok(()),
        };
        if options.deliveries && options.no_deliveries {
            let conflict = "--deliveries cannot be used with --no-deliveries";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, conflict));
        }
        let is_safe = options.tls_cert.is_some() || options.trusted_proxy.is_some();
        if !(options.insecure_http && is_safe) {
            return Ok(());
        }
        let conflict = "--insecure-http cannot be used with --tls-cert or --trusted-proxy";
        Err(Self::command().error(ErrorKind::ArgumentConflict, conflict))
    }
}

/// The commands of the server.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a store. A new store is empty.
    Serve(Options),
    /// Serve a store with a sandbox account and a shop to try things out, and print a token.
    Demo(Options),
    /// Print the settings that `serve` would have with these options, and where each comes from.
    /// Secrets are not shown.
    Config(ConfigOptions),
    /// Ask the server with these settings on this machine whether it is ready, at the address of `--listen`.
    ///
    /// Exits with 0 if it is, and with 1 and the reason otherwise: the health check of a container.
    Health(Options),
    /// Check every row of a store that no server has open, and that the rows agree with each
    /// other.
    ///
    /// Exits with 0 when nothing is wrong, 1 when something is, and 2 when the store could not be
    /// checked.
    Check(CheckOptions),
    /// Repair a damaged store without a copy, open in no server: its rows agree with each other again, as far as
    /// they tell how.
    ///
    /// Removes index entries of lost rows, writes missing ones, and deletes lost records, which the API tells
    /// integrators. Prints each repair, and then a check: what is lost for good is named there. Changes nothing
    /// in a store without problems. Exits as `check` does.
    Repair(CheckOptions),
    /// Write a whole store that no server has open into one file, from which it can be imported into
    /// any other store. Goes on where an interrupted export has ended.
    ///
    /// The file is for its owner alone. The copies of images and the keys for the secrets of webhooks are not in
    /// it. Exits with 0 when all rows were written and read again, and 1 otherwise.
    Export(ExportOptions),
    /// Read a whole store from a file into a new store, and compare both. Goes on where an
    /// interrupted import of the same file has ended.
    ///
    /// No server starts on a store whose import did not finish. Exits with 0 when the store is as the
    /// file, and 1 otherwise.
    Import(ImportOptions),
    /// Write a whole store into a file while a server goes on writing to it: all rows as they are at that moment.
    ///
    /// The file is read again as a whole before it gets its name, and never replaces another one. The copies of
    /// images are not in it. `restore` makes a store of it. Works beside a running server, and without one; for
    /// redb and sled. A database is backed up by its own means.
    Backup(BackupOptions),
    /// Make a store in an empty folder or database from a file that `backup` or `export` has written, compare both,
    /// and check the store. Goes on where it was interrupted.
    ///
    /// The whole file is read before anything is made. A server on the restored store sends no webhooks and no
    /// e-mail, and downloads no images, until it is started once with `--deliveries`. Exits with 0 when
    /// nothing is wrong, and 1 or 2 otherwise.
    Restore(ImportOptions),
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
    /// Make, change, list, invite and remove users: the people who sign in to the dashboard. Works
    /// beside a running server, and without one.
    User {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: UserCommand,
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
    /// List, export and verify the audit trail: who changed what, and when. Works beside a running server, and
    /// without one.
    Trail {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: TrailCommand,
    },
    /// Make, change, test and list webhooks: addresses to which events are sent. Works beside a
    /// running server, and without one.
    Webhook {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// Networks besides the public internet to which the servers of this store send webhooks: addresses or
        /// networks, with commas between. A running server that executes the command goes by its own.
        #[arg(
            long,
            value_name = "NETS",
            env = "CONNECT_ALLOW_NETWORKS",
            global = true
        )]
        allow_networks: Option<Networks>,
        /// The command.
        #[command(subcommand)]
        command: WebhookCommand,
    },
    /// Show and change the keys by which the secrets in the store are sealed. Works beside a running server, and
    /// without one.
    Secrets {
        /// The options of every such command.
        #[command(flatten)]
        options: AdminOptions,
        /// The command.
        #[command(subcommand)]
        command: SecretsCommand,
    },
}

/// The options of a command of the operator.
#[derive(Clone, Debug, Args)]
pub struct AdminOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Print the result as JSON.
    #[arg(long, global = true, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// The place of the store.
#[derive(Clone, Debug, Args)]
pub struct StoreOptions {
    /// The directory for the data [default: "connect" in the user's data folder]
    #[arg(long, value_name = "DIR", env = "CONNECT_DATA", global = true)]
    pub data: Option<PathBuf>,
    /// The store of the records: "redb:PATH", "sled:PATH", "postgres://USER:PASSWORD@HOST/DATABASE", or
    /// "memory". Set an address with a password in the environment, as others on this machine can read a
    /// command line [default: redb in "store" of the data directory]
    #[arg(
        long,
        value_name = "STORAGE",
        env = "CONNECT_STORAGE",
        hide_env_values = true,
        value_parser = secret::secret::<StorageChoice>(),
        global = true
    )]
    pub storage: Option<StorageChoice>,
    /// The keys for the secrets in the store.
    #[command(flatten)]
    pub secrets: SecretKeyOptions,
    /// The use of the database, if the store is one.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// The memory that the store may use as a cache, in MiB.
    #[arg(
        long,
        value_name = "MIB",
        env = "CONNECT_CACHE",
        default_value_t = 256,
        global = true
    )]
    pub cache: u64,
    /// The most MiB of a redb file to check for damage a second, up to 100.
    /// The check of all of it at each start stays. 0 is for none. Other stores have no such check.
    #[arg(
        long,
        value_name = "MIB",
        env = "CONNECT_SCRUB_RATE",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(..=100),
        global = true
    )]
    pub scrub_rate: u32,
}

/// The use of a database.
#[derive(Clone, Debug, Args)]
pub struct DatabaseOptions {
    /// The most connections to the database, one half for reads and one for writes.
    #[arg(
        long,
        value_name = "N",
        env = "CONNECT_DATABASE_CONNECTIONS",
        default_value_t = 24,
        value_parser = clap::value_parser!(u32).range(2..=1000),
        global = true
    )]
    pub database_connections: u32,
    /// The address is that of a pooler which gives each transaction another connection and does not
    /// know prepared statements: PgBouncer before 1.21.
    #[arg(long, env = "CONNECT_DATABASE_POOLER", value_parser = yes_or_no(), global = true)]
    pub database_pooler: bool,
}

/// The options of a check.
#[derive(Clone, Debug, Args)]
pub struct CheckOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Print the report as JSON.
    #[arg(long, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// The options of an export.
#[derive(Clone, Debug, Args)]
pub struct ExportOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// The file: a new one, or one that an interrupted export has left.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace an earlier export, finished or not. Another file is never replaced.
    #[arg(long, env = "CONNECT_OVERWRITE", value_parser = yes_or_no())]
    pub overwrite: bool,
    /// Print the result as JSON.
    #[arg(long, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// The options of a backup.
#[derive(Clone, Debug, Args)]
pub struct BackupOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// The file, a new one. It has ".part" behind its name until it is whole.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The most MiB that are read and written a second.
    #[arg(long, value_name = "MIB", env = "CONNECT_RATE", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: u32,
    /// Print the result as JSON.
    #[arg(long, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// The options of an import.
#[derive(Clone, Debug, Args)]
pub struct ImportOptions {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// The file that a backup or an export has written.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print the result as JSON.
    #[arg(long, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// The options of showing the settings: those of serving.
#[derive(Clone, Debug, Args)]
pub struct ConfigOptions {
    /// The options.
    #[command(flatten)]
    pub options: Options,
    /// The settings as they were given.
    #[arg(skip)]
    pub settings: Vec<Setting>,
}

/// The options of serving.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The store.
    #[command(flatten)]
    pub store: StoreOptions,
    /// Start although the machine's clock differs much from the time at which this store was last
    /// served.
    #[arg(long, env = "CONNECT_TRUST_CLOCK", value_parser = yes_or_no())]
    pub trust_clock: bool,
    /// Send no webhooks and no e-mail, and download no images: for a copy of a store that is tried.
    #[arg(long, env = "CONNECT_NO_DELIVERIES", value_parser = yes_or_no())]
    pub no_deliveries: bool,
    /// Make a store that was restored from a backup the one in use: it sends webhooks and e-mail, and downloads
    /// images, from now on. It has no variable, so that no copy delivers by accident.
    #[arg(long)]
    pub deliveries: bool,
    /// The address of the API: "0.0.0.0:8443", "localhost:8080", or a port of this machine alone.
    /// Port 0 lets the system choose one.
    #[arg(long, value_name = "ADDR:PORT", env = "CONNECT_LISTEN",
          default_value = "127.0.0.1:8080", value_parser = address::any)]
    pub listen: SocketAddr,
    /// The address of the dashboard, and of registers and kiosks. On this machine alone it speaks plain
    /// HTTP; elsewhere it needs TLS or a trusted proxy, as the API does.
    #[arg(long, value_name = "ADDR:PORT", env = "CONNECT_ADMIN_LISTEN",
          default_value = "127.0.0.1:8081", value_parser = address::any)]
    pub admin_listen: SocketAddr,
    /// The address at which owners reach the dashboard, for the links that invite them: without a path
    /// [default: the address that is listened on]
    #[arg(long, value_name = "URL", env = "CONNECT_ADMIN_URL", value_parser = address::origin)]
    pub admin_url: Option<PublicUrl>,
    /// Requests per minute and token; the same for each screen, and each owner in the dashboard.
    #[arg(long, value_name = "N", env = "CONNECT_TOKEN_LIMIT",
          default_value_t = limits::DEFAULT_TOKEN_LIMIT,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub token_limit: u32,
    /// Requests per minute and account, all its tokens together.
    #[arg(long, value_name = "N", env = "CONNECT_ACCOUNT_LIMIT",
          default_value_t = limits::DEFAULT_ACCOUNT_LIMIT,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub account_limit: u32,
    /// Requests without a valid token per minute and address.
    #[arg(long, value_name = "N", env = "CONNECT_IP_LIMIT",
          default_value_t = limits::DEFAULT_ADDRESS_LIMIT)]
    pub ip_limit: u32,
    /// Requests that need no token, such as those for the API document, per minute and address.
    /// Probes count, and are answered beyond it.
    #[arg(long, value_name = "N", env = "CONNECT_ANONYMOUS_LIMIT",
          default_value_t = limits::DEFAULT_ANONYMOUS_LIMIT)]
    pub anonymous_limit: u32,
    /// The days to keep entries of the audit trail, at least 1.
    #[arg(long, value_name = "DAYS", env = "CONNECT_TRAIL_DAYS",
          default_value_t = limits::DEFAULT_TRAIL_DAYS,
          value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub trail_days: u32,
    /// The limits on the bytes and records of accounts.
    #[command(flatten)]
    pub account_limits: AccountLimitOptions,
    /// The limits on connections and memory.
    #[command(flatten)]
    pub network: NetworkOptions,
    /// The certificate chain for HTTPS, in PEM.
    #[arg(
        long,
        value_name = "FILE",
        env = "CONNECT_TLS_CERT",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,
    /// The private key for HTTPS, in PEM.
    #[arg(
        long,
        value_name = "FILE",
        env = "CONNECT_TLS_KEY",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,
    /// Serve plain HTTP on any address. Tokens can then be read on the way.
    #[arg(long, env = "CONNECT_INSECURE_HTTP", value_parser = yes_or_no())]
    pub insecure_http: bool,
    /// Proxies that end TLS in front of this server: addresses or networks, with commas between.
    #[arg(long, value_name = "NETS", env = "CONNECT_TRUSTED_PROXY")]
    pub trusted_proxy: Option<Networks>,
    /// Images.
    #[command(flatten)]
    pub images: ImageOptions,
    /// Webhooks.
    #[command(flatten)]
    pub webhooks: WebhookOptions,
    /// E-mail.
    #[command(flatten)]
    pub mail: MailOptions,
    /// The token by which the metrics are read, at /metrics of the owner's address: at least 16
    /// characters. Set it in the environment, as others on this machine can read a command line
    /// [default: programs on this machine read them without one]
    #[arg(
        long,
        value_name = "TOKEN",
        env = "CONNECT_METRICS_TOKEN",
        hide_env_values = true
    )]
    pub metrics_token: Option<MetricsToken>,
    /// Print where and how to connect as one line of JSON.
    #[arg(long, env = "CONNECT_JSON", value_parser = yes_or_no())]
    pub json: bool,
}

/// Options for taking over the images of products.
#[derive(Clone, Debug, Args)]
pub struct ImageOptions {
    /// The directory for the copies of images, or a bucket as "s3://BUCKET/PREFIX", with the variables AWS_REGION,
    /// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_ENDPOINT outside of AWS [default: "images" beside
    /// the store; with "--storage memory" in memory]
    #[arg(
        long = "images",
        value_name = "DIR",
        env = "CONNECT_IMAGES",
        value_parser = secret::secret::<ImagePlace>()
    )]
    pub place: Option<ImagePlace>,
    /// The address at which everybody reaches this server, for the links to images and in the API
    /// document [default: links have the address that is listened on, and the document "/v1"]
    #[arg(long, value_name = "URL", env = "CONNECT_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,
    /// The time that the download of an image may take, in seconds, at most 60.
    #[arg(long, value_name = "SECONDS", env = "CONNECT_IMAGE_TIMEOUT",
          default_value_t = DEFAULT_DEADLINE.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=60))]
    pub image_timeout: u64,
    /// Networks besides the public internet from which images are downloaded and to which webhooks
    /// are sent, there also over plain HTTP and at any port: addresses or networks, with commas
    /// between.
    #[arg(long, value_name = "NETS", env = "CONNECT_ALLOW_NETWORKS")]
    pub allow_networks: Option<Networks>,
}

/// Options for sending webhooks.
#[derive(Clone, Debug, Args)]
pub struct WebhookOptions {
    /// The time between two rounds of deliveries, in seconds, at most 3600 [default: 60; 1 in the
    /// demo]
    #[arg(long, value_name = "SECONDS", env = "CONNECT_DELIVERY_INTERVAL",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub delivery_interval: Option<u64>,
    /// The most webhook requests to one host at a time, of all accounts together.
    #[arg(long, value_name = "N", env = "CONNECT_WEBHOOK_HOST_REQUESTS",
          default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub webhook_host_requests: u32,
    /// The most webhook requests to one host in a second, of all accounts together.
    #[arg(long, value_name = "N", env = "CONNECT_WEBHOOK_HOST_RATE",
          default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub webhook_host_rate: u32,
}

impl WebhookOptions {
    /// Returns the limits on requests to one host.
    pub fn host_limits(&self) -> HostLimits {
        HostLimits {
            at_a_time: self.webhook_host_requests,
            a_second: self.webhook_host_rate,
        }
    }

    /// Returns the time between two rounds of deliveries.
    pub fn interval(&self, is_demo: bool) -> Duration {
        let default = if is_demo { 1 } else { 60 };
        Duration::from_secs(self.delivery_interval.unwrap_or(default))
    }
}

impl ImageOptions {
    /// Returns the time limit for a download.
    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.image_timeout)
    }
}

impl Options {
    /// Returns the rate limits.
    pub fn limits(&self) -> RateLimits {
        RateLimits {
            token: self.token_limit,
            account: self.account_limit,
            address: self.ip_limit,
            anonymous: self.anonymous_limit,
        }
    }

    /// Returns whether the owner's listener is on a loopback address.
    pub fn admin_is_here(&self) -> bool {
        self.admin_listen.ip().to_canonical().is_loopback()
    }

    /// Returns whether only this machine reaches the owner's listener.
    /// Judges by the settings alone.
    pub fn admin_is_private(&self) -> bool {
        self.admin_is_here() && self.trusted_proxy.is_none() && self.admin_url.is_none()
    }

    /// Returns the place for copies of images.
    pub fn image_place(&self, choice: &StorageChoice) -> ImagePlace {
        let beside = || match choice {
            StorageChoice::Postgres(_) => Some(self.store.data_folder().ok()?.join("images")),
            _ => choice.images(),
        };
        let wanted = self.images.place.clone();
        let wanted = wanted.or_else(|| beside().map(ImagePlace::Folder));
        wanted.unwrap_or(ImagePlace::Memory)
    }

    /// Returns the files for TLS, if it is configured.
    pub fn tls(&self) -> Option<TlsFiles> {
        let (certificates, key) = (self.tls_cert.clone()?, self.tls_key.clone()?);
        Some(TlsFiles { certificates, key })
    }

    /// Returns the addresses served over plain HTTP.
    pub fn plain_http(&self) -> PlainHttp {
        match &self.trusted_proxy {
            Some(proxies) => PlainHttp::BehindProxy(proxies.clone()),
            None if self.insecure_http => PlainHttp::Anywhere,
            None => PlainHttp::LoopbackOnly,
        }
    }
}

/// Reads a switch. In the environment it has a value: `CONNECT_JSON=1`.
fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    BoolishValueParser::new()
}

#[cfg(test)]
pub(crate) mod tests;
