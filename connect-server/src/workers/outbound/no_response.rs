//! The reasons why a request gets no response.

use std::{error::Error, io};

use rustls::{CertificateError, Error as TlsError};

use super::{LinkRefusal, LookupError};

/// The reason why a request got no full response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResponse {
    /// The guard refused the address.
    Refused(LinkRefusal),
    /// The host has no address.
    UnknownHost,
    /// No place was free to look up the host.
    /// Nothing is known of it.
    Crowded,
    /// The host took no connection.
    NotConnected,
    /// There was no secure connection.
    Insecure(Insecurity),
    /// The response is not HTTP, or its head is too large.
    NotHttp,
    /// The connection broke off.
    BrokenOff,
}

/// The reason why there was no secure connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insecurity {
    /// The certificate has expired.
    Expired,
    /// The certificate belongs to another host.
    OtherHost,
    /// The certificate is untrusted for another reason, an unknown issuer for example.
    Untrusted,
    /// TLS failed otherwise.
    Failed,
}

impl NoResponse {
    /// Finds the reason in the client's error.
    pub fn of(error: &reqwest::Error) -> Self {
        let mut is_http = true;
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(error) = cause {
            if let Some(refusal) = error.downcast_ref() {
                return Self::Refused(*refusal);
            }
            match error.downcast_ref() {
                Some(LookupError::NotFound(_)) => return Self::UnknownHost,
                Some(LookupError::Crowded) => return Self::Crowded,
                None => {}
            }
            if let Some(tls) = error.downcast_ref() {
                return Self::Insecure(Insecurity::of(tls));
            }
            is_http &= !error
                .downcast_ref()
                .is_some_and(|error: &hyper::Error| error.is_parse());
            // The source of an I/O error is the source of its inner error, so the inner one is asked
            // first.
            let held = error
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref);
            cause = match held {
                Some(held) => Some(held),
                None => error.source(),
            };
        }
        match () {
            () if error.is_connect() => Self::NotConnected,
            () if !is_http => Self::NotHttp,
            () => Self::BrokenOff,
        }
    }
}

impl Insecurity {
    fn of(error: &TlsError) -> Self {
        use CertificateError::{Expired, ExpiredContext, NotValidForName, NotValidForNameContext};
        match error {
            TlsError::InvalidCertificate(Expired | ExpiredContext { .. }) => Self::Expired,
            TlsError::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
                Self::OtherHost
            }
            TlsError::InvalidCertificate(_) => Self::Untrusted,
            _ => Self::Failed,
        }
    }
}

impl From<LinkRefusal> for NoResponse {
    fn from(refusal: LinkRefusal) -> Self {
        Self::Refused(refusal)
    }
}
