//! The mail about tokens close to their expiry.
//!
//! The commit with the mail notes in the token that its users know: no restart and no second server sends it again.

use uuid::Uuid;

use super::{super::Connect, Purge};
use crate::{
    rules::access,
    storage::Key,
    transaction::{
        Account, End, Error, Fault, Reads, Token, UserMessage,
        keys::{Family, key},
    },
};

impl Purge<'_> {
    /// Queues mail about these tokens of an account.
    pub(super) async fn warn_of_expiry(&mut self, account: Uuid, tokens: &[Key]) {
        for token_key in tokens {
            if let Err(error) = self.connect.warn_of_expiry(account, token_key).await {
                self.failed(hex::encode(token_key), &error.cause());
            }
        }
    }
}

impl Connect {
    /// Queues mail about the expiry of a token to its managers.
    /// If there are none at present, the next round looks for them again.
    async fn warn_of_expiry(&self, account: Uuid, token_key: &Key) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let account_key = key(account, Family::Account, &[]);
                let mut reads = Reads::of(account);
                reads.row(account_key.clone());
                reads.row(token_key.clone());
                unit.load(reads).await?;
                let rows = (unit.get(&account_key).await?, unit.get(token_key).await?);
                let (Some(account_row), Some(row)) = rows else {
                    return Ok(End::rollback(()));
                };
                let account: Account = serde_json::from_slice(&account_row)
                    .map_err(|e| Fault::corrupt(&account_key, e))?;
                let mut token: Token =
                    serde_json::from_slice(&row).map_err(|e| Fault::corrupt(token_key, e))?;
                // It may have been revoked since the round has read it.
                let is_due = access::is_warning_due(&token, unit.now());
                let Some(expires_at) = token.expires_at.filter(|_| is_due) else {
                    return Ok(End::rollback(()));
                };
                let message = UserMessage::TokenExpires {
                    name: token.name.clone(),
                    prefix: token.prefix.clone(),
                    expires_at,
                };
                let mut is_queued = false;
                for user in access::managers(&account, &token) {
                    let to = (&account, user);
                    is_queued |= self.queue_mail(&mut unit, to, message.clone(), None)?;
                }
                if !is_queued {
                    return Ok(End::rollback(()));
                }
                token.expiry_warned_at = Some(unit.now());
                // Its row is not of the account's partition. Another round may remove it meanwhile.
                unit.expect(token_key, &row);
                unit.put_stored(token_key.clone(), &token);
                Ok(End::commit(unit, ()))
            })
            .await
    }
}
