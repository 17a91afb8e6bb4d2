//! Warnings about unsafe settings and an unsafe environment.
//! They are logged at the start and shown by `connect-server config`. No warning keeps the server from
//! starting.

use std::path::Path;

use connect_core::storage::postgres::{DatabaseAddress, Encryption};
use ipnet::IpNet;
use rustix::process::geteuid;

use super::umask::rights_of_others;
use crate::{
    cli::{Options, StorageChoice},
    net::PlainHttp,
};

/// The rights of the group and of everybody else.
const ANY: u32 = 0o077;
/// Their rights to write.
const WRITE: u32 = 0o022;
/// The rights of everybody else. A group may read a key.
const EVERYBODY: u32 = 0o007;

/// The facts about the process behind some warnings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessInfo {
    /// The process runs as root.
    pub(crate) is_root: bool,
    /// The mail server's address, with its password, is on the command line.
    pub(crate) shows_password: bool,
    /// The address of the database is on the command line.
    pub(crate) shows_database: bool,
    /// The token for the metrics is on the command line.
    pub(crate) shows_token: bool,
    /// The keys for stored secrets are on the command line.
    pub(crate) shows_keys: bool,
}

impl ProcessInfo {
    /// Reads them from the process.
    pub(crate) fn find() -> Self {
        let is_given = |flag: &str| {
            let is_flag = |word: &str| {
                let rest = word.strip_prefix(flag);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            };
            let mut words = std::env::args_os();
            words.any(|word| word.to_str().is_some_and(is_flag))
        };
        Self {
            is_root: geteuid().is_root(),
            shows_password: is_given("--smtp-url"),
            shows_database: is_given("--storage"),
            shows_token: is_given("--metrics-token"),
            shows_keys: is_given("--secrets-key"),
        }
    }
}

/// Returns the warnings, each with its remedy.
pub(crate) fn of(options: &Options, is_demo: bool, process_info: ProcessInfo) -> Vec<String> {
    let mut warnings = Vec::new();
    if process_info.is_root {
        warnings.push("the server runs as root: start it as a user of its own".to_owned());
    }
    on_the_way(options, &mut warnings);
    if let Ok(choice) = options.store.choice() {
        warnings.extend(choice.check_owner().err().map(|other| other.to_string()));
        in_files(options, &choice, &mut warnings);
        warnings.extend(of_store(&choice, process_info));
        if choice == StorageChoice::Memory && !is_demo {
            let gone = "records are kept in memory and are gone when the server stops: set --data \
                        or --storage";
            warnings.push(gone.to_owned());
        }
    }
    if options.trust_clock {
        let unchecked = "the clock is not compared with the last service of the store: leave \
                         --trust-clock out from the next start on";
        warnings.push(unchecked.to_owned());
    }
    if process_info.shows_password {
        let visible = "other users of this machine can read --smtp-url with its password: set \
                       CONNECT_SMTP_URL instead";
        warnings.push(visible.to_owned());
    }
    if process_info.shows_token {
        let visible = "other users of this machine can read --metrics-token: set \
                       CONNECT_METRICS_TOKEN instead";
        warnings.push(visible.to_owned());
    }
    if process_info.shows_keys {
        let visible =
            "other users of this machine can read --secrets-key: set CONNECT_SECRETS_KEY instead";
        warnings.push(visible.to_owned());
    }
    if options.mail.smtp_url.is_none() && !is_demo {
        let untold = "owners are not told when a webhook of theirs is switched off: set \
                      CONNECT_SMTP_URL and CONNECT_MAIL_FROM";
        warnings.push(untold.to_owned());
    }
    warnings
}

/// Returns the warnings about the store, each with its remedy.
pub(crate) fn of_store(choice: &StorageChoice, process_info: ProcessInfo) -> Vec<String> {
    let StorageChoice::Postgres(address) = choice else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    if process_info.shows_database && address.has_password() {
        let visible = "other users of this machine can read --storage with its password: set \
                       CONNECT_STORAGE instead";
        warnings.push(visible.to_owned());
    }
    warnings.extend(to_database(address));
    warnings
}

/// Warns of an unencrypted connection to a database.
/// Also warns of an address without a TLS mode.
fn to_database(address: &DatabaseAddress) -> Option<String> {
    match address.encryption() {
        Encryption::Off if !address.is_here() => Some(
            "the password and all records can be read and changed on the way to the database: write \
             sslmode=verify-full and channel_binding=require in place of sslmode=disable in its address"
                .to_owned(),
        ),
        Encryption::Implied => Some(
            "the address of the database does not ask for TLS, and is used with TLS alone: write \
             sslmode=verify-full and, if no pooler is in between, channel_binding=require in it"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Warns of readable or forgeable traffic to and from the server.
fn on_the_way(options: &Options, warnings: &mut Vec<String>) {
    match options.plain_http() {
        PlainHttp::Anywhere => {
            for (address, secrets) in [
                (options.listen, "tokens"),
                (options.admin_listen, "passwords and keys"),
            ] {
                if !address.ip().to_canonical().is_loopback() {
                    warnings.push(format!(
                        "plain HTTP is served at {address} to every client, and {secrets} can be \
                         read on the way: set --tls-cert and --tls-key, or --trusted-proxy"
                    ));
                }
            }
        }
        PlainHttp::LoopbackOnly => {}
        PlainHttp::BehindProxy(proxies) => {
            let wide = proxies.iter().filter(|net| is_wide(net));
            warnings.extend(wide.map(|net| {
                format!(
                    "the server trusts every machine in {net}: each may state the address of a \
                     client, and use plain HTTP; name only the proxies in --trusted-proxy"
                )
            }));
        }
    }
    if let Some(networks) = &options.images.allow_networks {
        warnings.push(format!(
            "images are downloaded from {networks} and webhooks sent there, over plain HTTP too: \
             users who may write products or set webhooks can reach the services there \
             (--allow-networks)"
        ));
    }
}

/// Returns whether a network has room for more than proxies.
fn is_wide(net: &IpNet) -> bool {
    net.prefix_len() < net.max_prefix_len() / 2
}

/// Warns of files open to other users of this machine.
fn in_files(options: &Options, choice: &StorageChoice, warnings: &mut Vec<String>) {
    let mut check = |path: &Path, mask: u32, what: &str, remedy: &str| {
        if rights_of_others(path, mask) != 0 {
            let shown = path.display();
            let can = if mask == WRITE { "write to" } else { "read" };
            warnings.push(format!(
                "other users can {can} {what} {shown}: {remedy} {shown}"
            ));
        }
    };
    const PRIVATE: &str = "chmod go=";
    if options.store.storage.is_none()
        && let Ok(folder) = options.store.data_folder()
    {
        check(&folder, ANY, "the data folder", PRIVATE);
    } else if let Some(folder) = choice.path().and_then(Path::parent) {
        // Opening the store removes the rights of other users. They could still put another in its place.
        check(folder, WRITE, "the folder around the store,", "chmod go-w");
    }
    if let Some(images) = options.image_place(choice).folder() {
        check(images, WRITE, "the folder of images", "chmod go-w");
    }
    if let Some(key) = &options.tls_key {
        check(key, EVERYBODY, "the private key", "chmod o=");
    }
    if let Some(keys) = options.store.key_file(choice) {
        check(&keys, EVERYBODY, "the keys for stored secrets,", "chmod o=");
    }
}

#[cfg(test)]
mod tests;
