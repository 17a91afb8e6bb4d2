//! The rules for rows of signing in.

use uuid::Uuid;

use super::{claim::Claim, findings::Findings};
use crate::{
    storage::Value,
    transaction::{
        Invitation, ReadKey, Session, SignIn,
        keys::{Family, GLOBAL, KeyPart, key},
    },
};

/// Checks an owner's address and password.
/// The address leads to the account.
pub(super) fn sign_in(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(sign_in) = findings.parse::<SignIn>(row) else {
        return;
    };
    findings.claim(Claim::entry(
        key(
            GLOBAL,
            Family::AccountOfEmail,
            &[KeyPart::Text(&sign_in.email)],
        ),
        at.partition.as_bytes().to_vec(),
        format!("the address of the owner of account {}", at.partition),
    ));
    of_account(findings, at, "a password");
}

/// Checks an entry from an owner's address to the account.
pub(super) fn account_of_email(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(account), Some(email)) = (Uuid::from_slice(row), at.text()) else {
        return findings.bad("the row holds no id of an account".to_owned());
    };
    let email = email.to_owned();
    let has = move |sign_in: &SignIn| sign_in.email == email;
    let claim = Claim::row(findings.key(), key(account, Family::SignIn, &[]), has);
    findings.claim(claim);
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
