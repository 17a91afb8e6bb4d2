//! Mail to users, queued by the commit of its event.

use super::connect::Connect;
use crate::{
    rules::secret::Secret,
    transaction::{Account, Error, QueuedMail, UnitOfWork, User, UserMessage},
};

impl Connect {
    /// Queues a message to a user, with the secret for its link.
    /// Returns whether mail is sent at all.
    pub(crate) fn queue_mail(
        &self,
        unit: &mut UnitOfWork<'_>,
        (account, to): (&Account, &User),
        message: UserMessage,
        secret: Option<&Secret>,
    ) -> Result<bool, Error> {
        let environment = self.store().environment();
        if !environment.queues_mail {
            return Ok(false);
        }
        let id = environment.ids.next();
        let sealer = self.store().sealer();
        let seal = |secret: &Secret| sealer.seal(secret.expose(), QueuedMail::place(id));
        let mail = QueuedMail {
            to: to.email.clone(),
            language: to.language,
            business: account.name.clone(),
            message,
            secret: secret.map(seal).transpose()?,
            created_at: unit.now(),
            attempts: 0,
        };
        let row = unit.json(&mail);
        unit.put_unversioned(QueuedMail::key(unit.now(), account.id, id), row);
        unit.wake_workers();
        Ok(true)
    }

    /// Queues a message to all owners of the unit's account.
    pub(crate) fn mail_owners(
        &self,
        unit: &mut UnitOfWork<'_>,
        account: &Account,
        message: &UserMessage,
    ) -> Result<(), Error> {
        for owner in account.owners() {
            self.queue_mail(unit, (account, owner), message.clone(), None)?;
        }
        Ok(())
    }
}
