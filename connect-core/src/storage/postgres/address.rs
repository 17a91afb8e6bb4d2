//! The address of a database, and the encryption of its connections.

use std::{fmt, net::IpAddr, str::FromStr};

use tokio_postgres::{
    Config,
    config::{ChannelBinding, Host, SslMode},
};

/// The address of a database, displayed without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    config: Box<Config>,
    encryption: Encryption,
    /// The displayable parameters after the question mark.
    shown: String,
}

/// The protection of a database connection against eavesdropping and tampering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// None: the address disables it.
    Off,
    /// TLS if the server offers it.
    /// Used for a database on this machine only.
    Offered,
    /// TLS with a certificate trusted for the host.
    /// It is the default for a remote host; the address does not ask for it.
    Implied,
    /// TLS with a certificate trusted for the host, required by the address.
    Required,
}

/// The reason an address is unusable.
/// It contains no part of the address, since a misplaced password may be in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// An unknown scheme.
    #[error(
        "must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database"
    )]
    Scheme,
    /// A missing or wrong host, or a wrong port.
    #[error(
        "must name a host, with a number as its port if it has one, as in \
         postgres://user:password@host:5432/database"
    )]
    Host,
    /// A character to percent-encode in the user, password or database.
    #[error(
        "must have the form postgres://user:password@host:5432/database?parameter=value; where one of \
         these characters is part of a name or a password, write %40 for @, %3A for :, %2F for /, \
         %3F for ?, %23 for #, %26 for &, %3D for =, %25 for % and %20 for a space"
    )]
    Form,
    /// An unknown parameter.
    #[error(
        "has an unknown parameter behind the question mark; known are {}",
        known()
    )]
    Parameter,
    /// An unusable value of a parameter.
    #[error("has a value that cannot be used for the parameter {0}")]
    Value(&'static str),
}

/// The parameters of an address, each with a flag for displaying it.
const PARAMETERS: [(&str, bool); 19] = [
    (SSL_MODE, true),
    (CHANNEL_BINDING, true),
    ("sslnegotiation", true),
    ("target_session_attrs", true),
    ("load_balance_hosts", true),
    ("hostaddr", true),
    ("connect_timeout", true),
    ("tcp_user_timeout", true),
    ("keepalives", true),
    ("keepalives_idle", true),
    ("keepalives_interval", true),
    ("keepalives_retries", true),
    // These are displayed in front of the question mark.
    ("host", false),
    ("port", false),
    ("user", false),
    ("dbname", false),
    // These may hold a secret.
    ("password", false),
    ("options", false),
    ("application_name", false),
];

const SSL_MODE: &str = "sslmode";

const CHANNEL_BINDING: &str = "channel_binding";

/// The schemes of an address.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The default port.
const DEFAULT_PORT: u16 = 5432;

/// The names of all parameters, as a readable list.
fn known() -> String {
    PARAMETERS.map(|(name, _)| name).join(", ")
}

impl DatabaseAddress {
    /// The encryption of connections to the database.
    pub fn encryption(&self) -> Encryption {
        self.encryption
    }

    /// Returns true if every host is on this machine.
    pub fn is_here(&self) -> bool {
        is_here(&self.config)
    }

    /// Returns true if the address has a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Adds a remedy to the text of an error.
    pub(super) fn explained(&self, words: String) -> String {
        let remedy = match self.encryption {
            Encryption::Off | Encryption::Offered => return words,
            _ if words.contains("does not support TLS") => {
                "a database that is not on this machine is used over TLS: set TLS up in the database, or, on \
                 a network that you trust, write sslmode=disable in its address"
            }
            _ if words.contains("invalid peer certificate") => {
                "the certificate of the database has to name its host and come from an authority \
                 that this machine trusts: set SSL_CERT_FILE to the file with the authority's \
                 certificate"
            }
            _ => return words,
        };
        format!("{words}: {remedy}")
    }

    /// The settings of a connection.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}

/// Returns true if every host is on this machine.
/// If a host has both a name and a number, both must be local: a tunnel may begin here and end elsewhere.
fn is_here(config: &Config) -> bool {
    let is_here = |address: &IpAddr| address.to_canonical().is_loopback();
    let hosts_are_here = config.get_hosts().iter().all(|host| match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => match name.parse() {
            Ok(address) => is_here(&address),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        },
    });
    hosts_are_here && config.get_hostaddrs().iter().all(is_here)
}

impl FromStr for DatabaseAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or(AddressError::Scheme)?;
        // A password may hold a question mark.
        let host = rest.find('@').map_or(0, |at| at + 1);
        let mark = rest[host..].find('?').map(|mark| host + mark);
        let (place, query) = match mark {
            Some(mark) => (&rest[..mark], &rest[mark + 1..]),
            None => (rest, ""),
        };
        let (mut mode, mut parameters, mut shown) = (None, Vec::new(), Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').ok_or(AddressError::Form)?;
            let (name, is_shown) = known_parameter(name).ok_or(AddressError::Parameter)?;
            if name == SSL_MODE {
                mode = Some(ssl_mode(value).ok_or(AddressError::Value(name))?);
            } else {
                let alone = format!("postgres://?{parameter}").parse::<Config>();
                alone.map_err(|_| AddressError::Value(name))?;
                parameters.push(parameter);
            }
            if is_shown {
                shown.push(parameter);
            }
        }
        let mut plain = format!("postgres://{place}");
        if !parameters.is_empty() {
            plain = format!("{plain}?{}", parameters.join("&"));
        }
        let mut config: Config = plain.parse().map_err(|_| AddressError::Host)?;
        check(&config)?;
        let encryption = match mode {
            Some(SslMode::Disable) => Encryption::Off,
            Some(SslMode::Require) => Encryption::Required,
            _ if is_here(&config) => Encryption::Offered,
            _ => Encryption::Implied,
        };
        config.ssl_mode(match encryption {
            Encryption::Off => SslMode::Disable,
            Encryption::Offered => SslMode::Prefer,
            Encryption::Implied | Encryption::Required => SslMode::Require,
        });
        // Without TLS there is no channel to bind to, and each connection would fail.
        if encryption == Encryption::Off && config.get_channel_binding() == ChannelBinding::Require
        {
            return Err(AddressError::Value(CHANNEL_BINDING));
        }
        Ok(Self {
            config: Box::new(config),
            encryption,
            shown: shown.join("&"),
        })
    }
}

fn known_parameter(name: &str) -> Option<(&'static str, bool)> {
    PARAMETERS.into_iter().find(|(known, _)| *known == name)
}

/// Parses the `sslmode` parameter.
/// With TLS, the certificate and its host name are always checked: every such mode acts like `verify-full`.
fn ssl_mode(text: &str) -> Option<SslMode> {
    match text {
        "disable" => Some(SslMode::Disable),
        "allow" | "prefer" => Some(SslMode::Prefer),
        "require" | "verify-ca" | "verify-full" => Some(SslMode::Require),
        _ => None,
    }
}

/// Refuses an address with a misplaced password.
/// Otherwise the password would count as a name, and names are displayed.
fn check(config: &Config) -> Result<(), AddressError> {
    let hosts = config.get_hosts();
    if hosts.is_empty() && config.get_hostaddrs().is_empty() {
        return Err(AddressError::Host);
    }
    let is_of_host = |c: char| c.is_alphanumeric() || ".-_:[]%".contains(c);
    let is_of_name = |c: char| !c.is_whitespace() && !c.is_control() && !":=&;?#/\\'\"".contains(c);
    let hosts_are_names = hosts.iter().all(|host| match host {
        Host::Tcp(name) => !name.is_empty() && name.chars().all(is_of_host),
        #[cfg(unix)]
        Host::Unix(path) => path.to_str().is_some_and(|path| !path.contains(['@', ':'])),
    });
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or_default();
    // At some providers, user names end in `@` and the name of a server.
    let are_names =
        user.chars().all(is_of_name) && database.chars().all(|c| is_of_name(c) && c != '@');
    if hosts_are_names && are_names {
        Ok(())
    } else {
        Err(AddressError::Form)
    }
}

/// Writes the address as given, without its password.
impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        f.write_str("postgres://")?;
        if let Some(user) = config.get_user() {
            f.write_str(user)?;
            if self.has_password() {
                f.write_str(":********")?;
            }
            f.write_str("@")?;
        }
        let ports = config.get_ports();
        for (number, host) in config.get_hosts().iter().enumerate() {
            let between = if number > 0 { "," } else { "" };
            match host {
                Host::Tcp(name) if name.contains(':') => write!(f, "{between}[{name}]")?,
                Host::Tcp(name) => write!(f, "{between}{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{between}{}", path.display())?,
            }
            let port = ports.get(number).or_else(|| ports.first());
            if let Some(port) = port.filter(|port| **port != DEFAULT_PORT) {
                write!(f, ":{port}")?;
            }
        }
        if let Some(name) = config.get_dbname() {
            write!(f, "/{name}")?;
        }
        if !self.shown.is_empty() {
            write!(f, "?{}", self.shown)?;
        }
        Ok(())
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DatabaseAddress, AddressError> {
        text.parse()
    }

    #[test]
    fn an_address_is_shown_as_given_without_its_password() {
        for (text, shown) in [
            ("postgres://db.example/shop", ""),
            ("postgres://shop@db.example:5433/shop", ""),
            ("postgres://[::1]:5433/shop", ""),
            (
                "postgres://shop@a.example:5433,b.example:5434/shop?target_session_attrs=read-write",
                "",
            ),
            ("postgresql://db.example/shop", "postgres://db.example/shop"),
            (
                "postgres://db.example:5432/shop",
                "postgres://db.example/shop",
            ),
            (
                "postgres://shop:s3cret@db.example:5433/shop?sslmode=verify-full&channel_binding=require",
                "postgres://shop:********@db.example:5433/shop?sslmode=verify-full&channel_binding=require",
            ),
            (
                "postgres://shop:s3cr?et/#@db.example",
                "postgres://shop:********@db.example",
            ),
            (
                "postgres://shop:s3cr%40et@%2Frun%2Fpg/shop",
                "postgres://shop:********@/run/pg/shop",
            ),
            (
                "postgres:///shop?user=me&password=s3cret&host=/run/pg&options=-c%20a%3Ds3cret",
                "postgres://me:********@/run/pg/shop",
            ),
        ] {
            let address = read(text).unwrap();
            let shown = if shown.is_empty() { text } else { shown };
            assert_eq!(address.to_string(), shown);
            assert_eq!(format!("{address:?}"), format!("\"{shown}\""));
            assert_eq!(address.has_password(), text.contains("s3cr"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_without_a_word_of_it() {
        use AddressError::{Form, Host, Parameter, Scheme, Value};
        for (text, expected) in [
            ("", Scheme),
            ("postgress://shop:s3cret@db.example/shop", Scheme),
            ("POSTGRES://shop:s3cret@db.example/shop", Scheme),
            ("postgres:shop:s3cret@db.example/shop", Scheme),
            ("postgres:/shop:s3cret@db.example/shop", Scheme),
            ("host=db.example user=shop password=s3cret", Scheme),
            ("postgres://", Host),
            ("postgres://shop:s3cret@", Host),
            ("postgres://shop:s3cret@/shop", Host),
            ("postgres://shop:s3cret@db.example:port/", Host),
            ("postgres://shop:s3cret@db.example:99999/", Host),
            ("postgres://shop:s3cret@[::1", Host),
            ("postgres://shop:s3cret", Host),
            ("postgres://shop:a@s3cret@db.example/shop", Form),
            ("postgres://shop:a@b/s3cret@db.example/shop", Form),
            ("postgres://shop%3As3cret@db.example/shop", Form),
            ("postgres://db.example/shop:s3cret", Form),
            ("postgres://db.example/shop;password=s3cret", Form),
            ("postgres://db.example/shop&password=s3cret", Form),
            ("postgres://host=db.example user=shop password=s3cret", Form),
            ("postgres://shop@db.example/shop?s3cret", Form),
            ("postgres://shop@db.example/shop?pass=s3cret", Parameter),
            (
                "postgres://shop@db.example/shop?sslmode=s3cret",
                Value("sslmode"),
            ),
            ("postgres://shop@db.example/shop?port=s3cret", Value("port")),
        ] {
            let refused = read(text).unwrap_err();
            assert_eq!(refused, expected, "{text}");
            assert!(!refused.to_string().contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn what_is_elsewhere_is_used_over_tls_unless_the_address_says_otherwise() {
        use Encryption::{Implied, Off, Offered, Required};
        for (address, unsaid) in [
            ("db.example", Implied),
            ("10.0.0.7", Implied),
            ("localhost.example", Implied),
            ("localhost,db.example", Implied),
            ("db.example/shop?hostaddr=127.0.0.1", Implied),
            ("localhost/shop?hostaddr=10.0.0.7", Implied),
            ("localhost", Offered),
            ("LOCALHOST", Offered),
            ("127.0.0.2", Offered),
            ("[::1]", Offered),
            ("[::ffff:127.0.0.1]", Offered),
            ("%2Frun%2Fpostgresql", Offered),
        ] {
            for (mode, expected) in [
                ("", unsaid),
                ("prefer", unsaid),
                ("allow", unsaid),
                ("disable", Off),
                ("require", Required),
                ("verify-ca", Required),
                ("verify-full", Required),
            ] {
                let mut text = format!("postgres://shop:s3cret@{address}");
                if !mode.is_empty() {
                    let mark = if text.contains('?') { '&' } else { '?' };
                    text.push_str(&format!("{mark}sslmode={mode}"));
                }
                let address = read(&text).unwrap();
                assert_eq!(address.encryption(), expected, "{text}");
                assert_eq!(address.is_here(), unsaid == Offered, "{text}");
                let is_required = address.config().get_ssl_mode() == SslMode::Require;
                assert_eq!(
                    is_required,
                    matches!(expected, Implied | Required),
                    "{text}"
                );
            }
        }
        let unbound = "postgres://db.example/shop?sslmode=disable&channel_binding=require";
        assert_eq!(read(unbound), Err(AddressError::Value(CHANNEL_BINDING)));
    }
}
