//! The rules for rows of accounts, tokens and stored answers.

use uuid::Uuid;

use super::{
    Problem, ProblemKind,
    claim::{Claim, Mend},
    declared,
    findings::Findings,
    webhooks,
};
use crate::{
    engine::expiry_of,
    storage::{Key, Value},
    transaction::{
        Account, AnsweredRequest, ReadKey, ScreenKey, Token, clock_key,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::Timestamp,
};

/// Checks an account: it has a clock, and its screens are at its locations.
pub(super) fn account(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(account) = declared::row::<Account>(findings, at, row) else {
        return;
    };
    let id = account.id;
    for screen in &account.screens {
        let (screen, location) = (screen.id, screen.location_id);
        if !account.has_location(location) {
            findings.problem(
                ProblemKind::MissingReference,
                format!(
                    "screen {screen} of account {id} is at location {location}, which is none of it"
                ),
            );
        }
    }
    webhooks::of_account(findings, &account);
    findings.claim(Claim::there(
        clock_key(id.uuid()),
        ProblemKind::ClockBehind,
        format!("account {id} has no clock"),
    ));
}

/// Checks a token: its account has the locations of all its grants.
pub(super) fn token(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(token) = declared::row::<Token>(findings, at, row) else {
        return;
    };
    let (id, account) = (token.id, token.account_id);
    let fault = move |account: Account| {
        let mut granted = token.grants.iter().map(|grant| grant.location_id);
        let lost = granted.find(|location| !account.has_location(*location))?;
        Some(format!(
            "token {id} is for location {lost}, which is none of its account"
        ))
    };
    findings.claim_here(Claim::agreeing(
        key(account.uuid(), Family::Account, &[]),
        ProblemKind::MissingReference,
        Some(format!(
            "token {id} is of account {account}, which is not there"
        )),
        fault,
    ));
}

/// Checks the time of a token's last use.
pub(super) fn token_use(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.parse::<Timestamp>(row);
    if let Some(id) = at.id() {
        let message = format!("token {id} was used, and is not there");
        findings.refers_to(Family::TokenById, id, message);
        findings.mended_by(Some(Mend::Remove));
    }
}

/// Checks an answered request: its token is there.
pub(super) fn request(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(request) = findings.parse::<AnsweredRequest>(row) else {
        return;
    };
    let id = request.token_id.uuid();
    if at.id() != Some(id) {
        let message = format!("a request of token {id} is among those of another one");
        findings.problem(ProblemKind::BadRow, message);
    }
    let message = format!("token {id} sent a request, and is not there");
    findings.refers_to(Family::TokenById, id, message);
    findings.mended_by(Some(Mend::Remove));
}

/// Checks a screen's key: its account has the screen.
pub(super) fn screen_key(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(screen_key) = declared::row::<ScreenKey>(findings, at, row) else {
        return;
    };
    let screen = screen_key.screen_id;
    let test = move |found: Option<&Value>| {
        let account: Option<Account> = found.and_then(|row| serde_json::from_slice(row).ok());
        let has = account.is_some_and(|account| account.screens.iter().any(|s| s.id == screen));
        (!has).then(|| format!("screen {screen} has a key, and is not in its account"))
    };
    let account = key(screen_key.account_id.uuid(), Family::Account, &[]);
    findings.claim_here(Claim::on(account, ProblemKind::MissingReference, test));
}

/// Checks a stored answer: the index of expiries leads to it.
pub(super) fn answer(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let expires_at = match expiry_of(row) {
        Ok(expires_at) => expires_at,
        Err(reason) => return findings.bad(reason),
    };
    let text = at.text().unwrap_or_default();
    let parts = [
        KeyPart::Time(expires_at),
        KeyPart::Id(at.partition),
        KeyPart::Text(text),
    ];
    findings.claim(Claim::entry(
        key(GLOBAL, Family::AnswerByExpiry, &parts),
        (&**findings.key()).into(),
        format!(
            "the stored answer to key {text:?} of caller {}",
            at.partition
        ),
    ));
}

/// Checks an entry in the index of expiries.
/// It may lead to a later answer with the same key. Once it is due, its answer may be gone until the
/// entry is purged too.
pub(super) fn answer_by_expiry(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let now = findings.now;
    let (Some(expires_at), Some(caller), Some(text)) = (at.time(), at.id(), at.text()) else {
        return;
    };
    let answer_key: Key = key(caller, Family::Answer, &[KeyPart::Text(text)]);
    if **row != *answer_key {
        return findings.bad("the entry holds the key of another answer".to_owned());
    }
    let test = move |found: Option<&Value>| match found {
        None if expires_at <= now => None,
        None => Some("an index entry leads to a stored answer that is not there".to_owned()),
        Some(found) => {
            let is_other = expiry_of(found).is_ok_and(|found| found < expires_at);
            is_other
                .then(|| "an index entry leads to a stored answer that expires earlier".to_owned())
        }
    };
    findings.claim_here(Claim::on(answer_key, ProblemKind::StrayEntry, test));
    findings.mended_by(Some(Mend::Remove));
}

/// The problem of rows at a location without an account.
pub(super) fn no_owner(location: Uuid) -> Problem {
    Problem::new(
        ProblemKind::NoOwner,
        &clock_key(location),
        format!("location {location} has rows, and no account has that location"),
    )
}
