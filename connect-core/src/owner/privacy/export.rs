//! The export of an account as NDJSON: one record per line, in pieces of limited memory.
//!
//! A line has the kind of its record, its location or webhook if it is of one, and the record. Records are read
//! piece by piece while others write: a record changed meanwhile is there as it was or as it is, and `from` of
//! the first line tells since when a list of changes completes it.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Serialize;
use serde_json::{
    Value as Json, json,
    value::{RawValue, to_raw_value},
};
use uuid::Uuid;

use crate::{
    engine::Connect,
    owner::accounts::{parse, whole_account},
    rules::role::UserRight,
    storage::{Entry, Key, Value},
    transaction::{
        Account, ErasedKind, Erasing, Error, Fault, JOURNAL, LenientReader, Lookup, OwnWebhook,
        ProviderIdentity, ReadKey, Reason, ScreenKey, Session, SignIn, StoredProvider, Token,
        Webhooks, image_name_in,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
    },
    wire::Id,
};

/// Rows per read.
const ROWS: usize = 200;

/// The bytes of a piece. It may exceed them by those of one row and its image.
const BYTES: usize = 1024 * 1024;

/// The exported families, with the kinds of their records.
/// All others are indexes, digests and the service's own rows.
const KINDS: [(Family, &str); 30] = [
    (Family::Account, "account"),
    (Family::TokenById, "token"),
    (Family::ScreenKeyById, "screenKey"),
    (Family::SignIn, "signIn"),
    (Family::SingleSignOn, "singleSignOn"),
    (Family::ProviderIdentity, "providerIdentity"),
    (Family::Invitation, "invitation"),
    (Family::Session, "session"),
    (Family::Webhooks, "webhook"),
    (Family::Trail, "trail"),
    (Family::Request, "request"),
    (Family::Category, "category"),
    (Family::CategoryTombstone, "deletedCategory"),
    (Family::Product, "product"),
    (Family::ProductTombstone, "deletedProduct"),
    (Family::ImageJob, "imageJob"),
    (Family::OptionGroup, "optionGroup"),
    (Family::OptionGroupTombstone, "deletedOptionGroup"),
    (Family::Transaction, "transaction"),
    (Family::JournalDay, "dailySummary"),
    (Family::ZReport, "zReport"),
    (Family::Order, "order"),
    (Family::Event, "event"),
    (Family::StockLevel, "stockLevel"),
    (Family::StockLevelTombstone, "deletedStockLevel"),
    (Family::StockMovement, "stockMovement"),
    (Family::StockMinimum, "stockMinimum"),
    (Family::Delivery, "delivery"),
    (Family::DeliveryByDue, "waitingDelivery"),
    (Family::WaitingStock, "waitingDelivery"),
];

/// A piece of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountPiece {
    /// The lines, each with its end.
    pub lines: String,
    /// The place to continue from; `None` at the end.
    pub next: Option<String>,
}

/// A line of an export.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportLine<'r, T> {
    kind: &'r str,
    /// The location or the webhook of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<Uuid>,
    data: T,
}

impl AccountPiece {
    fn push(&mut self, kind: &str, of: Option<Uuid>, data: impl Serialize) {
        // Our own shapes have string keys only: this cannot fail.
        let line = serde_json::to_string(&ExportLine { kind, of, data });
        self.lines.push_str(&line.unwrap_or_default());
        self.lines.push('\n');
    }

    fn push_unreadable(&mut self, of: Option<Uuid>, key: &Key) {
        let key = hex::encode(key);
        tracing::warn!(key, "an unreadable row is not in the export");
        self.push("unreadable", of, json!({ "key": key }));
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= BYTES
    }
}

impl Connect {
    /// Exports a piece of an account as NDJSON.
    /// It has everything of the account and its locations, and nothing of others.
    /// `from` is [`next`](AccountPiece::next) of the piece before. Left out are secrets, their digests, and
    /// passwords. Images come behind their products, in base64. Of an erased account, there is the journal, if
    /// it is kept.
    ///
    /// # Errors
    /// There is no such account, the caller is no owner, or `from` is no place of this export.
    pub async fn export_account(
        &self,
        account: Id<Account>,
        from: Option<&str>,
    ) -> Result<AccountPiece, Error> {
        let mut piece = AccountPiece::default();
        let (parts, is_journal) = self.parts_of(account).await?;
        let place = match from {
            None => {
                let begun = json!({ "account": account, "from": self.now(), "version": 1 });
                piece.push("export", None, begun);
                None
            }
            Some(text) => {
                let place = hex::decode(text).map_err(|_| no_place())?;
                Some(place)
            }
        };
        let mut ranges = Vec::with_capacity(parts.len() * KINDS.len());
        for part in parts {
            let kinds = KINDS.into_iter();
            for (family, kind) in kinds.filter(|(of, _)| !is_journal || JOURNAL.contains(of)) {
                ranges.push((key(part, family, &[]), family, kind));
            }
        }
        let mut number = 0;
        if let Some(place) = &place {
            let found = ranges
                .iter()
                .position(|(start, ..)| place.starts_with(start));
            number = found.ok_or_else(no_place)?;
        }
        let mut from = place.map(Key::from);
        let reader = LenientReader::new(self.store());
        while let Some((start, family, kind)) = ranges.get(number) {
            let end = after_prefix(start);
            let begin = from.take().unwrap_or_else(|| start.clone());
            let rows = reader.piece(&begin, Some(&end), ROWS).await?;
            if let Some((damaged, _)) = rows.damaged {
                piece.push_unreadable(None, &damaged);
            }
            let of = (account, *kind, *family);
            let left = self.add(&mut piece, of, rows.entries).await?;
            from = left.or(rows.next);
            number += usize::from(from.is_none());
            if piece.is_full() {
                let next = from
                    .as_ref()
                    .or(ranges.get(number).map(|(start, ..)| start));
                piece.next = next.map(hex::encode);
                return Ok(piece);
            }
            tokio::task::yield_now().await;
        }
        Ok(piece)
    }

    /// The partitions of an account, in the order of the export.
    /// Also returns whether only their journals are left.
    async fn parts_of(&self, id: Id<Account>) -> Result<(Vec<Uuid>, bool), Error> {
        let (account, reach) = match self.account_with(id, UserRight::ManagePrivacy).await {
            Err(Error::NotFound(reason)) => {
                let kept = self.kept_of(id, Error::NotFound(reason)).await?;
                return Ok((kept, true));
            }
            found => found?,
        };
        whole_account(&reach)?;
        let webhooks = match self.store().webhooks_of(id.uuid()).await {
            // Their row is among the unreadable ones.
            Err(Fault::Corrupt { .. }) => Webhooks::default(),
            webhooks => webhooks?,
        };
        let locations = account.locations.iter().map(|at| at.id.uuid());
        let webhooks = webhooks.0.iter().map(|own| own.webhook.id.uuid());
        let parts = [id.uuid()].into_iter().chain(locations).chain(webhooks);
        Ok((parts.collect(), false))
    }

    /// The locations of an erased account with a kept journal.
    async fn kept_of(&self, id: Id<Account>, none: Error) -> Result<Vec<Uuid>, Error> {
        if self.check_service().is_err() {
            return Err(none);
        }
        let start = key(GLOBAL, Family::Erasing, &[]);
        let end = after_prefix(&start);
        let reader = LenientReader::new(self.store());
        let (mut parts, mut from) = (Vec::new(), Some(start));
        while let Some(at) = from {
            let piece = reader.piece(&at, Some(&end), ROWS).await?;
            from = piece.next;
            for (key, row) in piece.entries {
                // Maintenance reports an unreadable one.
                let Ok(erasing) = serde_json::from_slice::<Erasing>(&row) else {
                    continue;
                };
                // Before the first walk there is more than the journal, with names.
                let is_kept = erasing.account_id == id
                    && erasing.kind == ErasedKind::Location
                    && erasing.journal_until.is_some()
                    && erasing.walks > 0;
                let part = ReadKey::of(&key).and_then(|at| at.id());
                parts.extend(part.filter(|_| is_kept));
            }
        }
        match parts.is_empty() {
            true => Err(none),
            false => Ok(parts),
        }
    }

    /// Adds rows of a family with their images, until the piece is full.
    /// Returns the key behind the last added row, if rows are left.
    async fn add(
        &self,
        piece: &mut AccountPiece,
        (account, kind, family): (Id<Account>, &str, Family),
        rows: Vec<Entry>,
    ) -> Result<Option<Key>, Error> {
        let rows = match family {
            Family::TokenById => self.behind(Family::Token, rows).await?,
            Family::ScreenKeyById => self.behind(Family::ScreenKey, rows).await?,
            _ => {
                let found = |(key, row)| (key, Some(row));
                rows.into_iter().map(found).collect()
            }
        };
        let count = rows.len();
        for (number, (key, row)) in rows.into_iter().enumerate() {
            let at = ReadKey::of(&key);
            let of = at.as_ref().map(|at| at.partition);
            let of = of.filter(|of| *of != account.uuid());
            let id = at.and_then(|at| at.id());
            match row.as_ref().map(|row| records(family, &key, id, row)) {
                Some(Ok(records)) => {
                    records
                        .iter()
                        .for_each(|record| piece.push(kind, of, record));
                }
                _ => piece.push_unreadable(of, &key),
            }
            if let Some(row) = row.filter(|_| family == Family::Product) {
                self.add_image(piece, (of, id), &row).await;
            }
            if piece.is_full() && number + 1 < count {
                return Ok(Some([&key, &[0][..]].concat().into()));
            }
        }
        Ok(None)
    }

    /// Adds the image of a product, if this process has its copy.
    async fn add_image(
        &self,
        piece: &mut AccountPiece,
        (of, product): (Option<Uuid>, Option<Uuid>),
        row: &[u8],
    ) {
        let copies = &self.store().environment().image_copies;
        let (Some(copies), Some(name)) = (copies, image_name_in(row)) else {
            return;
        };
        match copies.read(&name).await {
            Ok(Some(bytes)) => {
                let base64 = BASE64_STANDARD.encode(bytes);
                let data = json!({ "productId": product, "name": name, "base64": base64 });
                piece.push("image", of, data);
            }
            // The link leads elsewhere.
            Ok(None) => {}
            Err(problem) => {
                tracing::warn!(name, problem, "an image is not in the export");
                let data = json!({ "image": name, "problem": problem });
                piece.push("unreadable", of, data);
            }
        }
    }

    /// The rows of secrets behind entries by id; `None` for unreadable ones.
    /// Each has the key of its entry.
    async fn behind(
        &self,
        family: Family,
        entries: Vec<Entry>,
    ) -> Result<Vec<(Key, Option<Value>)>, Fault> {
        let (mut rows, mut secrets, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, digest) in entries {
            match <&[u8; 32]>::try_from(&*digest) {
                Ok(digest) => {
                    rows.push(key(GLOBAL, family, &[KeyPart::Digest(digest)]));
                    secrets.push(entry);
                }
                Err(_) => unreadable.push((entry, None)),
            }
        }
        let found = LenientReader::new(self.store()).values(&rows).await?;
        let rows = secrets
            .into_iter()
            .zip(found)
            .filter_map(|(entry, row)| match row {
                Lookup::Found(row) => Some((entry, Some(row?))),
                Lookup::Damaged => Some((entry, None)),
            });
        let rows = rows.chain(unreadable);
        Ok(rows.collect())
    }
}

/// The records of a row, without secrets. Their digests are in keys alone.
fn records(
    family: Family,
    key: &Key,
    id: Option<Uuid>,
    row: &Value,
) -> Result<Vec<Box<RawValue>>, Fault> {
    let data = match family {
        Family::TokenById => json!(parse::<Token>(key, row)?),
        Family::ScreenKeyById => json!(parse::<ScreenKey>(key, row)?),
        Family::SignIn => {
            let sign_in: SignIn = parse(key, row)?;
            let passkeys: Vec<_> = sign_in
                .passkeys
                .iter()
                .map(|passkey| {
                    json!({ "id": passkey.id, "name": passkey.name, "addedAt": passkey.added_at,
                        "usedAt": passkey.used_at })
                })
                .collect();
            json!({ "userId": id, "email": sign_in.email, "passwordSetAt": sign_in.password_set_at,
                    "passkeys": passkeys })
        }
        Family::Invitation => {
            let invitation: Json = parse(key, row)?;
            json!({ "userId": id, "expiresAt": invitation["expiresAt"] })
        }
        Family::SingleSignOn => {
            let provider: StoredProvider = parse(key, row)?;
            json!({ "issuer": provider.issuer, "clientId": provider.client_id, "setAt": provider.set_at })
        }
        Family::ProviderIdentity => {
            let identity: ProviderIdentity = parse(key, row)?;
            json!({ "userId": id, "issuer": identity.issuer, "subject": identity.subject,
                    "linkedAt": identity.linked_at })
        }
        Family::Session => json!(parse::<Session>(key, row)?),
        Family::Webhooks => {
            let webhooks = Webhooks::read(key, Some(row))?.0.into_iter();
            let webhook = |OwnWebhook { webhook, .. }| raw(key, &webhook);
            return webhooks.map(webhook).collect();
        }
        _ => return Ok(vec![parse(key, row)?]),
    };
    Ok(vec![raw(key, &data)?])
}

fn raw<T: Serialize>(key: &Key, data: &T) -> Result<Box<RawValue>, Fault> {
    to_raw_value(data).map_err(|e| Fault::corrupt(key, e))
}

fn no_place() -> Error {
    Error::Malformed(Reason::new(
        "this is no place of the export of this account. If a location or a webhook was removed meanwhile, \
         begin again",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::keys::{PartitionOwner, Relation};

    #[test]
    fn every_family_is_exported_or_is_none_of_its_own() {
        let derived = [
            // Counts, sums and progress.
            Family::Clock,
            Family::TombstonesSince,
            Family::TokenUse,
            Family::DayArticles,
            Family::RegisterPeriod,
            Family::CategoryFoldedName,
            Family::TrailAnchor,
            Family::WebhooksLink,
            Family::WebhookState,
            Family::SentStock,
            // Copies for a retry, for a few days.
            Family::Answer,
            // Copies for an undo. The trail has the former values.
            Family::BulkBefore,
            Family::BulkHead,
        ];
        for family in Family::ALL {
            let is_exported = KINDS.iter().any(|(of, _)| of == family);
            let is_index = matches!(family.relation(), Relation::Entry(..));
            let is_global = family.owner() == PartitionOwner::Global;
            let is_left_out = is_index || is_global || derived.contains(family);
            assert!(is_exported || is_left_out, "{}", family.name());
        }
    }

    #[test]
    fn the_guide_names_every_kind() {
        let guide = include_str!("../../../../docs/privacy.md");
        for (_, kind) in KINDS {
            assert!(guide.contains(&format!("`{kind}`")), "{kind}");
        }
    }
}
