//! The rules for rows of accounts, tokens and stored answers.

use uuid::Uuid;

use super::{
    Problem, ProblemKind,
    claim::{Claim, Mend},
    findings::Findings,
    webhooks,
};
use crate::{
    engine::expiry_of,
    storage::{Key, Value},
    transaction::{
        Account, ReadKey, ScreenKey, Token, clock_key,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{Id, Location, Timestamp},
};

/// Checks an account.
/// It is listed and has a clock, and its screens are at its locations.
pub(super) fn account(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(account) = findings.parse::<Account>(row) else {
        return;
    };
    let id = account.id.uuid();
    if id != at.partition {
        return findings.bad(format!("the row holds {id}, which is another account"));
    }
    let is_there =
        |location: Id<Location>| account.locations.iter().any(|other| other.id == location);
    for screen in &account.screens {
        if !is_there(screen.location_id) {
            let (screen, location) = (screen.id, screen.location_id);
            findings.problem(
                ProblemKind::MissingReference,
                format!(
                    "screen {screen} of account {id} is at location {location}, which is none of it"
                ),
            );
        }
    }
    webhooks::of_account(findings, &account);
    let listed = key(GLOBAL, Family::AccountList, &[KeyPart::Id(id)]);
    findings.claim(Claim::entry(listed, Vec::new(), format!("account {id}")));
    findings.claim(Claim::there(
        clock_key(id),
        ProblemKind::ClockBehind,
        format!("account {id} has no clock"),
    ));
}

/// Checks an entry in the list of accounts.
pub(super) fn account_list(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.is_empty(row);
    if let Some(id) = at.id() {
        let of_id = move |account: &Account| account.id == id;
        let claim = Claim::row(findings.key(), key(id, Family::Account, &[]), of_id);
        findings.claim(claim);
    }
}

/// Checks a token: it and its account lead to each other.
/// The account has the locations of all its grants.
pub(super) fn token(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Some(token), Some(digest)) = (findings.parse::<Token>(row), at.digest()) else {
        return;
    };
    let (id, account) = (token.id.uuid(), token.account_id.uuid());
    let account_key = key(account, Family::Account, &[]);
    let whose = || format!("token {id}");
    findings.claim(Claim::entry(
        key(account, Family::TokenById, &[KeyPart::Id(id)]),
        digest.to_vec(),
        whose(),
    ));
    findings.claim(Claim::entry(
        key(GLOBAL, Family::AccountOfToken, &[KeyPart::Digest(digest)]),
        account_key.to_vec(),
        whose(),
    ));
    let granted: Vec<_> = token.grants.iter().map(|grant| grant.location_id).collect();
    let test = move |found: Option<&Value>| {
        let Some(found) = found else {
            return Some(format!(
                "token {id} is of account {account}, which is not there"
            ));
        };
        let account: Account = serde_json::from_slice(found).ok()?;
        let is_there = |location| account.locations.iter().any(|other| other.id == location);
        let lost = granted.iter().find(|location| !is_there(**location))?;
        Some(format!(
            "token {id} is for location {lost}, which is none of its account"
        ))
    };
    let claim = Claim::on(account_key, ProblemKind::MissingReference, test);
    findings.claim(claim.reported_as(&findings.key().clone()));
}

/// Checks an entry from an account to one of its tokens.
pub(super) fn token_by_id(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(digest), Some(id)) = (<[u8; 32]>::try_from(&**row), at.id()) else {
        return findings.bad("the row holds no digest".to_owned());
    };
    let account = at.partition;
    let has = move |token: &Token| token.id == id && token.account_id == account;
    let row = key(GLOBAL, Family::Token, &[KeyPart::Digest(&digest)]);
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
}

/// Checks an entry from a token's digest to its account.
pub(super) fn account_of_token(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(digest) = at.digest() else { return };
    let account = row.clone();
    let has = move |token: &Token| *account == *key(token.account_id.uuid(), Family::Account, &[]);
    let row = key(GLOBAL, Family::Token, &[KeyPart::Digest(digest)]);
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
}

/// Checks the time of a token's last use.
pub(super) fn token_use(findings: &mut Findings, at: &ReadKey, row: &Value) {
    findings.parse::<Timestamp>(row);
    if let Some(id) = at.id() {
        findings.refers(
            key(at.partition, Family::TokenById, &[KeyPart::Id(id)]),
            format!("token {id} was used, and is not there"),
        );
        findings.mended_by(Some(Mend::Remove));
    }
}

/// Checks a screen's key: it and its account lead to each other.
/// The account has the screen.
pub(super) fn screen_key(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Some(screen_key), Some(digest)) = (findings.parse::<ScreenKey>(row), at.digest()) else {
        return;
    };
    let (screen, account) = (screen_key.screen_id, screen_key.account_id.uuid());
    let account_key = key(account, Family::Account, &[]);
    let whose = || format!("the key of screen {screen}");
    findings.claim(Claim::entry(
        key(
            account,
            Family::ScreenKeyById,
            &[KeyPart::Id(screen.uuid())],
        ),
        digest.to_vec(),
        whose(),
    ));
    findings.claim(Claim::entry(
        key(
            GLOBAL,
            Family::AccountOfScreenKey,
            &[KeyPart::Digest(digest)],
        ),
        account_key.to_vec(),
        whose(),
    ));
    let test = move |found: Option<&Value>| {
        let account: Option<Account> = found.and_then(|row| serde_json::from_slice(row).ok());
        let has = account.is_some_and(|account| account.screens.iter().any(|s| s.id == screen));
        (!has).then(|| format!("screen {screen} has a key, and is not in its account"))
    };
    let claim = Claim::on(account_key, ProblemKind::MissingReference, test);
    findings.claim(claim.reported_as(&findings.key().clone()));
}

/// Checks an entry from a screen to its key.
pub(super) fn screen_key_by_id(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let (Ok(digest), Some(id)) = (<[u8; 32]>::try_from(&**row), at.id()) else {
        return findings.bad("the row holds no digest".to_owned());
    };
    let account = at.partition;
    let has = move |key: &ScreenKey| key.screen_id == id && key.account_id == account;
    let row = key(GLOBAL, Family::ScreenKey, &[KeyPart::Digest(&digest)]);
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
}

/// Checks an entry from a screen key's digest to its account.
pub(super) fn account_of_screen_key(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(digest) = at.digest() else { return };
    let account = row.clone();
    let has = move |own: &ScreenKey| *account == *key(own.account_id.uuid(), Family::Account, &[]);
    let row = key(GLOBAL, Family::ScreenKey, &[KeyPart::Digest(digest)]);
    let claim = Claim::row(findings.key(), row, has);
    findings.claim(claim);
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
        findings.key().to_vec(),
        format!(
            "the stored answer to key {text:?} of caller {}",
            at.partition
        ),
    ));
}

/// Checks an entry in the index of expiries.
/// It may lead to a later answer with the same key. Once it is due, its answer may be gone until the
/// entry is purged too.
pub(super) fn answer_by_expiry(findings: &mut Findings, at: &ReadKey, row: &Value, now: Timestamp) {
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
    let claim = Claim::on(answer_key, ProblemKind::StrayEntry, test);
    findings.claim(claim.reported_as(&findings.key().clone()));
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
