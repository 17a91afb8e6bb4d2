//! Passkeys: a sign-in of their own, and the second factor.
//!
//! The service around the core makes the challenges and verifies the answers of browsers. The core has the passkeys, and
//! decides about the user. A passkey is asked for the person's fingerprint, face or PIN, so it is two factors in one.
//!
//! A challenge for a sign-in is kept by the browser, sealed: a visitor writes no row, and any server can go on with
//! it. A passkey accepts a challenge younger than its last one alone, so none is good twice.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    passwords::{check_way, get_confirmed, remove_invitation},
    rows::{get_sign_in, put_sign_in},
    sessions::{AWAITING_SECONDS, IssuedSession, SignInWay, UserSession, end_others},
};
use crate::{
    engine::Connect,
    owner::accounts::get_account,
    rules::{secret::Secret, text},
    transaction::{
        Account, BegunPasskey, End, Error, Reason, SecretPlace, StoredPasskey, User, UserMessage,
    },
    wire::{Id, Timestamp, read::Invalid},
};

/// The most passkeys of a user.
const MOST_PASSKEYS: usize = 10;

/// The greatest difference between the clocks of two servers.
const MOST_AHEAD_SECONDS: i64 = 60;

/// The place of a sealed challenge.
const CHALLENGE: SecretPlace = SecretPlace {
    kind: "passkey challenge",
    of: Uuid::nil(),
};

/// A passkey of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passkey {
    /// Its id.
    pub id: Uuid,
    /// Its id at the user's device, chosen there.
    pub credential_id: String,
    /// Its name, chosen by the user.
    pub name: String,
    /// The time of its addition.
    pub added_at: Timestamp,
    /// The time of the last sign-in with it.
    pub used_at: Option<Timestamp>,
}

/// A new passkey, as verified by the service around the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// Its id at the user's device.
    pub credential_id: String,
    /// Its public key, counter and flags, as the service writes them.
    pub credential: String,
}

/// The passkey named by a browser, not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyClaim {
    /// The account of its user.
    pub account: Id<Account>,
    /// Its user.
    pub user: Id<User>,
    /// Its id at the user's device.
    pub credential_id: String,
}

impl PasskeyClaim {
    /// Reads a user handle; `None` for one of another service.
    pub fn of(handle: &[u8], credential_id: String) -> Option<Self> {
        let (account, user) = handle.split_first_chunk::<16>()?;
        let user = Uuid::from_slice(user).ok()?;
        Some(Self {
            account: Uuid::from_bytes(*account).into(),
            user: user.into(),
            credential_id,
        })
    }
}

/// A sealed challenge.
#[derive(Serialize, Deserialize)]
struct Challenge {
    /// The state of the service.
    state: String,
    begun_at: Timestamp,
}

impl UserSession {
    /// Returns the user handle for the user's passkeys.
    pub fn passkey_handle(&self) -> [u8; 32] {
        let (account, user) = (self.account().id.uuid(), self.user().id.uuid());
        let mut handle = [0; 32];
        handle[..16].copy_from_slice(account.as_bytes());
        handle[16..].copy_from_slice(user.as_bytes());
        handle
    }
}

impl Connect {
    /// Returns the passkeys of a signed-in user, oldest first.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn passkeys(&self, of: &UserSession) -> Result<Vec<Passkey>, Error> {
        let row = self.sign_in_row(of.account().id, of.user().id).await?;
        let passkeys = row.map(|row| row.passkeys).unwrap_or_default();
        Ok(passkeys.into_iter().map(StoredPasskey::shown).collect())
    }

    /// Begins to add a passkey of a signed-in user.
    /// `state` is what the service needs to verify the browser's answer; it is accepted for ten minutes. Shares the limit
    /// of [`change_password`](Self::change_password).
    ///
    /// # Errors
    /// `currentPassword` is wrong, `name` has not 1 to 100 characters, [`Error::RateLimited`]; [`Error::Conflict`]:
    /// the user has the most passkeys, or the core has no key to seal challenges.
    pub async fn begin_passkey(
        &self,
        of: &UserSession,
        current: &str,
        name: &str,
        state: &str,
    ) -> Result<(), Error> {
        let name = &text::owner_name(name)?;
        // Without a key, no sign-in could follow.
        self.passkey_challenge(String::new())?;
        let (account, user) = (of.account().id, of.user().id);
        let confirmed = &self.confirmed_password(of, current).await?;
        let begun = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let mut row = get_confirmed(&mut unit, user, confirmed).await?;
            check_room(&row.passkeys)?;
            row.new_passkey = Some(BegunPasskey {
                name: name.clone(),
                state: state.to_owned(),
                begun_at: unit.now(),
            });
            put_sign_in(&mut unit, user, &row).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        begun.await?;
        self.core.sign_ins.confirmed(user);
        Ok(())
    }

    /// Adds the begun passkey of a signed-in user.
    /// `verify` has the kept state, and verifies the browser's answer.
    /// The user gets mail. With the first second factor, all other sessions of the user end.
    ///
    /// # Errors
    /// `passkey` was not begun, or was ten minutes ago, or is there already; the error of `verify`.
    pub async fn add_passkey(
        &self,
        of: &UserSession,
        verify: impl FnOnce(&str) -> Result<NewPasskey, Error>,
    ) -> Result<Passkey, Error> {
        let (account, user) = (of.account().id, of.user().id);
        let row = self.sign_in_row(account, user).await?;
        let begun = &row.and_then(|row| row.new_passkey).ok_or_else(not_begun)?;
        let new = &verify(&begun.state)?;
        let added = self.store().transact(account, |mut unit| async move {
            let row = get_sign_in(&mut unit, user).await?;
            let row = row.filter(|row| row.new_passkey.as_ref() == Some(begun));
            let mut row = row.ok_or_else(not_begun)?;
            let now = unit.now();
            if begun.begun_at.plus_seconds(AWAITING_SECONDS) <= now {
                return Err(not_begun().into());
            }
            check_room(&row.passkeys)?;
            if row
                .passkeys
                .iter()
                .any(|passkey| passkey.credential_id == new.credential_id)
            {
                return Err(Error::conflict("passkey", "is there already"));
            }
            let is_first_factor = !row.has_factor();
            let passkey = StoredPasskey {
                id: self.store().environment().ids.next(),
                credential_id: new.credential_id.clone(),
                name: begun.name.clone(),
                credential: new.credential.clone(),
                added_at: now,
                used_at: None,
                begun_at: begun.begun_at,
            };
            row.new_passkey = None;
            row.passkeys.push(passkey.clone());
            put_sign_in(&mut unit, user, &row).await?;
            if is_first_factor {
                end_others(&mut unit, of).await?;
                remove_invitation(&mut unit, user).await?;
            }
            let message = UserMessage::PasskeyChanged {
                name: passkey.name.clone(),
                is_added: true,
            };
            self.factor_changed(&mut unit, user, &row, message).await?;
            Ok(End::commit(unit, passkey.shown()))
        });
        added.await
    }

    /// Removes a passkey of a signed-in user.
    /// All other sessions of the user end, and the user gets mail.
    ///
    /// # Errors
    /// `currentPassword` is wrong, [`Error::RateLimited`]; [`Error::NotFound`]: the user has no such passkey.
    pub async fn remove_passkey(
        &self,
        of: &UserSession,
        current: &str,
        id: Uuid,
    ) -> Result<(), Error> {
        let (account, user) = (of.account().id, of.user().id);
        let confirmed = &self.confirmed_password(of, current).await?;
        let removed = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let mut row = get_confirmed(&mut unit, user, confirmed).await?;
            let mut passkeys = row.passkeys.iter();
            let place = passkeys.position(|passkey| passkey.id == id);
            let place = place.ok_or_else(|| {
                Error::NotFound(Reason::of("passkey", "is not there, or was removed before"))
            })?;
            let name = row.passkeys.remove(place).name;
            put_sign_in(&mut unit, user, &row).await?;
            end_others(&mut unit, of).await?;
            let message = UserMessage::PasskeyChanged {
                name,
                is_added: false,
            };
            self.factor_changed(&mut unit, user, &row, message).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        removed.await?;
        self.core.sign_ins.confirmed(user);
        Ok(())
    }

    /// Seals the state of a new challenge, for the browser to keep.
    /// [`sign_in_by_passkey`](Self::sign_in_by_passkey) accepts it for ten minutes.
    ///
    /// # Errors
    /// [`Error::Conflict`]: the core has no key to seal with.
    pub fn passkey_challenge(&self, state: String) -> Result<Secret, Error> {
        let begun_at = self.now();
        let challenge = serde_json::to_string(&Challenge { state, begun_at });
        let sealer = self.store().sealer();
        let sealed = sealer.seal_for_browser(&challenge.unwrap_or_default(), CHALLENGE)?;
        Ok(Secret::from(sealed))
    }

    /// Signs in the user of a passkey, with or without a password before.
    /// `verify` has the state of the challenge and the stored credential, and returns the credential after its use.
    /// Attempts count as those of [`sign_in`](Self::sign_in), ten failures a minute per user and network.
    ///
    /// # Errors
    /// [`Error::Unauthorized`]: `passkey` is not known here, the challenge is ten minutes old or was used, or the user
    /// [needs the provider](User::needs_provider) of the account; [`Error::RateLimited`]; the error of `verify`.
    pub async fn sign_in_by_passkey(
        &self,
        from: IpAddr,
        (claim, challenge): (&PasskeyClaim, &str),
        verify: impl FnOnce(&str, &str) -> Result<String, Error>,
    ) -> Result<IssuedSession, Error> {
        let challenge = &self.opened(challenge)?;
        let (account, user, id) = (claim.account, claim.user, &claim.credential_id);
        let attempt = self.core.sign_ins.attempt(from, &user.to_string())?;
        let row = self.sign_in_row(account, user).await?;
        let mut passkeys = row.into_iter().flat_map(|row| row.passkeys);
        let before = &passkeys.find(|passkey| passkey.credential_id == *id);
        let before = before.as_ref().ok_or_else(unknown)?;
        let credential = &verify(&challenge.state, &before.credential)?;
        let signed_in = self.store().transact(account, |mut unit| async move {
            let found = get_account(&mut unit).await?;
            let own = found.user(user).ok_or_else(unknown)?;
            check_way(own)?;
            let mut row = get_sign_in(&mut unit, user).await?.ok_or_else(unknown)?;
            let passkey = row.passkeys.iter_mut().find(|passkey| *passkey == before);
            let passkey = passkey.ok_or_else(used)?;
            if challenge.begun_at <= passkey.begun_at {
                return Err(used());
            }
            passkey.credential.clone_from(credential);
            passkey.used_at = Some(unit.now());
            passkey.begun_at = challenge.begun_at;
            let session = self
                .open_session(&mut unit, (&found, own), Some(&mut row), SignInWay::Passkey)
                .await?;
            Ok(End::commit(unit, session))
        });
        let session = signed_in.await?;
        self.core.sign_ins.take_back(&attempt);
        Ok(session)
    }

    /// Opens a challenge kept by a browser.
    fn opened(&self, challenge: &str) -> Result<Challenge, Error> {
        let sealer = self.store().sealer();
        let opened = sealer.open_from_browser(challenge, CHALLENGE);
        let opened = opened.ok_or_else(used)?;
        let challenge: Challenge = serde_json::from_str(opened.expose()).map_err(|_| used())?;
        let (begun_at, now) = (challenge.begun_at, self.now());
        // One of a server with a clock ahead would keep out all of the others.
        let is_ahead = now.plus_seconds(MOST_AHEAD_SECONDS) < begun_at;
        if is_ahead || begun_at.plus_seconds(AWAITING_SECONDS) <= now {
            return Err(used());
        }
        Ok(challenge)
    }
}

impl StoredPasskey {
    fn shown(self) -> Passkey {
        Passkey {
            id: self.id,
            credential_id: self.credential_id,
            name: self.name,
            added_at: self.added_at,
            used_at: self.used_at,
        }
    }
}

fn check_room(passkeys: &[StoredPasskey]) -> Result<(), Error> {
    if passkeys.len() < MOST_PASSKEYS {
        return Ok(());
    }
    let problem = format!("is one too many: you have {MOST_PASSKEYS}; remove one first");
    Err(Error::conflict("passkey", problem))
}

fn not_begun() -> Invalid {
    Invalid::new("passkey", "was not begun, or took too long; begin again")
}

fn unknown() -> Error {
    refused("is not known here; use another one, or sign in with your password and another factor")
}

fn used() -> Error {
    refused("was asked for too long ago, or was used since; try again")
}

fn refused(problem: &str) -> Error {
    Error::Unauthorized(Reason::of("passkey", problem))
}
