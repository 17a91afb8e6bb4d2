//! A guess at why an honest delivery did not match, for the developer who reads the log.

use core::fmt;

use crate::secret::Secret;

/// A probable mistake on the receiver's side, judged by the body and the configuration.
///
/// It is a guess, and it is for the log of the receiver: it tells nothing about the signature that
/// would have been right. The filters of this crate do not send it to the client either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// The body is empty. Most often something else read it first.
    EmptyBody,
    /// The body looks like JSON that was parsed and printed again: it has white space after the
    /// brace or the first key, or begins with another key than the service's envelope does.
    PrintedAgain,
    /// The body looks like the text that a language prints for an object, or like JSON put into
    /// a JSON string.
    PrintedObject,
    /// A configured secret lacks its `whsec_`, which is part of the key.
    NoPrefix,
}

/// The beginning of a body that nothing was done to.
const AS_SENT: &[u8] = b"{\"id\":\"";

/// The beginnings of a body that was parsed and printed again: spaced out, or with its keys sorted.
/// The service prints without white space and puts `id` first.
const PRINTED_AGAIN: [&[u8]; 10] = [
    b"{ ",
    b"{\n",
    b"{\r",
    b"{\t",
    b"{\"id\": ",
    b"{\"id\" ",
    b"{\"createdAt\"",
    b"{\"data\"",
    b"{\"locationId\"",
    b"{\"sequence\"",
];

/// The beginnings of an object that was printed by the language: JavaScript, Python, PHP, Ruby, or
/// JSON within a string.
const PRINTED_OBJECT: [&[u8]; 5] = [b"[object ", b"{'", b"Array\n", b"{:", b"\"{"];

impl Hint {
    /// Judges by the first bytes alone, so a refusal costs no more than an acceptance.
    #[inline]
    pub(crate) fn of(body: &[u8], secrets: &[Secret]) -> Option<Self> {
        let no_prefix = (!secrets.iter().all(Secret::is_prefixed)).then_some(Self::NoPrefix);
        let begins = |with: &[&[u8]]| with.iter().any(|start| body.starts_with(start));
        if body.is_empty() {
            Some(Self::EmptyBody)
        } else if body.starts_with(AS_SENT) {
            no_prefix
        } else if begins(&PRINTED_AGAIN) {
            Some(Self::PrintedAgain)
        } else if begins(&PRINTED_OBJECT) {
            Some(Self::PrintedObject)
        } else {
            no_prefix
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EmptyBody => "the body is empty: was it read before the check?",
            Self::PrintedAgain => {
                "the body looks parsed and printed again: check the bytes as they arrived"
            }
            Self::PrintedObject => {
                "the body looks like a printed object, not like the request: \
                 check the bytes as they arrived"
            }
            Self::NoPrefix => {
                "a configured secret does not begin with whsec_, which is part of the key"
            }
        })
    }
}
