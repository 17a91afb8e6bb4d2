//! Tokens: made, listed and revoked by the owner of an account (specification: Authentication).

use super::{
    accounts::{check_location, no_account, parse},
    owned, secret_rows,
};
use crate::{
    engine::Connect,
    rules::{
        access,
        role::UserRight,
        secret::{LIVE_TOKEN, SANDBOX_TOKEN, Secret},
        text,
    },
    storage::{Key, Range, Read},
    transaction::{
        Account, AccountLocation, End, Error, Fault, Grant, Reads, Token, UnitOfWork,
        keys::{Family, after_prefix, key},
    },
    wire::{
        Id, Scope, Timestamp,
        limits::MAX_TOKENS,
        read::{Invalid, missing},
    },
};

/// The values for a new token.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its name, 1 to 100 characters.
    pub name: String,
    /// The time of its expiry, in the future; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// Its rights, per location.
    pub grants: Vec<Grant>,
}

/// A new token with its value, shown only once.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// The token.
    pub token: Token,
    /// Its value.
    pub secret: Secret,
}

impl Connect {
    /// Makes a token. Only this answer has its value.
    ///
    /// # Errors
    /// A field is invalid, there is no such account or location, or the account has 200 tokens in
    /// use (neither revoked nor expired).
    pub async fn create_token(
        &self,
        account: Id<Account>,
        new: NewToken,
    ) -> Result<IssuedToken, Error> {
        let (name, new) = (&text::owner_name(&new.name)?, &new);
        check_grants(&new.grants)?;
        self.store()
            .transact(account, |mut unit| async move {
                let right = UserRight::ManageTokens;
                let (account, reach) = self.account_of(&mut unit, right).await?;
                if new.expires_at.is_some_and(|expiry| expiry <= unit.now()) {
                    return Err(Invalid::new("expiresAt", "must be in the future").into());
                }
                for (index, grant) in new.grants.iter().enumerate() {
                    check_location(
                        &account,
                        &reach,
                        &format!("grants[{index}].locationId"),
                        grant.location_id,
                    )?;
                }
                check_room(&mut unit).await?;
                let prefix = if account.sandbox {
                    SANDBOX_TOKEN
                } else {
                    LIVE_TOKEN
                };
                let secret = Secret::new(prefix, &*self.store().environment().randomness);
                let token = Token {
                    id: unit.next_id().into(),
                    account_id: account.id,
                    name: name.clone(),
                    prefix: secret.beginning(prefix),
                    grants: new.grants.clone(),
                    created_at: unit.now(),
                    expires_at: new.expires_at,
                    revoked_at: None,
                    expiry_warned_at: None,
                };
                secret_rows::put(&mut unit, &token, &secret.digest());
                Ok(End::commit(unit, IssuedToken { token, secret }))
            })
            .await
    }

    /// Returns whether a token was revoked or has expired.
    pub fn has_ended(&self, token: &Token) -> bool {
        access::ended(token, self.now()).is_some()
    }

    /// Makes a token with all scopes at all locations of the account.
    ///
    /// # Errors
    /// As [`create_token`](Self::create_token).
    pub async fn create_full_token(
        &self,
        account: Id<Account>,
        name: &str,
    ) -> Result<IssuedToken, Error> {
        let locations = self.account(account).await?.locations;
        let everything = |location: AccountLocation| Grant {
            location_id: location.id,
            scopes: Scope::KNOWN.to_vec(),
        };
        let grants = locations.into_iter().map(everything).collect();
        self.create_token(
            account,
            NewToken {
                name: name.to_owned(),
                expires_at: None,
                grants,
            },
        )
        .await
    }

    /// Revokes a token; it is refused from now on. Revoking it again changes nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn revoke_token(&self, account: Id<Account>, id: Id<Token>) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let right = UserRight::ManageTokens;
                let (_, reach) = self.account_of(&mut unit, right).await?;
                let (mut token, digest) = find_token(&mut unit, id).await?;
                if !access::is_within(&reach, &token) {
                    return Err(owned::missing("token", id));
                }
                if token.revoked_at.is_none() {
                    token.revoked_at = Some(unit.now());
                    secret_rows::put(&mut unit, &token, &digest);
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// The tokens of an account with their last uses, oldest first.
    /// A user of some locations sees the tokens for no other ones.
    /// A use in this process shows at once; one in another process shows after it was
    /// [written down](Self::flush_token_usage). [`maintain`](Self::maintain) removes tokens 90 days
    /// after they were revoked or have expired.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn tokens(
        &self,
        account: Id<Account>,
    ) -> Result<Vec<(Token, Option<Timestamp>)>, Error> {
        let account_key = key(account.uuid(), Family::Account, &[]);
        let by_id = key(account.uuid(), Family::TokenById, &[]);
        let uses = key(account.uuid(), Family::TokenUse, &[]);
        // The ids with the digests, and the last use of each.
        let listed = Read::ScanFollow {
            range: Range {
                from: &by_id,
                to: Some(&after_prefix(&by_id)),
            },
            limit: usize::MAX,
            newest_first: false,
            rows: &uses,
            tail: 16,
        };
        let mut state = self
            .store()
            .read(&[Read::Get(&account_key), listed])
            .await?;
        let row = state.value().map_err(Fault::from)?;
        let account: Account = parse(&account_key, &row.ok_or_else(|| no_account(account))?)?;
        let reach = self.reach_in(&account, UserRight::ManageTokens)?;
        let listed = state.joined().map_err(Fault::from)?;
        let keys: Vec<Key> = listed
            .iter()
            .map(|((entry, digest), _)| token_key(entry, digest))
            .collect::<Result<_, Fault>>()?;
        // Each row with its entry once more: a token that was removed since has neither.
        let gets = keys.iter().zip(&listed);
        let gets = gets.flat_map(|(key, ((entry, _), _))| [Read::Get(key), Read::Get(entry)]);
        let gets: Vec<_> = gets.collect();
        let mut rows = self.store().read(&gets).await?;
        let mut value = || rows.value().map_err(Fault::from);
        let mut tokens = Vec::with_capacity(keys.len());
        for (key, (_, used)) in keys.iter().zip(&listed) {
            match (value()?, value()?) {
                (Some(row), _) => {
                    let token: Token =
                        serde_json::from_slice(&row).map_err(|e| Fault::corrupt(key, e))?;
                    let written = used.as_ref();
                    let written = written.and_then(|at| serde_json::from_slice(at).ok());
                    let here = self.core.admission.last_use(token.id);
                    if access::is_within(&reach, &token) {
                        tokens.push((token, written.max(here)));
                    }
                }
                (None, Some(_)) => return Err(no_row(key).into()),
                (None, None) => {}
            }
        }
        Ok(tokens)
    }
}

/// The key of a token, from its entry in the index by id.
fn token_key(entry: &[u8], digest: &[u8]) -> Result<Key, Fault> {
    let digest = secret_rows::digest_in(entry, digest)?;
    Ok(secret_rows::row_key::<Token>(&digest))
}

fn no_row(token: &Key) -> Fault {
    Fault::corrupt(token, "a listed token without its row")
}

/// Checks for room for one more token in the account.
async fn check_room(unit: &mut UnitOfWork<'_>) -> Result<(), Error> {
    let by_id = key(unit.partition(), Family::TokenById, &[]);
    let listed = unit.scan(&by_id, usize::MAX).await?;
    if listed.len() < MAX_TOKENS {
        return Ok(());
    }
    let keys: Vec<Key> = listed
        .iter()
        .map(|(entry, digest)| token_key(entry, digest))
        .collect::<Result<_, Fault>>()?;
    let mut reads = Reads::of(unit.partition());
    for key in &keys {
        reads.row(key.clone());
    }
    unit.load(reads).await?;
    let mut good = 0;
    for key in &keys {
        // One without its row has been removed since: it was not in use.
        let Some(row) = unit.get(key).await? else {
            continue;
        };
        let token = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(key, e))?;
        good += usize::from(access::ended(&token, unit.now()).is_none());
    }
    if good < MAX_TOKENS {
        return Ok(());
    }
    Err(owned::most_reached(
        MAX_TOKENS, "token", " in use", "revoke",
    ))
}

async fn find_token(unit: &mut UnitOfWork<'_>, id: Id<Token>) -> Result<(Token, [u8; 32]), Error> {
    let none = || owned::missing("token", id);
    let digest = secret_rows::find_digest::<Token>(unit, id.uuid()).await?;
    let digest = digest.ok_or_else(none)?;
    let token_key = secret_rows::row_key::<Token>(&digest);
    let row = unit.get(&token_key).await?.ok_or_else(none)?;
    let token = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&token_key, e))?;
    Ok((token, digest))
}

fn check_grants(grants: &[Grant]) -> Result<(), Invalid> {
    if grants.is_empty() {
        return Err(missing("grants"));
    }
    for (index, grant) in grants.iter().enumerate() {
        let path = |field| format!("grants[{index}].{field}");
        if grants[..index]
            .iter()
            .any(|other| other.location_id == grant.location_id)
        {
            return Err(Invalid::new(
                path("locationId"),
                "repeats an earlier location",
            ));
        }
        if grant.scopes.is_empty() {
            return Err(Invalid::new(path("scopes"), "must have at least one scope"));
        }
        let repeats = |(at, scope): (usize, &Scope)| grant.scopes[..at].contains(scope);
        if grant.scopes.iter().enumerate().any(repeats) {
            return Err(Invalid::new(path("scopes"), "must have each scope once"));
        }
        if let Some(Scope::Unknown(scope)) = grant
            .scopes
            .iter()
            .find(|scope| matches!(scope, Scope::Unknown(_)))
        {
            return Err(Invalid::new(
                path("scopes"),
                format!("has no scope {scope}"),
            ));
        }
    }
    Ok(())
}
