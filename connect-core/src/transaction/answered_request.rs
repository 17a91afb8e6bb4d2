//! The row of an answered request, for the owner of its token to look at.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Token,
    keys::{Family, KeyPart, after_prefix, key},
};
use crate::{
    storage::Key,
    wire::{ErrorDetail, Id, Timestamp},
};

/// An answered request of a token, without its bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredRequest {
    /// The token.
    pub token_id: Id<Token>,
    /// The time of the answer.
    pub at: Timestamp,
    /// The method, such as `POST`.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// The ID of the request in the answer, in errors and in the log.
    pub request_id: String,
    /// The idempotency key, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The address of the client.
    pub address: IpAddr,
    /// The client's name for itself, from `User-Agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The errors of the answer: one of the request, or the first ones of a batch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorDetail>,
}

impl AnsweredRequest {
    /// The key of a request of a token, by its number.
    pub(crate) fn key(account: Uuid, token: Id<Token>, number: u64) -> Key {
        let parts = [KeyPart::Id(token.uuid()), KeyPart::Number(number)];
        key(account, Family::Request, &parts)
    }

    /// The range of the keys of all requests of a token.
    pub(crate) fn range(account: Uuid, token: Id<Token>) -> (Key, Key) {
        let from = key(account, Family::Request, &[KeyPart::Id(token.uuid())]);
        let to = after_prefix(&from);
        (from, to)
    }
}
