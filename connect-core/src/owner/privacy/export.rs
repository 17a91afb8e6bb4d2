//! The export of an account as NDJSON: one record per line, in pieces of limited memory.
//!
//! A line has the kind of its record, its location or webhook if it is of one, and the record. Records are read
//! piece by piece while others write: a record changed meanwhile is there as it was or as it is, and `from` of
//! the first line tells since when a list of changes completes it.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Serialize;
use serde_json::{Value as Json, json, value::RawValue};
use uuid::Uuid;

use crate::{
    engine::Connect,
    owner::accounts::{parse, whole_account},
    rules::role::UserRight,
    storage::{Entry, Key, Value},
    transaction::{
        Account, ErasedKind, Erasing, Error, Fault, LenientReader, Lookup, OwnWebhook,
        ProviderIdentity, ReadKey, Reason, ScreenKey, Session, SignIn, StoredProvider, Token,
        Webhooks,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
    },
    wire::{Id, Product},
};

/// Rows per read.
const ROWS: usize = 200;

/// The bytes of a piece. It may exceed them by those of one read, and one image.
const BYTES: usize = 1024 * 1024;

/// The exported families, with the kinds of their records.
/// All others are indexes, digests and the service's own rows.
const KINDS: [(Family, &str); 28] = [
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
}

impl Connect {
    /// Exports a piece of an account as NDJSON: everything of it and its locations, and nothing of others.
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
        let parts = self.parts_of(account).await?;
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
            for (family, kind) in KINDS {
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
            if let Some((damaged, error)) = rows.damaged {
                let damaged = hex::encode(damaged);
                tracing::warn!(%error, key = damaged, "an unreadable row is not in the export");
                piece.push("unreadable", None, json!({ "key": damaged }));
            }
            let of = (account, *kind, *family);
            self.add(&mut piece, of, &rows.entries).await?;
            from = rows.next;
            number += usize::from(from.is_none());
            if piece.lines.len() >= BYTES {
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
    async fn parts_of(&self, id: Id<Account>) -> Result<Vec<Uuid>, Error> {
        let (account, reach) = match self.account_with(id, UserRight::ManagePrivacy).await {
            Err(Error::NotFound(reason)) => return self.kept_of(id, Error::NotFound(reason)).await,
            found => found?,
        };
        whole_account(&reach)?;
        let webhooks = self.store().webhooks_of(id.uuid()).await?;
        let locations = account.locations.iter().map(|at| at.id.uuid());
        let webhooks = webhooks.0.iter().map(|own| own.webhook.id.uuid());
        Ok([id.uuid()]
            .into_iter()
            .chain(locations)
            .chain(webhooks)
            .collect())
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
                let erasing: Erasing = parse(&key, &row)?;
                let is_kept = erasing.account_id == id
                    && erasing.kind == ErasedKind::Location
                    && erasing.journal_until.is_some();
                let part = ReadKey::of(&key).and_then(|at| at.id());
                parts.extend(part.filter(|_| is_kept));
            }
        }
        match parts.is_empty() {
            true => Err(none),
            false => Ok(parts),
        }
    }

    /// Adds rows of a family.
    async fn add(
        &self,
        piece: &mut AccountPiece,
        (account, kind, family): (Id<Account>, &str, Family),
        rows: &[Entry],
    ) -> Result<(), Error> {
        let secrets = match family {
            Family::TokenById => self.behind(Family::Token, rows).await?,
            Family::ScreenKeyById => self.behind(Family::ScreenKey, rows).await?,
            _ => Vec::new(),
        };
        for row in &secrets {
            match family {
                Family::TokenById => piece.push(kind, None, parse_secret::<Token>(row)),
                _ => piece.push(kind, None, parse_secret::<ScreenKey>(row)),
            }
        }
        for (key, row) in rows {
            let part = ReadKey::of(key);
            let of = part.as_ref().map(|at| at.partition);
            let of = of.filter(|of| *of != account.uuid());
            match family {
                Family::TokenById | Family::ScreenKeyById => {}
                Family::SignIn => {
                    let sign_in: SignIn = parse(key, row)?;
                    let user = part.and_then(|at| at.id());
                    let data = json!({ "userId": user, "email": sign_in.email,
                                       "passwordSetAt": sign_in.password_set_at });
                    piece.push(kind, None, data);
                }
                Family::Invitation => {
                    let invitation: Json = parse(key, row)?;
                    let user = part.and_then(|at| at.id());
                    let data = json!({ "userId": user, "expiresAt": invitation["expiresAt"] });
                    piece.push(kind, None, data);
                }
                Family::SingleSignOn => {
                    let provider: StoredProvider = parse(key, row)?;
                    let data = json!({ "issuer": provider.issuer, "clientId": provider.client_id,
                                       "setAt": provider.set_at });
                    piece.push(kind, None, data);
                }
                Family::ProviderIdentity => {
                    let user = part.and_then(|at| at.id());
                    let identity: ProviderIdentity = parse(key, row)?;
                    let data = json!({ "userId": user, "issuer": identity.issuer,
                                       "subject": identity.subject, "linkedAt": identity.linked_at });
                    piece.push(kind, None, data);
                }
                Family::Session => piece.push(kind, None, parse::<Session>(key, row)?),
                Family::Webhooks => {
                    for OwnWebhook { webhook, .. } in Webhooks::read(key, Some(row))?.0 {
                        piece.push(kind, None, webhook);
                    }
                }
                _ => {
                    let data: &RawValue =
                        serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e))?;
                    piece.push(kind, of, data);
                }
            }
            if family == Family::Product {
                self.add_image(piece, of, parse(key, row)?).await?;
            }
        }
        Ok(())
    }

    /// Adds the image of a product, if this process has its copy.
    async fn add_image(
        &self,
        piece: &mut AccountPiece,
        of: Option<Uuid>,
        product: Product,
    ) -> Result<(), Error> {
        let copies = &self.store().environment().image_copies;
        let (Some(copies), Some(link)) = (copies, &product.image_url) else {
            return Ok(());
        };
        let name = link.rsplit('/').next().unwrap_or(link);
        match copies.read(name).await {
            Ok(Some(bytes)) => {
                let base64 = BASE64_STANDARD.encode(bytes);
                let data = json!({ "productId": product.id, "name": name, "base64": base64 });
                piece.push("image", of, data);
            }
            // The link leads elsewhere.
            Ok(None) => {}
            Err(problem) => {
                tracing::warn!(name, problem, "an image is not in the export");
                piece.push(
                    "unreadable",
                    of,
                    json!({ "image": name, "problem": problem }),
                );
            }
        }
        Ok(())
    }

    /// The rows of secrets behind entries by id.
    async fn behind(&self, family: Family, entries: &[Entry]) -> Result<Vec<Value>, Fault> {
        let digest = |(_, digest): &Entry| <[u8; 32]>::try_from(&**digest).ok();
        let row = |digest| key(GLOBAL, family, &[KeyPart::Digest(&digest)]);
        let keys: Vec<Key> = entries.iter().filter_map(digest).map(row).collect();
        let found = LenientReader::new(self.store()).values(&keys).await?;
        let rows = found.into_iter().filter_map(|row| match row {
            Lookup::Found(row) => row,
            Lookup::Damaged => None,
        });
        Ok(rows.collect())
    }
}

/// A row of a secret. Its digest is in its key alone.
fn parse_secret<T: serde::de::DeserializeOwned>(row: &Value) -> Option<T> {
    serde_json::from_slice(row).ok()
}

fn no_place() -> Error {
    Error::Malformed(Reason::new(
        "this is no place of the export of this account",
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
            Family::RegisterPeriod,
            Family::CategoryFoldedName,
            Family::TrailAnchor,
            Family::WebhooksLink,
            Family::WebhookState,
            Family::SentStock,
            // Copies for a retry, for a few days.
            Family::Answer,
        ];
        for family in Family::ALL {
            let is_exported = KINDS.iter().any(|(of, _)| of == family);
            let is_index = matches!(family.relation(), Relation::Entry(..));
            let is_global = family.owner() == PartitionOwner::Global;
            let is_left_out = is_index || is_global || derived.contains(family);
            assert!(is_exported || is_left_out, "{}", family.name());
        }
    }
}
