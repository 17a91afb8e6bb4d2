//! The second factor: codes of an authenticator app (TOTP), and recovery codes.
//!
//! A sign-in with the password of a user with a second factor opens a session of ten minutes, of no use but for a code.
//! Each code of the app is accepted once. Wrong codes end the session after five, and after twenty in a day only
//! recovery codes are accepted: a caller with the password has to guess one code in 300 000.

use super::{
    passwords::{get_confirmed, remove_invitation},
    rows::{get_sign_in, put_sign_in},
    sessions::{
        IssuedSession, SignInWay, UserSession, end_others, end_sessions, no_session, session_key,
    },
};
use crate::{
    engine::Connect,
    owner::{
        accounts::{get_account, parse, put_account},
        owned,
    },
    rules::{
        secret::{self, Secret},
        totp,
    },
    transaction::{
        Account, Author, End, Error, Reason, Sealed, Session, SignIn, Totp, UnitOfWork, User,
        UserMessage,
    },
    wire::{Id, Timestamp, read::Invalid},
};

/// The wrong codes ending a sign-in.
const MOST_WRONG: u32 = 5;

/// The most wrong codes of a user in a day.
const MOST_WRONG_IN_DAY: u32 = 20;

const DAY: i64 = 24 * 3600;

const WRONG_CODE: &str =
    "is wrong; type the six digits that the app shows now, and check the clock of your phone";

/// The seed of a new second factor. `Debug` hides it.
#[derive(Clone, Debug)]
pub struct NewSecondFactor {
    /// The seed in base32, to be typed into an authenticator app.
    pub seed: Secret,
    /// The seed with its names as an `otpauth:` address, to be shown as a QR code.
    pub app_url: Secret,
}

/// The second factor of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecondFactor {
    /// The time of its first code.
    pub added_at: Timestamp,
    /// The number of unused recovery codes.
    pub recovery_codes: usize,
}

/// A sign-in awaiting a code or a passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwaitingSignIn {
    /// The account of the user.
    pub account: Id<Account>,
    /// Set for a user with an authenticator app.
    pub has_codes: bool,
    /// Set for a user with passkeys.
    pub has_passkeys: bool,
}

impl Connect {
    /// Returns the second factor of a signed-in user, if there is one.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn second_factor(&self, of: &UserSession) -> Result<Option<SecondFactor>, Error> {
        let row = self.sign_in_row(of.account().id, of.user().id).await?;
        let totp = row.and_then(|row| row.totp);
        Ok(totp.map(|totp| SecondFactor {
            added_at: totp.added_at,
            recovery_codes: totp.recovery.len(),
        }))
    }

    /// Makes the seed of a second factor for a signed-in user.
    /// It is of use after [`add_second_factor`](Self::add_second_factor). Shares the limit of
    /// [`change_password`](Self::change_password).
    ///
    /// # Errors
    /// `currentPassword` is wrong, [`Error::RateLimited`]; [`Error::Conflict`]: the user has a second factor, or the
    /// server has no key to seal the seed.
    pub async fn begin_second_factor(
        &self,
        of: &UserSession,
        current: &str,
    ) -> Result<NewSecondFactor, Error> {
        let (account, user) = (of.account().id, of.user().id);
        let confirmed = &self.confirmed_password(of, current).await?;
        let seed = &totp::new_seed(&*self.store().environment().randomness);
        let sealed = self
            .store()
            .sealer()
            .seal(seed, SignIn::seed_place(user.uuid()))?;
        let sealed = &sealed;
        let begun = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let mut row = get_confirmed(&mut unit, user, confirmed).await?;
            if row.totp.is_some() {
                return Err(Error::conflict(
                    "secondFactor",
                    "is there already; remove it before you add another one",
                ));
            }
            row.new_seed = Some(sealed.clone());
            put_sign_in(&mut unit, user, &row).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        begun.await?;
        self.core.sign_ins.confirmed(user);
        let url = totp::app_url(seed, &of.account().name, &of.user().email);
        Ok(NewSecondFactor {
            app_url: Secret::from(url.unwrap_or_default()),
            seed: Secret::from(seed.clone()),
        })
    }

    /// Adds the second factor of a signed-in user, with the first code of its app.
    /// Returns the recovery codes: each signs the user in once in place of the app. All other sessions of the user
    /// end, and the user gets mail. Shares the limit of [`change_password`](Self::change_password).
    ///
    /// # Errors
    /// `code` is wrong, or no seed was made, [`Error::RateLimited`].
    pub async fn add_second_factor(
        &self,
        of: &UserSession,
        code: &str,
    ) -> Result<Vec<Secret>, Error> {
        let (account, user) = (of.account().id, of.user().id);
        self.core.sign_ins.confirm(user)?;
        let codes = totp::recovery_codes(&*self.store().environment().randomness);
        let recovery = &digests(&codes);
        let added = self.store().transact(account, |mut unit| async move {
            let row = get_sign_in(&mut unit, user).await?;
            let seed = row.as_ref().and_then(|row| row.new_seed.clone());
            let (Some(mut row), Some(seed)) = (row, seed) else {
                return Err(Error::from(Invalid::new(
                    "code",
                    "is for no app; begin again",
                )));
            };
            let now = unit.now();
            let step = self
                .step_of(user, &seed, code, now)?
                .ok_or_else(|| Invalid::new("code", WRONG_CODE))?;
            row.new_seed = None;
            row.totp = Some(Totp {
                seed,
                added_at: now,
                used_step: step,
                recovery: recovery.clone(),
                wrong: 0,
                wrong_since: now,
            });
            put_sign_in(&mut unit, user, &row).await?;
            end_others(&mut unit, of).await?;
            remove_invitation(&mut unit, user).await?;
            let message = UserMessage::FactorChanged { is_on: true };
            self.factor_changed(&mut unit, user, &row, message).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        added.await?;
        self.core.sign_ins.confirmed(user);
        Ok(codes)
    }

    /// Replaces the recovery codes of a signed-in user, used or not.
    ///
    /// # Errors
    /// `currentPassword` is wrong, [`Error::RateLimited`]; [`Error::Conflict`]: the user has no second factor.
    pub async fn renew_recovery_codes(
        &self,
        of: &UserSession,
        current: &str,
    ) -> Result<Vec<Secret>, Error> {
        let (account, user) = (of.account().id, of.user().id);
        let confirmed = &self.confirmed_password(of, current).await?;
        let codes = totp::recovery_codes(&*self.store().environment().randomness);
        let recovery = &digests(&codes);
        let renewed = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let mut row = get_confirmed(&mut unit, user, confirmed).await?;
            let totp = row.totp.as_mut().ok_or_else(no_factor)?;
            totp.recovery.clone_from(recovery);
            put_sign_in(&mut unit, user, &row).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        renewed.await?;
        self.core.sign_ins.confirmed(user);
        Ok(codes)
    }

    /// Removes the second factor of a signed-in user.
    /// All other sessions of the user end, and the user gets mail.
    ///
    /// # Errors
    /// `currentPassword` is wrong, [`Error::RateLimited`]; [`Error::Conflict`]: the user has no second factor.
    pub async fn remove_second_factor(&self, of: &UserSession, current: &str) -> Result<(), Error> {
        let (account, user) = (of.account().id, of.user().id);
        let confirmed = &self.confirmed_password(of, current).await?;
        let removed = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let mut row = get_confirmed(&mut unit, user, confirmed).await?;
            row.totp.take().ok_or_else(no_factor)?;
            put_sign_in(&mut unit, user, &row).await?;
            end_others(&mut unit, of).await?;
            let message = UserMessage::FactorChanged { is_on: false };
            self.factor_changed(&mut unit, user, &row, message).await?;
            Ok::<_, Error>(End::commit(unit, ()))
        });
        removed.await?;
        self.core.sign_ins.confirmed(user);
        Ok(())
    }

    /// Removes the second factor and the passkeys of another user.
    /// All sessions of the user end, and the user gets mail.
    ///
    /// # Errors
    /// There is no such account or user; [`Error::Conflict`]: the user has no second factor; the user is the caller.
    pub async fn reset_second_factor(
        &self,
        account: Id<Account>,
        user: Id<User>,
    ) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                self.managed_user(&mut unit, user).await?;
                let row = get_sign_in(&mut unit, user).await?;
                let mut row = row.ok_or_else(no_factor)?;
                if !row.has_factor() {
                    return Err(no_factor());
                }
                (row.totp, row.passkeys) = (None, Vec::new());
                row.drop_begun();
                put_sign_in(&mut unit, user, &row).await?;
                end_sessions(&mut unit, user).await?;
                let message = UserMessage::FactorChanged { is_on: false };
                self.factor_changed(&mut unit, user, &row, message).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Returns the sign-in of a session awaiting a code.
    /// `None` for another session.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn awaiting_code(&self, value: &str) -> Result<Option<AwaitingSignIn>, Error> {
        let found = self.session_row(value).await?;
        let found = found.filter(|(_, session)| session.is_awaiting(self.now()));
        let Some((account, session)) = found else {
            return Ok(None);
        };
        let row = self.sign_in_row(account, session.user).await?;
        Ok(row.map(|row| AwaitingSignIn {
            account,
            has_codes: row.totp.is_some(),
            has_passkeys: !row.passkeys.is_empty(),
        }))
    }

    /// Ends a sign-in with a code of the second factor, or a recovery code.
    /// Returns another session, in place of the one with this value. Five wrong codes end the sign-in, and every five
    /// wrong codes of a day the user gets mail.
    ///
    /// # Errors
    /// [`Error::Unauthorized`]: `code` is wrong or was used before, or the `session` has ended or awaits none;
    /// [`Error::Conflict`]: the key of the stored seed is missing.
    pub async fn finish_sign_in(&self, value: &str, code: &str) -> Result<IssuedSession, Error> {
        let found = self.session_row(value).await?;
        let (account, session) = found.ok_or_else(no_session)?;
        let user = session.user;
        let finished = self.store().transact(account, |mut unit| async move {
            let found = get_account(&mut unit).await?;
            let own = found.user(user);
            let own = own.ok_or_else(no_session)?;
            let session_key = session_key(account, &secret::digest(value));
            let row = unit.get(&session_key).await?.ok_or_else(no_session)?;
            let mut session: Session = parse(&session_key, &row)?;
            let row = get_sign_in(&mut unit, user).await?;
            let row = row.filter(|row| row.totp.is_some());
            let (true, Some(mut row)) = (session.is_awaiting(unit.now()), row) else {
                return Err(no_session());
            };
            if let Err(refused) = self.accept(user, &mut row, code, unit.now())? {
                let wrong = session.awaits_code.unwrap_or_default() + 1;
                session.awaits_code = Some(wrong);
                let of_user = row.totp.as_ref().map_or(0, |totp| totp.wrong);
                if refused.is_counted && of_user.is_multiple_of(MOST_WRONG) {
                    self.queue_mail(&mut unit, (&found, own), UserMessage::WrongCodes, None)?;
                }
                let refused = if wrong < MOST_WRONG {
                    let session = unit.json(&session);
                    unit.put(session_key, session);
                    Error::Unauthorized(Reason::of("code", refused.problem))
                } else {
                    unit.delete(session_key);
                    no_session()
                };
                put_sign_in(&mut unit, user, &row).await?;
                return Ok(End::commit(unit, Err(refused)));
            }
            unit.delete(session_key);
            let session = self
                .open_session(&mut unit, (&found, own), Some(&mut row), SignInWay::Code)
                .await?;
            Ok(End::commit(unit, Ok(session)))
        });
        finished.await?
    }

    /// Accepts a code, and notes its use.
    /// Inside is the problem of a wrong one.
    fn accept(
        &self,
        user: Id<User>,
        row: &mut SignIn,
        code: &str,
        now: Timestamp,
    ) -> Result<Result<(), WrongCode>, Error> {
        let Some(totp) = &mut row.totp else {
            return Err(no_session());
        };
        if totp.wrong_since.plus_seconds(DAY) <= now {
            (totp.wrong, totp.wrong_since) = (0, now);
        }
        let problem = if let Some(digest) = totp::recovery_digest(code) {
            match totp.recovery.iter().position(|unused| *unused == digest) {
                Some(place) => {
                    totp.recovery.remove(place);
                    return Ok(Ok(()));
                }
                None => "is no unused recovery code",
            }
        } else if totp.wrong >= MOST_WRONG_IN_DAY {
            return Ok(Err(WrongCode {
                problem: "cannot be checked after too many wrong ones today; use a recovery code, or try again tomorrow",
                is_counted: false,
            }));
        } else {
            match self.step_of(user, &totp.seed, code, now)? {
                Some(step) if step > totp.used_step => {
                    totp.used_step = step;
                    return Ok(Ok(()));
                }
                Some(_) => "was used before; wait for the next one",
                None => WRONG_CODE,
            }
        };
        totp.wrong += 1;
        Ok(Err(WrongCode {
            problem,
            is_counted: true,
        }))
    }

    /// The time step of a code of a sealed seed; `None` for a wrong code.
    fn step_of(
        &self,
        user: Id<User>,
        seed: &Sealed,
        code: &str,
        now: Timestamp,
    ) -> Result<Option<u64>, Error> {
        let place = SignIn::seed_place(user.uuid());
        let seed = self.store().sealer().open(seed, place).map_err(|unopened| {
            tracing::error!(%user, %unopened, "a code of a second factor cannot be checked");
            Error::Conflict(Reason::new(
                "the server has lost the key of its secrets, and can check no codes; use a recovery code, or ask its \
                 operator",
            ))
        })?;
        Ok(totp::step_of(seed.expose(), code, now))
    }

    /// Marks a user as one with or without a second factor.
    /// The user gets mail.
    pub(super) async fn factor_changed(
        &self,
        unit: &mut UnitOfWork<'_>,
        user: Id<User>,
        row: &SignIn,
        message: UserMessage,
    ) -> Result<(), Error> {
        let mut account = get_account(unit).await?;
        let found = owned::find(&mut account.users, user)?;
        found.second_factor = row.has_factor();
        let found = found.clone();
        put_account(unit, &account).await?;
        self.queue_mail(unit, (&account, &found), message, None)?;
        Ok(())
    }

    /// Requires a second factor of the caller.
    /// The account is about to demand it of all.
    pub(in crate::owner) fn check_own_factor(&self, account: &Account) -> Result<(), Error> {
        let Author::User { id } = self.authorship().author else {
            return Ok(());
        };
        match account.user(id).is_some_and(|user| user.second_factor) {
            true => Ok(()),
            false => Err(Error::conflict(
                "requiresSecondFactor",
                "would lock you out; add a second factor to your own sign-in first",
            )),
        }
    }
}

/// The refusal of a code.
struct WrongCode {
    problem: &'static str,
    /// Unset if the code was not looked at.
    is_counted: bool,
}

impl Session {
    /// Returns whether it awaits a code of the second factor.
    fn is_awaiting(&self, now: Timestamp) -> bool {
        self.awaits_code.is_some() && now < self.expires_at
    }
}

fn digests(codes: &[Secret]) -> Vec<String> {
    let digest = |code: &Secret| totp::recovery_digest(code.expose());
    codes.iter().filter_map(digest).collect()
}

fn no_factor() -> Error {
    Error::conflict("secondFactor", "is not there")
}
