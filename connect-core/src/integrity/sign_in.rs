//! The rules for rows of signing in.

use super::{declared, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        Invitation, ReadKey, Session, SignIn,
        keys::{Family, key},
    },
};

/// Checks an owner's address and password.
pub(super) fn sign_in(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if declared::row::<SignIn>(findings, at, row).is_some() {
        of_account(findings, at, "a password");
    }
}

/// Checks an open invitation.
pub(super) fn invitation(findings: &mut Findings, at: &ReadKey, row: &Value) {
    if let Some(invitation) = findings.parse::<Invitation>(row)
        && hex::decode(&invitation.digest).map_or(0, |digest| digest.len()) != 32
    {
        findings.bad("the invitation has no digest".to_owned());
    }
    of_account(findings, at, "an invitation");
}

/// Checks a session.
pub(super) fn session(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.parse::<Session>(row);
    of_account(findings, at, "a session");
}

/// Claims: the account of the row exists.
fn of_account(findings: &mut Findings, at: &ReadKey, what: &str) {
    let account = at.partition;
    findings.refers(
        key(account, Family::Account, &[]),
        format!("account {account} has {what}, and is not there"),
    );
}
