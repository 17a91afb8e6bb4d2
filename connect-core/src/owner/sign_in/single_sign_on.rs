//! Single sign-on: the OpenID Connect provider of an account, and sign-ins through it.
//!
//! The service around the core talks with the provider and verifies its answers. The core has the provider's settings, and
//! decides about the user. A user is found by issuer and subject; the first time by an e-mail address that the provider
//! has verified, among the users of the account alone.

use std::net::IpAddr;

use super::{
    rows::get_sign_in,
    sessions::{IssuedSession, SignInWay, end_provider_sessions, end_sessions},
};
use crate::{
    engine::Connect,
    owner::accounts::{get_account, parse, put_account},
    rules::{role::UserRight, secret::Secret, text},
    transaction::{
        Account, End, Error, Fault, ProviderIdentity, ReadKey, Reason, StoredProvider, UnitOfWork,
        User, UserMessage,
        keys::{Family, key},
    },
    wire::{Id, Timestamp, read::Invalid},
};

/// The most characters of an issuer, a client id, a client secret or a subject.
const MOST_TEXT: usize = 1000;

/// The values for the provider of an account.
#[derive(Clone, Debug)]
pub struct NewProvider {
    /// The issuer: the address of the provider, with `/.well-known/openid-configuration` below it.
    pub issuer: String,
    /// The id of this service at the provider.
    pub client_id: String,
    /// The secret of this service at the provider. `None` keeps the stored one.
    pub client_secret: Option<Secret>,
}

/// The provider of an account, without the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// The issuer.
    pub issuer: String,
    /// The id of this service at the provider.
    pub client_id: String,
    /// The time of the last change.
    pub set_at: Timestamp,
}

/// A user as verified by a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUser {
    /// The issuer.
    pub issuer: String,
    /// The lasting name there.
    pub subject: String,
    /// The e-mail address, if the provider has verified it.
    pub verified_email: Option<String>,
}

impl Connect {
    /// Sets the provider of an account. All owners get mail.
    /// Another issuer takes the identities of the former one away, and ends their sessions: each user is found by the
    /// e-mail address again.
    ///
    /// # Errors
    /// A field is invalid, or there is no such account; [`Error::Conflict`]: the server has no key to seal the secret.
    pub async fn set_provider(
        &self,
        account: Id<Account>,
        new: NewProvider,
    ) -> Result<Provider, Error> {
        let issuer = checked("issuer", &new.issuer)?;
        // The rule is the one for every server of a customer.
        let links = &self.store().environment().webhook_links;
        let is_allowed = links.check(&issuer).await;
        is_allowed.map_err(|problem| Invalid::new("issuer", problem))?;
        if issuer.contains(['?', '#']) {
            return Err(Invalid::new("issuer", "must have no query and no fragment").into());
        }
        let client_id = checked("clientId", &new.client_id)?;
        let secret = new.client_secret.as_ref();
        let secret = secret.map(|secret| checked("clientSecret", secret.expose()));
        let secret = secret.transpose()?;
        let (issuer, client_id, secret) = (&issuer, &client_id, &secret);
        self.store()
            .transact(account, |mut unit| async move {
                self.whole_account_of(&mut unit, UserRight::ManageAccount)
                    .await?;
                let before = get_provider(&mut unit).await?;
                let place = StoredProvider::place(account.uuid());
                let client_secret = match (secret, &before) {
                    (Some(secret), _) => self.store().sealer().seal(secret, place)?,
                    (None, Some(before)) if before.issuer == *issuer => {
                        before.client_secret.clone()
                    }
                    // A secret is for its issuer alone.
                    (None, _) => return Err(Invalid::new("clientSecret", "is missing").into()),
                };
                if before.is_some_and(|before| before.issuer != *issuer) {
                    unlink_all(&mut unit).await?;
                }
                let stored = StoredProvider {
                    issuer: issuer.clone(),
                    client_id: client_id.clone(),
                    client_secret,
                    set_at: unit.now(),
                };
                let row = unit.json(&stored);
                unit.put(StoredProvider::key(account.uuid()), row);
                let issuer = Some(issuer.clone());
                let account = get_account(&mut unit).await?;
                self.mail_owners(
                    &mut unit,
                    &account,
                    &UserMessage::ProviderChanged { issuer },
                )?;
                Ok(End::commit(unit, shown(stored)))
            })
            .await
    }

    /// Removes the provider of an account. All owners get mail.
    /// The sessions opened through it end. Users sign in with their passwords; those without one need an invitation.
    ///
    /// # Errors
    /// There is no such account.
    pub async fn remove_provider(&self, account: Id<Account>) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                self.whole_account_of(&mut unit, UserRight::ManageAccount)
                    .await?;
                if get_provider(&mut unit).await?.is_some() {
                    unit.delete(StoredProvider::key(account.uuid()));
                    unlink_all(&mut unit).await?;
                    let account = get_account(&mut unit).await?;
                    let message = UserMessage::ProviderChanged { issuer: None };
                    self.mail_owners(&mut unit, &account, &message)?;
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Returns the provider of an account, if it has one.
    ///
    /// # Errors
    /// There is no such account, or the caller has not the right to manage it.
    pub async fn provider(&self, account: Id<Account>) -> Result<Option<Provider>, Error> {
        self.account_with(account, UserRight::ManageAccount).await?;
        Ok(self.stored_provider(account).await?.map(shown))
    }

    /// Returns the provider of an account, for software with the sign-in of users.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account, or it has no provider; the caller is a user.
    pub async fn provider_for_sign_in(&self, account: Id<Account>) -> Result<Provider, Error> {
        self.check_service()?;
        let found = self.stored_provider(account).await?;
        found.map(shown).ok_or_else(no_provider)
    }

    /// Returns the provider of an account with the secret, for software with the sign-in of users.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account, or it has no provider; [`Error::Conflict`]: the key of the stored
    /// secret is missing; the caller is a user.
    pub async fn provider_with_secret(
        &self,
        account: Id<Account>,
    ) -> Result<(Provider, Secret), Error> {
        self.check_service()?;
        let found = self.stored_provider(account).await?;
        let stored = found.ok_or_else(no_provider)?;
        let place = StoredProvider::place(account.uuid());
        let secret = self.store().sealer().open(&stored.client_secret, place);
        let secret = secret.map_err(|unopened| {
            tracing::error!(%account, %unopened, "nobody can sign in through the provider of an account");
            Error::Conflict(Reason::new(
                "the server has lost the key of its secrets, and cannot reach your provider; sign in with your \
                 password, or ask its operator",
            ))
        })?;
        Ok((shown(stored), Secret::from(secret.expose().to_owned())))
    }

    /// Signs in a user verified by the account's provider.
    /// The second factor is the provider's matter. Attempts of a network address count as those of
    /// [`sign_in`](Self::sign_in).
    ///
    /// # Errors
    /// [`Error::Unauthorized`]: the provider is not the one of the account, or no user of the account is meant;
    /// [`Error::RateLimited`].
    pub async fn sign_in_by_provider(
        &self,
        from: IpAddr,
        account: Id<Account>,
        person: &ProviderUser,
    ) -> Result<IssuedSession, Error> {
        let attempt = self.core.sign_ins.attempt(from, &account.to_string())?;
        let signed_in = self.store().transact(account, |mut unit| async move {
            let mut found = get_account(&mut unit).await?;
            let provider = get_provider(&mut unit).await?;
            if provider.is_none_or(|provider| provider.issuer != person.issuer) {
                return Err(no_provider());
            }
            let user = self.user_of(&mut unit, &mut found, person).await?;
            put_account(&mut unit, &found).await?;
            let mut sign_in = get_sign_in(&mut unit, user.id).await?;
            let session = self
                .open_session(
                    &mut unit,
                    (&found, &user),
                    sign_in.as_mut(),
                    SignInWay::Provider,
                )
                .await?;
            Ok(End::commit(unit, session))
        });
        let session = signed_in.await?;
        self.core.sign_ins.take_back(&attempt);
        Ok(session)
    }

    /// The user of a verified person. The first time, the two are linked.
    async fn user_of(
        &self,
        unit: &mut UnitOfWork<'_>,
        account: &mut Account,
        person: &ProviderUser,
    ) -> Result<User, Error> {
        let identities = identities(unit).await?;
        let own = |(_, identity): &&(Id<User>, ProviderIdentity)| {
            identity.issuer == person.issuer && identity.subject == person.subject
        };
        if checked("subject", &person.subject)? != person.subject {
            return Err(refused("has a name with spaces around it at the provider"));
        }
        let linked = identities.iter().find(own).map(|(user, _)| *user);
        if let Some(user) = linked {
            return account.user(user).cloned().ok_or_else(no_user);
        }
        let email = person.verified_email.as_deref().map(text::folded);
        let email = email.ok_or_else(|| {
            refused("has no e-mail address that the provider has verified; ask its administrator")
        })?;
        let mut users = account.users.iter_mut();
        let user = users.find(|user| text::folded(&user.email) == email);
        let user = user.ok_or_else(no_user)?;
        if identities.iter().any(|(of, _)| *of == user.id) {
            return Err(refused(
                "is linked with another person of the provider; ask an owner of the account to remove the user and add \
                 it again",
            ));
        }
        let row = unit.json(&ProviderIdentity {
            issuer: person.issuer.clone(),
            subject: person.subject.clone(),
            linked_at: unit.now(),
        });
        unit.put(ProviderIdentity::key(account.id.uuid(), user.id), row);
        // Earlier ones are by a password alone.
        end_sessions(unit, user.id).await?;
        user.single_sign_on = true;
        Ok(user.clone())
    }

    async fn stored_provider(&self, account: Id<Account>) -> Result<Option<StoredProvider>, Error> {
        let row_key = StoredProvider::key(account.uuid());
        let row = self.store().get(&row_key).await?;
        Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
    }
}

async fn get_provider(unit: &mut UnitOfWork<'_>) -> Result<Option<StoredProvider>, Error> {
    let row_key = StoredProvider::key(unit.partition());
    let row = unit.get(&row_key).await?;
    Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
}

/// The identities of all users of a unit's account.
async fn identities(unit: &mut UnitOfWork<'_>) -> Result<Vec<(Id<User>, ProviderIdentity)>, Error> {
    let prefix = key(unit.partition(), Family::ProviderIdentity, &[]);
    let mut identities = Vec::new();
    // An account has few users.
    for (row_key, row) in unit.scan(&prefix, usize::MAX).await? {
        let user = ReadKey::of(&row_key).and_then(|at| at.id());
        let user = user.ok_or_else(|| Fault::corrupt(&row_key, "it has no user"))?;
        identities.push((user.into(), parse(&row_key, &row)?));
    }
    Ok(identities)
}

/// Removes the identities of all users, and ends the sessions by them.
async fn unlink_all(unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
    for (user, _) in identities(unit).await? {
        unit.delete(ProviderIdentity::key(unit.partition(), user));
    }
    let mut account = get_account(unit).await?;
    for user in &mut account.users {
        user.single_sign_on = false;
    }
    end_provider_sessions(unit).await?;
    Ok(put_account(unit, &account).await?)
}

/// Removes the identity of a user, if there is one.
pub(in crate::owner) async fn unlink(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<(), Error> {
    let row_key = ProviderIdentity::key(unit.partition(), user);
    if unit.get(&row_key).await?.is_some() {
        unit.delete(row_key);
    }
    Ok(())
}

/// A text of a field, without spaces around it.
fn checked(field: &str, text: &str) -> Result<String, Invalid> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Invalid::new(field, "is missing"));
    }
    if text.chars().count() > MOST_TEXT || text.contains(char::is_control) {
        return Err(Invalid::new(
            field,
            format!("must be one line of at most {MOST_TEXT} characters"),
        ));
    }
    Ok(text.to_owned())
}

fn shown(stored: StoredProvider) -> Provider {
    Provider {
        issuer: stored.issuer,
        client_id: stored.client_id,
        set_at: stored.set_at,
    }
}

fn no_provider() -> Error {
    Error::NotFound(Reason::new(
        "this account has no such provider; sign in with your password",
    ))
}

fn no_user() -> Error {
    refused(
        "is no user of this account; ask an owner to add you with the address that your provider has",
    )
}

fn refused(problem: &str) -> Error {
    Error::Unauthorized(Reason::of("user", problem))
}
