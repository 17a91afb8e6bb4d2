//! The operator behind a command: the key, and the name for the log.

use connect_core::{Error, Reason};
use http::HeaderMap;
use sha2::{Digest as _, Sha256};

use super::gate;
use crate::{
    admin::{OPERATOR, Pass, operator_name},
    audit::Person,
};

/// The key of the running server.
///
/// Digests are compared, so the time that takes says nothing of the key.
#[derive(Clone, Copy)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// That of a pass.
    pub(super) fn of(pass: &Pass) -> Self {
        Self(Sha256::digest(pass.key().as_bytes()).into())
    }

    /// Checks that a request has the key.
    ///
    /// # Errors
    /// It has another, or none.
    pub(super) fn check(self, headers: &HeaderMap) -> Result<(), Error> {
        let digest = |key: &str| <[u8; 32]>::from(Sha256::digest(key.as_bytes()));
        if gate::bearer(headers).map(digest) == Ok(self.0) {
            return Ok(());
        }
        let reason = Reason::of("key", "must be that in the file of the running server");
        Err(Error::Unauthorized(reason))
    }
}

/// The operator, under the name from the command line.
pub(super) fn person(headers: &HeaderMap) -> Person {
    let name = headers.get(OPERATOR).and_then(|name| name.to_str().ok());
    Person::Operator(name.and_then(operator_name))
}
