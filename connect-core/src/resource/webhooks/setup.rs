//! The commit of a change of an account's webhooks.

use super::super::accounts::get_account;
use crate::{
    engine::Connect,
    error::Error,
    record::{Account, Attempt, Unit, Webhooks},
    wire::Id,
};

/// A change of the webhooks of an account on its way.
pub(in super::super) struct Setup<'a, 's> {
    /// The unit of work, on the account.
    pub(in super::super) unit: &'a mut Unit<'s>,
    /// The account.
    pub(in super::super) account: Account,
    /// Its webhooks, to be changed.
    pub(in super::super) webhooks: Webhooks,
}

impl Connect {
    /// Changes the webhooks of an account in one commit. `change` is called again after a conflict.
    pub(in super::super) async fn set_up_webhooks<T: Send>(
        &self,
        account: Id<Account>,
        mut change: impl FnMut(&mut Setup<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let row_key = Webhooks::key(account.uuid());
        let mut attempts = self.attempts(account.uuid());
        loop {
            let mut unit = attempts.begin();
            let account = get_account(&mut unit).await?;
            let row = unit.get(&row_key).await?;
            let before = Webhooks::read(&row_key, row.as_ref())?;
            let mut setup = Setup {
                unit: &mut unit,
                account,
                webhooks: before.clone(),
            };
            let outcome = change(&mut setup)?;
            let after = setup.webhooks;
            if after != before {
                let row = unit.json(&after);
                unit.put(row_key.clone(), row);
            }
            if attempts.commit(unit).await? == Attempt::Done {
                return Ok(outcome);
            }
        }
    }
}
