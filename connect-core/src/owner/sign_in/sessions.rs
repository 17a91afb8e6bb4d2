//! Sessions of signed-in users.

use std::net::IpAddr;

use uuid::Uuid;

use super::{account_of, rows::put_sign_in};
use crate::{
    auth::{Access, Denied},
    engine::Connect,
    owner::accounts::parse,
    rules::{
        rate::RateStatus,
        role::UserRight,
        secret::{self, Secret},
    },
    storage::{Key, Read, Value},
    transaction::{
        Account, Author, End, Error, Fault, KnownBrowser, Origin, ReadKey, Reads, Reason, Session,
        SignIn, UnitOfWork, User, UserMessage,
        keys::{Family, KeyPart, key},
    },
    wire::{Id, Location, Timestamp},
};

/// The length of a session: seven days, used or not.
pub const SESSION_SECONDS: i64 = 7 * 24 * 3600;

/// The end of an unused session: a day after its last use.
pub const SESSION_IDLE_SECONDS: i64 = 24 * 3600;

/// The limit of sessions per user. Another one ends the oldest.
const MOST_SESSIONS: usize = 20;

/// The limit of sessions per user awaiting a code.
const MOST_AWAITING: usize = 3;

/// The time for the second factor: ten minutes.
pub const AWAITING_SECONDS: i64 = 600;

/// The most browsers remembered of a user.
const MOST_BROWSERS: usize = 10;

/// The age of a written last use before another one is written.
const USE_SECONDS: i64 = 600;

/// The most characters kept of a browser's name for itself.
const MAX_DEVICE: usize = 200;

/// A new session with its value.
/// Only the user's browser keeps the value.
#[derive(Clone, Debug)]
pub struct IssuedSession {
    /// Its value, for [`session`](Connect::session).
    pub secret: Secret,
    /// The time of its expiry, seven days from now; ten minutes while it awaits a code.
    pub expires_at: Timestamp,
    /// Set for a user with a second factor.
    /// The session is of no use but for [`finish_sign_in`](Connect::finish_sign_in) with a code; a
    /// [passkey](Connect::sign_in_by_passkey) opens another one.
    pub awaits_code: bool,
    /// A value for a lasting cookie of the browser, unless it sent [one](Origin::browser).
    pub browser: Option<Secret>,
}

/// The proof of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignInWay {
    /// A password, just set or given.
    Password,
    /// A password and a code of the second factor.
    Code,
    /// A passkey.
    Passkey,
    /// The word of the account's provider.
    Provider,
}

/// The session of a signed-in user.
#[derive(Clone, Debug)]
pub struct UserSession {
    account: Account,
    account_row: Value,
    user: User,
    expires_at: Timestamp,
    /// The digest of the session's value.
    pub(super) digest: [u8; 32],
}

impl UserSession {
    /// Returns the account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Returns the user.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Returns whether the user has a right at some place.
    pub fn has(&self, right: UserRight) -> bool {
        self.account.reach(&self.user, right).is_ok()
    }

    /// Authorizes the user at a location, for calls with this right.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]; [`Error::NotFound`] when no location of the user has this id.
    pub fn authorize(&self, location: Id<Location>, right: UserRight) -> Result<Access, Error> {
        let (account, row) = (self.account.clone(), self.account_row.clone());
        Access::of_user(account, row, location, (self.user.id, right))
    }

    /// Returns the end of the session.
    pub fn ends_at(&self) -> Timestamp {
        self.expires_at
    }
}

/// An open session in the list of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenSession {
    /// Its id.
    pub id: Uuid,
    /// The browser at the sign-in, as it named itself.
    pub device: Option<String>,
    /// The network address at the sign-in.
    pub address: Option<IpAddr>,
    /// The time of the sign-in.
    pub signed_in_at: Timestamp,
    /// The time of the last use, to within ten minutes.
    pub used_at: Timestamp,
    /// Set for the session of the caller.
    pub is_own: bool,
}

impl Connect {
    /// Returns the session with this value, and notes its use.
    /// It ends after seven days, or, outside of the sandbox, after a day without use.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when it has ended or never existed.
    pub async fn session(&self, value: &str) -> Result<UserSession, Error> {
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
        let account_row = account;
        let account: Account = parse(&account_key, &account_row)?;
        let now = self.now();
        if session.has_ended(&account, now) || session.awaits_code.is_some() {
            return Err(no_session());
        }
        let user = account.user(session.user);
        let user = user.cloned().ok_or_else(no_session)?;
        if user.needs_provider() && !session.by_provider {
            return Err(no_session());
        }
        if session.last_use().plus_seconds(USE_SECONDS) <= now {
            // A store without room can still be read.
            if let Err(error) = self.note_use(&session_key, account.id).await {
                tracing::debug!(cause = error.cause(), "the use of a session is not noted");
            }
        }
        Ok(UserSession {
            account,
            account_row,
            user,
            expires_at: session.expires_at,
            digest,
        })
    }

    /// The row of a session, with its account.
    pub(super) async fn session_row(
        &self,
        value: &str,
    ) -> Result<Option<(Id<Account>, Session)>, Error> {
        let Some(account) = account_of(value) else {
            return Ok(None);
        };
        let session_key = session_key(account, &secret::digest(value));
        let row = self.store().get(&session_key).await?;
        let session = row.map(|row| parse(&session_key, &row)).transpose()?;
        Ok(session.map(|session| (account, session)))
    }

    /// Writes the last use of a session, if the session is still there.
    async fn note_use(&self, session_key: &Key, account: Id<Account>) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                if let Some(row) = unit.get(session_key).await? {
                    let mut session: Session = parse(session_key, &row)?;
                    session.used_at = Some(unit.now());
                    let row = unit.json(&session);
                    unit.put(session_key.clone(), row);
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// The open sessions of a user, youngest first.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn sessions(&self, of: &UserSession) -> Result<Vec<OpenSession>, Error> {
        let (account, user) = (of.account.id, of.user.id);
        self.store()
            .transact(account, |mut unit| async move {
                let mut open = Vec::new();
                for (session_key, session) in sessions_of(&mut unit, user).await? {
                    if !session.has_ended(&of.account, unit.now()) && session.awaits_code.is_none()
                    {
                        open.push(OpenSession {
                            id: id_of(&session_key),
                            device: session.device.clone(),
                            address: session.address,
                            signed_in_at: session.created_at,
                            used_at: session.last_use(),
                            is_own: session_key == self::session_key(account, &of.digest),
                        });
                    }
                }
                open.sort_by_key(|session| std::cmp::Reverse(session.signed_in_at));
                Ok(End::rollback(open))
            })
            .await
    }

    /// Ends one session of a user; ending it again changes nothing.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn end_session(&self, of: &UserSession, id: Uuid) -> Result<(), Error> {
        self.end_matching(of, |session_key| id_of(session_key) == id)
            .await
    }

    /// Ends all sessions of a user but this one.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn end_other_sessions(&self, of: &UserSession) -> Result<(), Error> {
        let own = session_key(of.account.id, &of.digest);
        self.end_matching(of, |session_key| *session_key != own)
            .await
    }

    async fn end_matching(
        &self,
        of: &UserSession,
        ends: impl Fn(&Key) -> bool,
    ) -> Result<(), Error> {
        let (account, user, ends) = (of.account.id, of.user.id, &ends);
        self.store()
            .transact(account, |mut unit| async move {
                unit.load(Reads::of(account.uuid())).await?;
                end_those(&mut unit, user, ends).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Returns a handle for the calls of a signed-in user.
    #[must_use]
    pub fn by_user(&self, session: &UserSession, origin: Origin) -> Self {
        let id = session.user.id;
        self.by(Author::User { id }, origin)
    }

    /// Counts a request of a signed-in user from `address`.
    /// A user may make as many as a token, in all sessions together.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when there were too many, [`Error::Internal`].
    pub async fn count_user(
        &self,
        address: IpAddr,
        session: &UserSession,
    ) -> Result<RateStatus, Denied> {
        let user = session.user.id;
        self.core.admission.count_user(address, user).await
    }

    /// Ends a session. Ending it again changes nothing.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn sign_out(&self, session: &UserSession) -> Result<(), Error> {
        let account = session.account.id;
        self.store()
            .transact(account, |mut unit| async move {
                let session_key = session_key(account, &session.digest);
                if unit.get(&session_key).await?.is_some() {
                    unit.delete(session_key);
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Opens a session for a user of the unit's account, and writes the sign-in.
    /// A user without a password has none. The session of a password awaits the code of a second factor.
    pub(super) async fn open_session(
        &self,
        unit: &mut UnitOfWork<'_>,
        (account, user): (&Account, &User),
        sign_in: Option<&mut SignIn>,
        way: SignInWay,
    ) -> Result<IssuedSession, Error> {
        let (secret, origin) = (self.secret_of(account.id), self.authorship().origin);
        let has_factor = sign_in.as_ref().is_some_and(|of| of.has_factor());
        let awaits_code = has_factor && way == SignInWay::Password;
        make_room(unit, user.id, awaits_code).await?;
        let seconds = if awaits_code {
            AWAITING_SECONDS
        } else {
            SESSION_SECONDS
        };
        let expires_at = unit.now().plus_seconds(seconds);
        let device = origin.device.as_ref();
        let device = device.map(|device| device.chars().take(MAX_DEVICE).collect());
        unit.act_as(Author::User { id: user.id });
        let mut browser = None;
        if let Some(sign_in) = sign_in {
            if !awaits_code {
                browser = self.note_browser(unit, (account, user), sign_in, &device, &origin)?;
            }
            put_sign_in(unit, user.id, sign_in).await?;
        }
        let row = unit.json(&Session {
            user: user.id,
            created_at: unit.now(),
            expires_at,
            used_at: None,
            device,
            address: origin.address,
            awaits_code: awaits_code.then_some(0),
            by_provider: way == SignInWay::Provider,
        });
        unit.put(session_key(account.id, &secret.digest()), row);
        Ok(IssuedSession {
            secret,
            expires_at,
            awaits_code,
            browser,
        })
    }

    /// Notes the browser of a sign-in. A user with earlier ones gets mail about a new one.
    /// Returns the value for its cookie, if it has none.
    fn note_browser(
        &self,
        unit: &mut UnitOfWork<'_>,
        to: (&Account, &User),
        sign_in: &mut SignIn,
        device: &Option<String>,
        origin: &Origin,
    ) -> Result<Option<Secret>, Error> {
        let used_at = unit.now();
        let browsers = &mut sign_in.browsers;
        let sent = origin.browser.as_ref();
        let sent = sent.map(|browser| hex::encode(secret::digest(&browser.0)));
        let known = browsers
            .iter()
            .position(|of| Some(&of.digest) == sent.as_ref());
        let (digest, issued) = match known {
            Some(place) => (browsers.remove(place).digest, None),
            None => {
                if !browsers.is_empty() {
                    let message = UserMessage::NewDevice {
                        device: device.clone(),
                        address: origin.address,
                    };
                    self.queue_mail(unit, to, message, None)?;
                }
                let secret = Secret::new("", &*self.store().environment().randomness);
                (hex::encode(secret.digest()), Some(secret))
            }
        };
        browsers.push(KnownBrowser { digest, used_at });
        let excess = browsers.len().saturating_sub(MOST_BROWSERS);
        browsers.drain(..excess);
        Ok(issued)
    }
}

/// Ends the expired sessions of a user, and the oldest ones beyond the limit.
/// Those awaiting a code have a limit of their own: who knows the password alone ends no other session.
async fn make_room(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
    awaits_code: bool,
) -> Result<(), Error> {
    let most = if awaits_code {
        MOST_AWAITING
    } else {
        MOST_SESSIONS
    };
    keep_youngest(unit, user, awaits_code, most - 1).await
}

async fn keep_youngest(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
    awaits_code: bool,
    keep: usize,
) -> Result<(), Error> {
    let mut sessions = sessions_of(unit, user).await?;
    sessions.sort_by_key(|(_, session)| std::cmp::Reverse(session.created_at));
    let (now, mut kept) = (unit.now(), 0);
    for (session_key, session) in sessions {
        let is_alike = session.awaits_code.is_some() == awaits_code;
        let is_over = session.expires_at <= now || is_alike && kept == keep;
        if is_over {
            unit.delete(session_key);
        } else if is_alike {
            kept += 1;
        }
    }
    Ok(())
}

/// Ends all sessions of a user.
pub(in crate::owner) async fn end_sessions(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<(), Error> {
    end_those(unit, user, |_| true).await
}

/// Ends all sessions of an account's users opened through its provider.
pub(super) async fn end_provider_sessions(unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
    let prefix = key(unit.partition(), Family::Session, &[]);
    // An account has at most 20 for each user.
    for (session_key, row) in unit.scan(&prefix, usize::MAX).await? {
        let session: Session = parse(&session_key, &row)?;
        if session.by_provider {
            unit.delete(session_key);
        }
    }
    Ok(())
}

/// Ends all sessions of a user but this one.
pub(super) async fn end_others(
    unit: &mut UnitOfWork<'_>,
    session: &UserSession,
) -> Result<(), Error> {
    let own = session_key(session.account.id, &session.digest);
    end_those(unit, session.user.id, |session_key| *session_key != own).await
}

/// Ends the matching sessions of a user.
pub(super) async fn end_those(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
    ends: impl Fn(&Key) -> bool,
) -> Result<(), Error> {
    for (session_key, _) in sessions_of(unit, user).await? {
        if ends(&session_key) {
            unit.delete(session_key);
        }
    }
    Ok(())
}

/// The sessions of a user, open or ended.
async fn sessions_of(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<Vec<(Key, Session)>, Error> {
    let prefix = key(unit.partition(), Family::Session, &[]);
    let mut sessions = Vec::new();
    // An account has at most 20 for each user.
    for (session_key, row) in unit.scan(&prefix, usize::MAX).await? {
        let session: Session = parse(&session_key, &row)?;
        if session.user == user {
            sessions.push((session_key, session));
        }
    }
    Ok(sessions)
}

/// The id of a session: the beginning of the digest of its value.
fn id_of(session_key: &Key) -> Uuid {
    let digest = ReadKey::of(session_key).and_then(|at| at.digest().copied());
    let id = digest.and_then(|digest| Uuid::from_slice(&digest[..16]).ok());
    id.unwrap_or_default()
}

impl Session {
    /// Returns whether it has expired, or was unused for too long.
    /// The time of a sandbox may be put ahead, so there a session is never idle.
    fn has_ended(&self, account: &Account, now: Timestamp) -> bool {
        let idle_from = self.last_use().plus_seconds(SESSION_IDLE_SECONDS);
        self.expires_at <= now || !account.sandbox && idle_from <= now
    }
}

pub(super) fn session_key(account: Id<Account>, digest: &[u8; 32]) -> Key {
    key(account.uuid(), Family::Session, &[KeyPart::Digest(digest)])
}

pub(super) fn no_session() -> Error {
    Error::Unauthorized(Reason::of("session", "has ended; sign in again"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        storage::memory::MemoryStorage,
        transaction::{
            Store,
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
        let user = Uuid::from_u128(2).into();
        let own = |number: u8| session_key(account.into(), &[number; 32]);
        // The second awaits a code: its kind has a number of its own.
        for (awaits_code, keep, left) in [
            (false, 9, vec![0, 1, 3]),
            (false, 1, vec![1, 3]),
            (false, 0, vec![1]),
            (true, 1, vec![0, 1, 3]),
            (true, 0, vec![0, 3]),
        ] {
            let found = store.transact(account, |mut unit| async move {
                unit.load(Reads::of(account)).await?;
                // Each is a second younger than the one before; the third has expired.
                for number in 0..4 {
                    let row = Session {
                        user,
                        created_at: Timestamp::EPOCH.plus_seconds(i64::from(number)),
                        expires_at: Timestamp::EPOCH.plus_seconds(if number == 2 { 0 } else { 1 }),
                        used_at: None,
                        device: None,
                        address: None,
                        awaits_code: (number == 1).then_some(0),
                        by_provider: false,
                    };
                    let row = unit.json(&row);
                    unit.put(own(number), row);
                }
                keep_youngest(&mut unit, user, awaits_code, keep).await?;
                let is_left = |number: &u8| unit.known(&own(*number)).flatten().is_some();
                let found: Vec<u8> = (0..4).filter(is_left).collect();
                Ok::<_, Error>(End::rollback(found))
            });
            assert_eq!(found.await.unwrap(), left, "{keep}");
        }
    }
}
