//! Privacy: erasures, exports, and how long personal data is kept.

mod erasure;
mod export;
mod kills;
mod retention;

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{
    Access, Account, Connect, NewAccount, NewLocation, NewWebhook, ScreenType,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    storage::{Commit, Entry, Storage, Write},
    wire::{
        EventType, Field, Id, OptionGroupInput, OptionInput, OrderInput, Product, ProductInput,
        Quantity, StockCount, TransactionInput, VatRate, ZReportInput,
    },
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    faulty::rows,
    shop::{keyed, screen},
    stored::family::TRAIL,
};

/// An account with something of everything, and a mark in every text that it stores.
struct Tenant {
    account: Id<Account>,
    mark: String,
    /// The owner's access to its two locations.
    at: [Access; 2],
    tills: [Access; 2],
    kiosks: [Access; 2],
}

impl Tenant {
    async fn open(connect: &Connect, mark: &str) -> Self {
        let new = NewAccount {
            name: format!("{mark} shop"),
            owner_email: format!("owner@{mark}.example").to_lowercase(),
            sandbox: true,
        };
        let account = connect.create_account(new).await.unwrap().id;
        let mut ats = Vec::new();
        for place in ["market", "quay"] {
            let new = NewLocation {
                name: format!("{mark} {place}"),
                currency: "EUR".into(),
                default_vat_rate: VatRate::percent(21),
            };
            let location = connect.create_location(account, new).await.unwrap().id;
            let at = connect.authorize_owner(account, location, account).await;
            ats.push(at.unwrap());
        }
        let at: [Access; 2] = ats.try_into().unwrap();
        let new_screen = async |kind, name: &str| {
            let name = format!("{mark} {name}");
            [
                screen(connect, &at[0], kind, &name).await,
                screen(connect, &at[1], kind, &name).await,
            ]
        };
        let tills = new_screen(ScreenType::Pos, "till").await;
        let kiosks = new_screen(ScreenType::OrderKiosk, "kiosk").await;
        let invitation = connect.invite_owner(account).await.unwrap().secret;
        let accepted = connect.accept_invitation(invitation.expose(), "rye and spelt 7");
        accepted.await.unwrap();
        connect.invite_owner(account).await.unwrap();
        let mut locations = vec![Vec::new(), vec![at[0].location().id]];
        locations.push(vec![at[1].location().id]);
        for location_ids in locations {
            let new = NewWebhook {
                url: format!("https://{mark}.example/hook").to_lowercase(),
                events: vec![
                    EventType::ProductChanged,
                    EventType::StockChanged,
                    EventType::OrderCreated,
                ],
                location_ids,
            };
            connect.create_webhook(account, new).await.unwrap();
        }
        Self {
            account,
            mark: mark.to_owned(),
            at,
            tills,
            kiosks,
        }
    }

    /// Sells, orders, counts and changes at each location.
    async fn trade(&self, connect: &Connect) {
        let mark = &self.mark;
        connect.create_full_token(self.account, mark).await.unwrap();
        for place in [0, 1] {
            let at =
                connect.authorize_owner(self.account, self.at[place].location().id, self.account);
            let at = at.await.unwrap();
            let here = connect.location(&at);
            let number = Uuid::now_v7();
            let product = ProductInput {
                external_id: Field::Value(format!("{mark}-{number}")),
                barcode: Field::Value(mark.clone()),
                category_name: Field::Value(format!("{mark} {number}")),
                image_url: Field::Value(format!("https://{mark}.example/{number}.jpg")),
                ..ProductInput::named(format!("{mark} bread"))
            };
            let request = keyed(product.into(), &format!("{mark}-{number}"));
            let made = here.json::<Product>().create(request).await.unwrap();
            let product: Product = serde_json::from_value(
                serde_json::from_slice::<serde_json::Value>(&made.body).unwrap()["data"].clone(),
            )
            .unwrap();
            let gone = ProductInput::named(format!("{mark} gone"));
            let gone = here.products().create(gone).await.unwrap();
            here.products().delete(gone.id).await.unwrap();
            let options = vec![OptionInput::named(format!("{mark} butter"))];
            let group = OptionGroupInput::named(format!("{mark} spread"), options);
            here.option_groups().create(group).await.unwrap();
            let count = StockCount::of(Quantity::from_thousandths(5000).unwrap());
            here.stock().count(product.id, count).await.unwrap();
            let minimum = Quantity::from_thousandths(9000);
            here.stock().set_minimum(product.id, minimum).await.unwrap();
            let line = json!({ "name": format!("{mark} bread"), "productId": product.id, "quantity": 1,
                               "unitPriceCents": 250, "totalCents": 250, "vatRate": 9 });
            let order = json!({ "fulfilment": "dine_in", "tableLabel": mark, "note": mark,
                                "customerName": format!("{mark} Ada"), "lines": [line] });
            let order = OrderInput::from_json(order.to_string().as_bytes()).unwrap();
            let orders = connect.location(&self.kiosks[place]).orders();
            let order = orders.create(order).await.unwrap();
            let till = connect.location(&self.tills[place]);
            let sale = json!({ "type": "sale", "totalCents": 250, "orderId": order.id, "note": mark,
                               "employee": format!("{mark} Noor"), "lines": [line],
                               "payments": [{ "method": "card", "amountCents": 250 }] });
            let sale = TransactionInput::from_json(sale.to_string().as_bytes()).unwrap();
            till.transactions().write(sale).await.unwrap();
            till.z_reports()
                .close(ZReportInput::default())
                .await
                .unwrap();
        }
        let worker = connect.webhook_worker(Arc::new(Down), None);
        worker.tick().await.unwrap();
    }

    /// The ids of the account and of everything with rows of its own.
    async fn ids(&self, connect: &Connect) -> BTreeSet<Uuid> {
        let account = connect.account(self.account).await.unwrap();
        let mut ids = BTreeSet::from([self.account.uuid()]);
        ids.extend(account.locations.iter().map(|of| of.id.uuid()));
        ids.extend(account.screens.iter().map(|of| of.id.uuid()));
        ids.extend(account.users.iter().map(|of| of.id.uuid()));
        let webhooks = connect.webhooks(self.account).await.unwrap();
        ids.extend(webhooks.iter().map(|(of, _)| of.id.uuid()));
        let tokens = connect.tokens(self.account).await.unwrap();
        ids.extend(tokens.iter().map(|(of, _)| of.id.uuid()));
        ids
    }
}

/// An endpoint that takes nothing.
struct Down;

#[async_trait::async_trait]
impl WebhookSender for Down {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Err(SendFailure::NoAnswer(
            "The connection was refused.".to_owned(),
        ))
    }
}

/// Whether some bytes hold others.
fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|found| found == part)
}

/// Whether a row names one of these ids, or has the mark in any case of letters.
fn is_of((key, row): &Entry, ids: &BTreeSet<Uuid>, mark: &str) -> bool {
    let has_id = |id: &Uuid| {
        holds(key, id.as_bytes())
            || holds(row, id.as_bytes())
            || holds(row, id.to_string().as_bytes())
    };
    let lower = |bytes: &[u8]| bytes.to_ascii_lowercase();
    let mark = mark.to_ascii_lowercase();
    ids.iter().any(has_id)
        || [key as &[u8], row]
            .iter()
            .any(|of| holds(&lower(of), mark.as_bytes()))
}

/// Whether a row is the store's own: its clock, its trail and the time of the last maintenance.
fn is_of_store((key, _): &Entry) -> bool {
    key.starts_with(Uuid::nil().as_bytes()) && matches!(key[16], TRAIL | 0x01 | 0x03)
}

/// Writes a row past all rules.
async fn put(storage: &dyn Storage, key: &[u8], row: &[u8]) {
    let commit = Commit {
        writes: vec![(key.into(), Write::Put(row.into()))],
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
}

async fn all(storage: &dyn Storage) -> Vec<Entry> {
    rows(storage).await
}
