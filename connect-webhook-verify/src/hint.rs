//! Guesses at the cause of a mismatch, for the receiver's developer.

use core::fmt;

use crate::secret::Secret;

/// A probable mistake on the receiver's side.
///
/// It is guessed from the body and the configuration, and meant for the receiver's log. It reveals
/// nothing about the right signature. The filters of this crate do not send it to the client either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// The body is empty. Most often other code has read it before.
    EmptyBody,
    /// The body looks like JSON parsed and printed again.
    /// It has white space after the brace or the first key, or begins with a different key than the
    /// service's envelope.
    PrintedAgain,
    /// The body looks like a language's text for an object.
    /// It may also be JSON inside a JSON string.
    PrintedObject,
    /// A configured secret lacks `whsec_`, a part of the key.
    NoPrefix,
}

/// The beginning of an unchanged body.
const AS_SENT: &[u8] = b"{\"id\":\"";

/// The beginnings of a body parsed and printed again.
/// It is spaced out, or its keys are sorted. The service prints without white space and puts `id`
/// first.
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

/// The beginnings of an object printed by a language.
/// The languages are JavaScript, Python, PHP and Ruby; the last entry is JSON within a string.
const PRINTED_OBJECT: [&[u8]; 5] = [b"[object ", b"{'", b"Array\n", b"{:", b"\"{"];

impl Hint {
    /// Guesses from the first bytes alone.
    /// So a refusal costs no more than an acceptance.
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
