//! The reasons for a missing answer, in words for a shop's owner.
//! They name no part of the address, as it may hold a key.

use std::time::Duration;

use connect_core::environment::SendFailure;

use crate::workers::outbound::{Insecurity, LinkRefusal, NoResponse};

/// The deadline has passed.
pub(super) fn too_late(deadline: Duration) -> SendFailure {
    SendFailure::NoAnswer(format!(
        "The endpoint did not answer within {} seconds.",
        deadline.as_secs_f32()
    ))
}

/// The address cannot be read.
pub(super) fn no_address() -> SendFailure {
    SendFailure::NoAnswer("The address is not a web address.".to_owned())
}

/// The guard refused the address.
pub(super) fn refused(refusal: LinkRefusal) -> SendFailure {
    SendFailure::NoAnswer(format!("The address {refusal}."))
}

/// The request got no answer, or only part of one.
pub(super) fn no_response(error: &reqwest::Error) -> SendFailure {
    let sentence = match NoResponse::of(error) {
        NoResponse::Refused(refusal) => return refused(refusal),
        NoResponse::Crowded => return SendFailure::NotTried,
        NoResponse::UnknownHost => "The host of the address was not found.",
        NoResponse::NotConnected => "The endpoint took no connection.",
        NoResponse::Insecure(Insecurity::Expired) => {
            "The TLS certificate of the endpoint has expired."
        }
        NoResponse::Insecure(Insecurity::OtherHost) => {
            "The TLS certificate of the endpoint is for another host name."
        }
        NoResponse::Insecure(Insecurity::Untrusted) => {
            "The TLS certificate of the endpoint is not trusted: it may be self-signed, or the \
             endpoint does not send the intermediate certificates."
        }
        NoResponse::Insecure(Insecurity::Failed) => {
            "There was no secure connection to the endpoint: TLS failed."
        }
        NoResponse::NotHttp => {
            "The answer of the endpoint is not valid HTTP, or has too many headers."
        }
        NoResponse::BrokenOff => {
            "The connection broke off before the whole answer of the endpoint had arrived."
        }
    };
    SendFailure::NoAnswer(sentence.to_owned())
}
