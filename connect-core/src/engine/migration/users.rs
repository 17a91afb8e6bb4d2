//! Migration 4: every account has users.
//!
//! Before, an account had one owner: an e-mail address, with at most one password and invitation.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::super::connect::Connect;
use crate::{
    storage::{Commit, Entry, Expectation, Key, Range, Read, Value, Write},
    transaction::{
        Account, Fault, Invitation, SignIn, User,
        keys::{Family, after_prefix, key},
    },
    wire::Id,
};

/// Makes the owner of an account its first user.
pub(super) async fn change(connect: &Connect, account: Uuid) -> Result<Option<Commit>, Fault> {
    let store = connect.store();
    let account_key = key(account, Family::Account, &[]);
    let Some(row) = store.get(&account_key).await? else {
        return Ok(None);
    };
    let fields: Map<String, Json> = parse(&account_key, &row)?;
    // Reading makes the owner a user.
    let of: Account = parse(&account_key, &row)?;
    let Some(user) = of.users.first() else {
        return Ok(None);
    };
    let mut writes = Vec::new();
    // A write before the migration has the users already.
    if !fields.contains_key("users") {
        writes.push((account_key.clone(), put(&account_key, &of)?));
    }

    let sign_in_key = key(account, Family::SignIn, &[]);
    if let Some(sign_in) = store.get(&sign_in_key).await? {
        let email = parse::<SignIn>(&sign_in_key, &sign_in)?.email;
        let holder = [*account.as_bytes(), *user.id.uuid().as_bytes()].concat();
        writes.push((SignIn::email_key(&email), Write::Put(holder.into())));
        writes.push((SignIn::key(account, user.id), Write::Put(sign_in)));
        writes.push((sign_in_key, Write::Remove));
    }
    let invitation_key = key(account, Family::Invitation, &[]);
    if let Some(invitation) = store.get(&invitation_key).await? {
        let own = Invitation::key(account, user.id);
        writes.push((own, Write::Put(invitation)));
        writes.push((invitation_key, Write::Remove));
    }
    for (session_key, session) in sessions(connect, account).await? {
        writes.extend(of_user(session_key, &session, user.id)?);
    }
    if writes.is_empty() {
        return Ok(None);
    }
    Ok(Some(Commit {
        expects: vec![(account_key, Expectation::Is(row))],
        writes,
        ..Commit::default()
    }))
}

/// Gives a session its user; `None` if it has one.
fn of_user(session_key: Key, row: &Value, user: Id<User>) -> Result<Option<(Key, Write)>, Fault> {
    let mut fields: Map<String, Json> = parse(&session_key, row)?;
    if fields.contains_key("user") {
        return Ok(None);
    }
    fields.insert("user".to_owned(), Json::String(user.to_string()));
    let row = put(&session_key, &fields)?;
    Ok(Some((session_key, row)))
}

/// The sessions of an account: at most 20, and some expired ones.
async fn sessions(connect: &Connect, account: Uuid) -> Result<Vec<Entry>, Fault> {
    let from = key(account, Family::Session, &[]);
    let range = Range {
        from: &from,
        to: Some(&after_prefix(&from)),
    };
    let scan = Read::Scan {
        range,
        limit: usize::MAX,
        newest_first: false,
    };
    Ok(connect.store().read(&[scan]).await?.entries()?)
}

fn parse<T: DeserializeOwned>(key: &Key, row: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|error| Fault::corrupt(key, error))
}

fn put(key: &Key, row: &impl Serialize) -> Result<Write, Fault> {
    let row = serde_json::to_vec(row).map_err(|error| Fault::corrupt(key, error))?;
    Ok(Write::Put(row.into()))
}
