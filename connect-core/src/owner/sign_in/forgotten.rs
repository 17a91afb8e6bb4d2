//! Forgotten passwords: a link by mail to set another one.

use std::net::IpAddr;

use super::{passwords::folded_email, rows::get_sign_in};
use crate::{
    engine::Connect,
    owner::accounts::{get_account, parse},
    transaction::{Account, End, Error, Invitation, Reason, User, UserMessage},
    wire::Id,
};

/// The validity of a link: an hour.
const LINK_SECONDS: i64 = 3600;

/// The time before another link is sent.
const PAUSE_SECONDS: i64 = 300;

impl Connect {
    /// Sends a link to set another password to the user with this e-mail address, if there is one.
    /// The link is an [invitation](Self::accept_invitation) for an hour; an earlier one is refused from then on. A
    /// user gets one in five minutes at most. Attempts count as those of [`sign_in`](Self::sign_in).
    ///
    /// The returned future looks for the user, and logs its failures. Answer the caller before it is done: neither
    /// answer nor time then reveals the addresses of users.
    ///
    /// # Errors
    /// [`Error::RateLimited`]; [`Error::Conflict`]: this service sends no mail.
    pub fn forget_password(
        &self,
        from: IpAddr,
        email: &str,
    ) -> Result<impl Future<Output = ()> + Send + use<>, Error> {
        if !self.store().environment().queues_mail {
            return Err(Error::Conflict(Reason::new(
                "this server sends no mail; ask an owner of your account, or the operator of this server, for a new \
                 invitation",
            )));
        }
        let email = folded_email(email);
        self.core.sign_ins.attempt(from, &email)?;
        let connect = self.clone();
        Ok(async move {
            let sent = async {
                match connect.user_with_email(&email).await? {
                    Some((account, user)) => connect.send_link(account, user).await,
                    None => Ok(()),
                }
            };
            if let Err(error) = sent.await {
                tracing::error!(
                    cause = error.cause(),
                    "a link for a forgotten password was not sent"
                );
            }
        })
    }

    async fn send_link(&self, account: Id<Account>, user: Id<User>) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let found = get_account(&mut unit).await?;
                let to = found.user(user);
                let to = to.filter(|user| !user.needs_provider());
                let (Some(to), Some(_)) = (to, get_sign_in(&mut unit, user).await?) else {
                    return Ok(End::rollback(()));
                };
                let until = unit.now().plus_seconds(LINK_SECONDS);
                let row_key = Invitation::key(account.uuid(), user);
                if let Some(row) = unit.get(&row_key).await? {
                    let open: Invitation = parse(&row_key, &row)?;
                    // It was just sent, or an owner's invitation lasts longer.
                    if until.plus_seconds(-PAUSE_SECONDS) < open.expires_at {
                        return Ok(End::rollback(()));
                    }
                }
                let secret = self.secret_of(account);
                let row = unit.json(&Invitation {
                    digest: hex::encode(secret.digest()),
                    expires_at: until,
                });
                unit.put(row_key, row);
                let message = UserMessage::ForgottenPassword { until };
                self.queue_mail(&mut unit, (&found, to), message, Some(&secret))?;
                Ok(End::commit(unit, ()))
            })
            .await
    }
}
