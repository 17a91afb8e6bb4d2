//! Sessions of signed-in owners.

use std::net::IpAddr;

use super::{account_of, parse};
use crate::{
    auth::Denied,
    engine::Connect,
    rules::{
        rate::RateStatus,
        secret::{self, Secret},
    },
    storage::{Key, Read},
    transaction::{
        Account, End, Error, Fault, Reason, Session, UnitOfWork,
        keys::{Family, KeyPart, key},
    },
    wire::{Id, Timestamp},
};

/// The length of a session: seven days, used or not.
pub const SESSION_SECONDS: i64 = 7 * 24 * 3600;

/// A new session with its value.
/// Only the owner's browser keeps the value.
#[derive(Clone, Debug)]
pub struct IssuedSession {
    /// Its value, for [`session`](Connect::session).
    pub secret: Secret,
    /// The time of its expiry, seven days from now.
    pub expires_at: Timestamp,
}

/// The signed-in owner of an account.
#[derive(Clone, Debug)]
pub struct Owner {
    account: Account,
    expires_at: Timestamp,
    /// The digest of the session's value.
    pub(super) session: [u8; 32],
}

impl Owner {
    /// Returns the account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Returns the end of the session.
    pub fn session_ends(&self) -> Timestamp {
        self.expires_at
    }
}

impl Connect {
    /// Returns the owner of a session.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when it has ended or never existed.
    pub async fn session(&self, value: &str) -> Result<Owner, Error> {
        let account = account_of(value).ok_or_else(no_session)?;
        let digest = secret::digest(value);
        let session_key = session_key(account, &digest);
        let account_key = key(account.uuid(), Family::Account, &[]);
        let reads = [Read::Get(&session_key), Read::Get(&account_key)];
        let mut rows = self.store().read(&reads).await?;
        let session = rows.value().map_err(Fault::from)?;
        let account = rows.value().map_err(Fault::from)?;
        let (Some(session), Some(account)) = (session, account) else {
            return Err(no_session());
        };
        let session: Session = parse(&session_key, &session)?;
        if session.expires_at <= self.now() {
            return Err(no_session());
        }
        Ok(Owner {
            account: parse(&account_key, &account)?,
            expires_at: session.expires_at,
            session: digest,
        })
    }

    /// Counts a request of a signed-in owner from `address`.
    /// An owner may make as many as a token, in all sessions together.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when there were too many, [`Error::Internal`].
    pub async fn count_owner(&self, address: IpAddr, owner: &Owner) -> Result<RateStatus, Denied> {
        let account = owner.account().id;
        self.core.admission.count_owner(address, account).await
    }

    /// Ends the session of an owner. Ending it again changes nothing.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn sign_out(&self, owner: &Owner) -> Result<(), Error> {
        self.store()
            .transact(owner.account.id, |mut unit| async move {
                let session_key = session_key(owner.account.id, &owner.session);
                if unit.get(&session_key).await?.is_some() {
                    unit.delete(session_key);
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Opens a session for the owner.
    /// The unit works on the owner's account.
    pub(super) fn open_session(&self, unit: &mut UnitOfWork<'_>) -> IssuedSession {
        let account = unit.partition().into();
        let secret = self.secret_of(account);
        let expires_at = unit.now().plus_seconds(SESSION_SECONDS);
        let row = unit.json(&Session {
            created_at: unit.now(),
            expires_at,
        });
        unit.put(session_key(account, &secret.digest()), row);
        IssuedSession { secret, expires_at }
    }
}

/// Ends all sessions except the `keep` youngest unexpired ones.
pub(super) async fn end_sessions(unit: &mut UnitOfWork<'_>, keep: usize) -> Result<(), Error> {
    let prefix = key(unit.partition(), Family::Session, &[]);
    let rows = unit.scan(&prefix, usize::MAX).await?;
    let mut sessions = Vec::with_capacity(rows.len());
    for (session_key, row) in rows {
        let session: Session = parse(&session_key, &row)?;
        sessions.push((session, session_key));
    }
    sessions.sort_by_key(|(session, _)| std::cmp::Reverse(session.created_at));
    let now = unit.now();
    for (place, (session, session_key)) in sessions.into_iter().enumerate() {
        if place >= keep || session.expires_at <= now {
            unit.delete(session_key);
        }
    }
    Ok(())
}

pub(super) fn session_key(account: Id<Account>, digest: &[u8; 32]) -> Key {
    key(account.uuid(), Family::Session, &[KeyPart::Digest(digest)])
}

fn no_session() -> Error {
    Error::Unauthorized(Reason::of("session", "has ended; sign in again"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::*;
    use crate::{
        storage::memory::MemoryStorage,
        transaction::{
            Reads, Store,
            environment::{Environment, ManualClock},
        },
    };

    #[tokio::test]
    async fn the_youngest_sessions_that_have_not_expired_are_kept() {
        let environment = Environment {
            clock: ManualClock::at(Timestamp::EPOCH),
            ..Environment::default()
        };
        let store = Store::new(Arc::new(MemoryStorage::new()), environment);
        let account = Uuid::from_u128(1);
        let own = |number: u8| session_key(account.into(), &[number; 32]);
        for (keep, left) in [
            (9, vec![0, 1, 3]),
            (3, vec![1, 3]),
            (2, vec![3]),
            (0, vec![]),
        ] {
            let found = store.transact(account, |mut unit| async move {
                unit.load(Reads::of(account)).await?;
                // Each is a second younger than the one before; the third has expired.
                for number in 0..4 {
                    let row = Session {
                        created_at: Timestamp::EPOCH.plus_seconds(i64::from(number)),
                        expires_at: Timestamp::EPOCH.plus_seconds(if number == 2 { 0 } else { 1 }),
                    };
                    let row = unit.json(&row);
                    unit.put(own(number), row);
                }
                end_sessions(&mut unit, keep).await?;
                let is_left = |number: &u8| unit.known(&own(*number)).flatten().is_some();
                let found: Vec<u8> = (0..4).filter(is_left).collect();
                Ok::<_, Error>(End::rollback(found))
            });
            assert_eq!(found.await.unwrap(), left, "{keep}");
        }
    }
}
