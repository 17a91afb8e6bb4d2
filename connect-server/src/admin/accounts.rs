//! The accounts of the store, in which commands look for what they name.

use connect_core::{Account, Connect, Error, Reason};

/// Returns the first account of which this is true.
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

/// The refusal of a command that names something that is not there.
pub(super) fn not_found(problem: String) -> Error {
    Error::NotFound(Reason::new(problem))
}
