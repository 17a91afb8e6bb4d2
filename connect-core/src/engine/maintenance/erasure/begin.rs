//! The first commits of an erasure: the rights end.

use uuid::Uuid;

use super::super::Connect;
use crate::{
    storage::{Key, Value},
    transaction::{
        Account, End, ErasedKind, Erasing, Error, Fault, ReadKey, Reads, ScreenKey, SecretRow,
        SignIn, Token, UnitOfWork, Webhooks,
        keys::{Family, GLOBAL, KeyPart, key},
        woken_key,
    },
    wire::{Id, Location, Timestamp},
};

/// Tokens removed per commit. Each has four rows.
const TOKENS: usize = 100;

impl Connect {
    /// Begins the due erasures of an account and its locations.
    /// Returns the number of those that failed, and of rows skipped as unreadable.
    pub(in super::super) async fn begin_erasures(
        &self,
        account: &Account,
        now: Timestamp,
    ) -> usize {
        let mut failed = 0;
        let due = account.erasures.iter().filter(|of| of.erase_at <= now);
        for planned in due {
            let begun = match planned.location_id {
                None => self.erase_whole(account.id, now).await.map(|()| 0),
                Some(location) => self.erase_location(account.id, location, now).await,
            };
            failed += begun.unwrap_or_else(|error| {
                let (cause, account) = (error.cause(), account.id);
                tracing::error!(%cause, %account, "an erasure has not begun; the next round tries again");
                1
            });
        }
        failed
    }

    async fn erase_whole(&self, id: Id<Account>, now: Timestamp) -> Result<(), Error> {
        while !self.erase_account(id, now).await? {}
        Ok(())
    }

    /// Removes secrets of an account, or its row once it has none; then returns `true`.
    async fn erase_account(&self, id: Id<Account>, now: Timestamp) -> Result<bool, Error> {
        self.store()
            .transact(id, |mut unit| async move {
                let account = due(&mut unit, None, now).await?;
                let Some((account, account_key)) = account else {
                    return Ok(End::rollback(true));
                };
                if remove_some_secrets(&mut unit, id, now).await? {
                    return Ok(End::commit(unit, false));
                }
                let journal = account.retention.journal_days;
                let until = journal.map(|days| now.plus_days(days.into()));
                for location in &account.locations {
                    let location = location.id.uuid();
                    put(&mut unit, (location, ErasedKind::Location), id, now, until);
                }
                let webhooks_key = Webhooks::key(id.uuid());
                let row = unit.get(&webhooks_key).await?;
                // Damaged webhooks are rows of nobody, which a check names.
                let webhooks = Webhooks::read(&webhooks_key, row.as_ref()).unwrap_or_default();
                for own in &webhooks.0 {
                    let webhook = own.webhook.id.uuid();
                    put(&mut unit, (webhook, ErasedKind::Webhook), id, now, None);
                }
                let screens = account.screens.iter().map(|screen| screen.id.uuid());
                let users = account.users.iter().map(|user| user.id.uuid());
                for caller in screens.chain(users) {
                    put(&mut unit, (caller, ErasedKind::Caller), id, now, None);
                }
                put(&mut unit, (id.uuid(), ErasedKind::Account), id, now, None);
                unit.delete(account_key);
                unit.delete(key(GLOBAL, Family::AccountList, &[KeyPart::Id(id.uuid())]));
                Ok(End::commit(unit, true))
            })
            .await
    }

    /// Takes a location from its account: with its screens, and out of tokens, webhooks and roles.
    /// Returns the number of rows skipped as unreadable.
    async fn erase_location(
        &self,
        id: Id<Account>,
        location: Id<Location>,
        now: Timestamp,
    ) -> Result<usize, Error> {
        self.store()
            .transact(id, |mut unit| async move {
                let account = due(&mut unit, Some(location), now).await?;
                let Some((mut account, account_key)) = account else {
                    return Ok(End::rollback(0));
                };
                let days = account.retention.journal_days;
                let until = days.map(|days| now.plus_days(days.into()));
                put(
                    &mut unit,
                    (location.uuid(), ErasedKind::Location),
                    id,
                    now,
                    until,
                );
                let screens = account
                    .screens
                    .extract_if(.., |of| of.location_id == location);
                for screen in screens.collect::<Vec<_>>() {
                    let screen = screen.id.uuid();
                    remove_secret::<ScreenKey>(&mut unit, screen).await?;
                    put(&mut unit, (screen, ErasedKind::Caller), id, now, None);
                }
                account.locations.retain(|of| of.id != location);
                account
                    .erasures
                    .retain(|of| of.location_id != Some(location));
                for user in &mut account.users {
                    user.roles.retain(|of| of.location_id != Some(location));
                }
                let skipped = take_from_tokens(&mut unit, location).await?
                    + take_from_webhooks(&mut unit, id, location, now).await?;
                let row = unit.json(&account);
                unit.put(account_key, row);
                Ok(End::commit(unit, skipped))
            })
            .await
    }
}

/// The account and its key, if its erasure is due.
async fn due(
    unit: &mut UnitOfWork<'_>,
    location: Option<Id<Location>>,
    now: Timestamp,
) -> Result<Option<(Account, Key)>, Fault> {
    let account_key = key(unit.partition(), Family::Account, &[]);
    let mut reads = Reads::of(unit.partition());
    reads.row(account_key.clone());
    unit.load(reads).await?;
    let Some(row) = unit.get(&account_key).await? else {
        return Ok(None);
    };
    let account: Account =
        serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&account_key, e))?;
    let planned = account.planned_erasure(location);
    let is_due = planned.is_some_and(|planned| planned.erase_at <= now);
    Ok(is_due.then_some((account, account_key)))
}

/// Writes the row about the erasure of a partition.
fn put(
    unit: &mut UnitOfWork<'_>,
    (partition, kind): (Uuid, ErasedKind),
    account_id: Id<Account>,
    at: Timestamp,
    journal_until: Option<Timestamp>,
) {
    let row = unit.json(&Erasing {
        account_id,
        kind,
        at,
        walks: 0,
        rows: 0,
        journal_until,
    });
    unit.put(Erasing::key(partition), row);
}

/// Removes tokens, screen keys and addresses of an account; `false` without any.
/// Later ones are refused by the row of the account, which goes next.
async fn remove_some_secrets(
    unit: &mut UnitOfWork<'_>,
    account: Id<Account>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let of = |family| key(account.uuid(), family, &[]);
    let tokens = ids(unit.scan(&of(Family::TokenById), TOKENS).await?);
    for token in &tokens {
        remove_secret::<Token>(unit, *token).await?;
        let uses = key(unit.partition(), Family::TokenUse, &[KeyPart::Id(*token)]);
        unit.delete(uses);
        put(unit, (*token, ErasedKind::Caller), account, now, None);
    }
    if !tokens.is_empty() {
        return Ok(true);
    }
    // An account has a hundred screens and fifty users at most.
    let screens = ids(unit.scan(&of(Family::ScreenKeyById), usize::MAX).await?);
    for screen in &screens {
        remove_secret::<ScreenKey>(unit, *screen).await?;
    }
    let sign_ins = unit.scan(&of(Family::SignIn), usize::MAX).await?;
    for (sign_in_key, row) in &sign_ins {
        if let Ok(sign_in) = serde_json::from_slice::<SignIn>(row) {
            unit.delete(SignIn::email_key(&sign_in.email));
        }
        unit.delete(sign_in_key.clone());
    }
    Ok(!screens.is_empty() || !sign_ins.is_empty())
}

fn ids(entries: Vec<(Key, Value)>) -> Vec<Uuid> {
    let id = |(key, _): &(Key, Value)| ReadKey::of(key)?.id();
    entries.iter().filter_map(id).collect()
}

/// Removes the rows of a secret, if there are any.
async fn remove_secret<S: SecretRow>(unit: &mut UnitOfWork<'_>, id: Uuid) -> Result<(), Fault> {
    let entry = key(unit.partition(), S::BY_ID, &[KeyPart::Id(id)]);
    if let Some(digest) = unit.get(&entry).await? {
        if let Ok(digest) = <&[u8; 32]>::try_from(&*digest) {
            for family in [S::FAMILY, S::ACCOUNTS] {
                let secret = key(GLOBAL, family, &[KeyPart::Digest(digest)]);
                // The trail has the row as it was.
                unit.get(&secret).await?;
                unit.delete(secret);
            }
        }
        unit.delete(entry);
    }
    Ok(())
}

/// Takes a location from all tokens. One for no other location is revoked.
/// Returns the number of tokens skipped as unreadable: they open nothing.
async fn take_from_tokens(
    unit: &mut UnitOfWork<'_>,
    location: Id<Location>,
) -> Result<usize, Fault> {
    let mut skipped = 0;
    let by_id = key(unit.partition(), Family::TokenById, &[]);
    let entries = unit.scan(&by_id, usize::MAX).await?;
    let digest = |(_, digest): &(Key, Value)| <[u8; 32]>::try_from(&**digest).ok();
    let token_key = |digest| key(GLOBAL, Family::Token, &[KeyPart::Digest(&digest)]);
    let keys: Vec<Key> = entries.iter().filter_map(digest).map(token_key).collect();
    let mut reads = Reads::of(unit.partition());
    keys.iter().for_each(|token| reads.row(token.clone()));
    unit.load(reads).await?;
    for token_key in keys {
        let Some(row) = unit.get(&token_key).await? else {
            continue;
        };
        let mut token: Token = match serde_json::from_slice(&row) {
            Ok(token) => token,
            Err(error) => {
                skipped += skip(&token_key, &error);
                continue;
            }
        };
        let before = token.grants.len();
        token.grants.retain(|grant| grant.location_id != location);
        if token.grants.len() == before {
            continue;
        }
        if token.grants.is_empty() {
            token.revoked_at.get_or_insert(unit.now());
        }
        let row = unit.json(&token);
        unit.put(token_key, row);
    }
    Ok(skipped)
}

/// Logs a row skipped as unreadable, and counts it.
fn skip(key: &Key, reason: &dyn std::fmt::Display) -> usize {
    let key = hex::encode(key);
    tracing::error!(%reason, key, "an erasure has skipped a row that cannot be read");
    1
}

/// Takes a location from all webhooks. One for no other location is deleted.
/// Returns 1 if their row is skipped as unreadable.
async fn take_from_webhooks(
    unit: &mut UnitOfWork<'_>,
    account: Id<Account>,
    location: Id<Location>,
    now: Timestamp,
) -> Result<usize, Fault> {
    let webhooks_key = Webhooks::key(account.uuid());
    let row = unit.get(&webhooks_key).await?;
    let before = match Webhooks::read(&webhooks_key, row.as_ref()) {
        Ok(webhooks) => webhooks,
        Err(fault) => return Ok(skip(&webhooks_key, &fault)),
    };
    let mut webhooks = before.clone();
    for own in &mut webhooks.0 {
        // Without any, a webhook is for all locations.
        own.webhook.location_ids.retain(|of| *of != location);
    }
    let was_only = |place: usize| {
        let was = &before.0[place].webhook.location_ids;
        was.as_slice() == [location]
    };
    let mut place = 0;
    webhooks.0.retain(|own| {
        let is_kept = !was_only(place);
        place += 1;
        if !is_kept {
            let id = own.webhook.id;
            put(unit, (id.uuid(), ErasedKind::Webhook), account, now, None);
            unit.delete(woken_key(id));
        }
        is_kept
    });
    if webhooks != before {
        let row = unit.json(&webhooks);
        unit.put(webhooks_key, row);
    }
    Ok(0)
}
