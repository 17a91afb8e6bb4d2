//! The accounts of commands: named, or found by their contents.

use connect_core::{
    Account, Connect, Error, Reason,
    wire::{Id, Location},
};

/// The number of accounts named in a refusal.
const ACCOUNTS_SHOWN: usize = 10;

/// Returns the first account accepted by `has`.
pub(super) async fn find_account(
    connect: &Connect,
    has: impl Fn(&Account) -> bool,
) -> Result<Option<Account>, Error> {
    for id in connect.account_ids().await? {
        let account = connect.account(id).await?;
        if has(&account) {
            return Ok(Some(account));
        }
    }
    Ok(None)
}

/// Returns the account of a location.
///
/// # Errors
/// There is no such location.
pub(super) async fn account_of_location(
    connect: &Connect,
    location: Id<Location>,
) -> Result<Account, Error> {
    let has = |account: &Account| account.locations.iter().any(|at| at.id == location);
    let found = find_account(connect, has).await?;
    found.ok_or_else(|| {
        not_found(format!(
            "there is no location {location}; `connect-server location list` lists them"
        ))
    })
}

/// Returns the account for a new object.
/// It is the named one, the one of the locations, or the only one.
///
/// # Errors
/// There is no such location, or no account, or there are several.
pub(super) async fn account_for(
    connect: &Connect,
    account: Option<Id<Account>>,
    locations: &[Id<Location>],
) -> Result<Id<Account>, Error> {
    if let Some(account) = account {
        return Ok(account);
    }
    if let Some(first) = locations.first() {
        return Ok(account_of_location(connect, *first).await?.id);
    }
    match connect.account_ids().await?[..] {
        [] => Err(not_found(
            "the store has no account; `connect-server account create` makes one".to_owned(),
        )),
        [only] => Ok(only),
        ref several => Err(ambiguous(connect, several).await?),
    }
}

/// Makes the refusal of a command without the account it needs.
async fn ambiguous(connect: &Connect, accounts: &[Id<Account>]) -> Result<Error, Error> {
    let mut named = Vec::new();
    for id in accounts.iter().take(ACCOUNTS_SHOWN) {
        named.push(format!("{id} ({})", connect.account(*id).await?.name));
    }
    let more = if accounts.len() > ACCOUNTS_SHOWN {
        ", and more"
    } else {
        ""
    };
    Ok(Error::Conflict(Reason::new(format!(
        "the store has {} accounts: choose one with --account ID; the accounts are {}{more}",
        accounts.len(),
        named.join(", "),
    ))))
}

/// The refusal of a command about a missing object.
pub(super) fn not_found(problem: String) -> Error {
    Error::NotFound(Reason::new(problem))
}
