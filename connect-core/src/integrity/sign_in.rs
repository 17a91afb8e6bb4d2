//! The rules for rows of signing in.

use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::{ProblemKind, claim::Claim, declared, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        Account, Invitation, ProviderIdentity, ReadKey, Session, SignIn,
        keys::{Family, key},
    },
};

/// Returns whether a row has the form of before users.
/// A store keeps such rows until its migration. They are not checked.
pub(super) fn is_older(key: &[u8], row: &[u8]) -> bool {
    let family = key.get(16).and_then(|byte| Family::of(*byte));
    match family {
        Some(Family::SignIn | Family::Invitation) => key.len() == 17,
        Some(Family::UserOfEmail) => row.len() == 16,
        Some(Family::Session) => {
            let session = serde_json::from_slice(row);
            session.is_ok_and(|session: Map<String, Json>| !session.contains_key("user"))
        }
        _ => false,
    }
}

/// Checks a user's address and password.
pub(super) fn sign_in(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if declared::row::<SignIn>(findings, at, row).is_some() {
        of_user(findings, at, at.id(), "a password");
    }
}

/// Checks an open invitation.
pub(super) fn invitation(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let Some(invitation) = findings.parse::<Invitation>(row)
        && hex::decode(&invitation.digest).map_or(0, |digest| digest.len()) != 32
    {
        findings.bad("the invitation has no digest".to_owned());
    }
    of_user(findings, at, at.id(), "an invitation");
}

/// Checks a session.
pub(super) fn session(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let session = findings.parse::<Session>(row);
    let user = session.map(|session| session.user.uuid());
    of_user(findings, at, user, "a session");
}

/// Checks the identity of a user at the account's provider.
pub(super) fn identity(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.parse::<ProviderIdentity>(row);
    of_user(findings, at, at.id(), "an identity at a provider");
}

/// Claims: the account of the row has the user.
fn of_user(findings: &mut Findings, at: &ReadKey, user: Option<Uuid>, what: &'static str) {
    let (account, Some(user)) = (at.partition, user) else {
        return;
    };
    let fault = move |found: Account| {
        let has = found.users.iter().any(|of| of.id.uuid() == user);
        (!has).then(|| format!("user {user} of account {account} has {what}, and is not there"))
    };
    findings.claim_here(Claim::agreeing(
        key(account, Family::Account, &[]),
        ProblemKind::MissingReference,
        Some(format!("account {account} has {what}, and is not there")),
        fault,
    ));
}
