//! The kinds of rows and their fields, held against what the number of this program stands for.
//!
//! A new family, or a new field of a row, is unknown to the programs that are at work: it needs a
//! [number](RowsVersion) of its own. So both are written down in a file with that number in its name.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
    sync::Arc,
};

use connect_core::{
    Account, AccountChange, AnsweredRequest, Connect, Grant, NewAccount, NewPasskey, NewProvider,
    NewToken, PasskeyClaim, ProviderUser, Retention, ScreenType, UserSession,
    environment::{Clock as _, KeyRing, SecretKey},
    storage::RowsVersion,
    wire::{
        Field, Id, OptionGroupInput, OptionInput, OrderInput, ProductInput, Scope, VatRate,
        query::ProductQuery,
    },
};
use serde_json::Value as Json;
use totp_rs::{Builder, Secret as Seed};
use uuid::Uuid;

use super::{Stocked, journal, orders, stock, webhooks, z_reports};
use crate::{faulty::rows, shop::Shop};

/// The variable that makes the test write the file.
const WRITE: &str = "WRITE_STORED_ROWS";

/// The table of families.
const KEYS: &str = include_str!("../../src/transaction/keys.rs");

/// The lines of the families, by their bytes: name, byte, owner, and the parts of the keys.
pub(super) fn families() -> BTreeMap<u8, String> {
    let (_, table) = KEYS.split_once("\nfamilies! {\n").unwrap();
    let (table, _) = table.split_once("\n}").unwrap();
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines
        .map(|line| {
            let (_, byte) = line.split_once(" = 0x").unwrap();
            let byte = u8::from_str_radix(&byte[..2], 16).unwrap();
            // The relation to other families follows.
            let (keys, _) = line.split_once(']').unwrap();
            (byte, format!("{keys}];"))
        })
        .collect()
}

/// Adds the path of each field in a row.
fn add(paths: &mut BTreeSet<String>, path: &str, value: &Json) {
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                // Some are named after what they are about.
                let is_id = Uuid::parse_str(name).is_ok();
                let is_number = name.starts_with(|first: char| first.is_ascii_digit());
                let name = if is_id || is_number { "*" } else { name };
                let path = format!("{path}.{name}");
                add(paths, &path, value);
                paths.insert(path);
            }
        }
        Json::Array(values) => {
            for value in values {
                add(paths, &format!("{path}[]"), value);
            }
        }
        _ => {}
    }
}

/// Adds something of what the stores of the other tests have not.
pub(super) async fn more() -> Stocked {
    let stocked = Stocked::open().await;
    let (connect, account) = (&stocked.shop.connect, stocked.shop.account);
    connect.migrate().await.unwrap();
    let group = OptionGroupInput::named("Sauce", vec![OptionInput::named("Ketchup")]);
    let groups = connect.location(&stocked.shop.at).option_groups();
    let first = groups.create(group.clone()).await.unwrap().id;
    groups.create(group).await.unwrap();
    groups.delete(first).await.unwrap();
    let changed = ProductInput {
        description: "Fresh".into(),
        barcode: Field::Null,
        category_id: Field::Null,
        vat_rate: Field::Value(VatRate::percent(5)),
        is_active: Field::Value(false),
        available_from: Field::Value("2026-11-20".parse().unwrap()),
        available_until: Field::Value("2026-11-21".parse().unwrap()),
        ..ProductInput::named("Oat")
            .external_id("O-1")
            .price_cents(100)
    };
    let products = stocked.shop.products();
    let all = products.list(&ProductQuery::default()).await.unwrap().data;
    let bulk = products
        .change_many(vec![all[0].id], changed)
        .await
        .unwrap();
    assert_eq!(bulk.affected, 1);
    let kiosk = stocked.shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let order = r#"{ "fulfilment": "dine_in", "tableLabel": "7", "note": "No nuts", "customerName": "Ada",
                     "lines": [{ "name": "Rye", "quantity": 1, "unitPriceCents": 250,
                                 "totalCents": 300, "vatRate": 9,
                                 "options": [{ "name": "Butter", "priceCents": 50 }] }] }"#;
    let order = OrderInput::from_json(order.as_bytes()).unwrap();
    let orders = connect.location(&kiosk).orders();
    orders.create(order).await.unwrap();
    let other = NewAccount {
        name: "Other".to_owned(),
        owner_email: "other@shop.example".to_owned(),
        sandbox: false,
    };
    let other = connect.create_account(other).await.unwrap().id;
    for (account, has_factor) in [(account, true), (other, false)] {
        sign_in(&stocked.shop, account, has_factor).await;
    }
    note_request(&stocked.shop).await;
    stocked
}

/// Stores a request of a token, with all its fields.
async fn note_request(shop: &Shop) {
    let issued = shop.connect.create_full_token(shop.account, "Webshop");
    let error = r#"{ "code": "not_found", "message": "is missing", "field": "id" }"#;
    let request = AnsweredRequest {
        token_id: issued.await.unwrap().token.id,
        at: shop.clock.now(),
        method: "GET".to_owned(),
        path: "/v1/locations".to_owned(),
        status: 404,
        request_id: "r-1".to_owned(),
        idempotency_key: Some("k-1".to_owned()),
        address: [10, 0, 0, 7].into(),
        client: Some("webshop/1.0".to_owned()),
        errors: vec![serde_json::from_str(error).unwrap()],
    };
    shop.connect.note_request(shop.account, request);
    shop.connect.flush_requests().await.unwrap();
}

/// Adds a passkey, and signs in with it.
async fn add_passkey(shop: &Shop, connect: &Connect, session: &UserSession) {
    let new = NewPasskey {
        credential_id: "a passkey".to_owned(),
        credential: "its public key".to_owned(),
    };
    let added = connect.add_passkey(session, |_| Ok(new.clone()));
    added.await.unwrap();
    let claim = PasskeyClaim::of(&session.passkey_handle(), new.credential_id.clone()).unwrap();
    shop.clock.advance(1);
    let challenge = connect.passkey_challenge(String::new()).unwrap();
    let here = std::net::Ipv4Addr::LOCALHOST.into();
    let verify = |_: &str, credential: &str| Ok(credential.to_owned());
    let signed_in = connect.sign_in_by_passkey(here, (&claim, challenge.expose()), verify);
    signed_in.await.unwrap();
}

/// Signs an owner in, with a second factor and a passkey, or with these begun. All mail waits.
async fn sign_in(shop: &Shop, account: Id<Account>, has_factor: bool) {
    const PASSWORD: &str = "rye and spelt";
    let keys = KeyRing::new(vec![SecretKey::new([7; 32])]);
    let connect = shop.process().queue_mail().secret_keys(Arc::new(keys));
    let connect = connect.build();
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    let session = accepted.await.unwrap().secret;
    let session = connect.session(session.expose()).await.unwrap();
    let begun = connect.begin_second_factor(&session, PASSWORD).await;
    let began = connect.begin_passkey(&session, PASSWORD, "Phone", "a challenge");
    began.await.unwrap();
    if has_factor {
        add_passkey(shop, &connect, &session).await;
        let seed = Seed::try_from_base32(begun.unwrap().seed.expose()).unwrap();
        let totp = Builder::new().with_secret(seed).build().unwrap();
        let code = totp
            .generate(shop.clock.now().seconds().try_into().unwrap())
            .to_string();
        let added = connect.add_second_factor(&session, &code);
        added.await.unwrap();
        let demand = AccountChange {
            requires_second_factor: Some(true),
            ..AccountChange::default()
        };
        connect.change_account(account, demand).await.unwrap();
    }
    let here = std::net::Ipv4Addr::LOCALHOST.into();
    let email = &session.user().email;
    connect.sign_in(here, email, PASSWORD).await.unwrap();
    let provider = NewProvider {
        issuer: "https://login.example".to_owned(),
        client_id: "connect".to_owned(),
        client_secret: Some("secret".to_owned().into()),
    };
    let provider = connect.set_provider(account, provider).await.unwrap();
    let person = ProviderUser {
        issuer: provider.issuer,
        subject: "1".to_owned(),
        verified_email: Some(email.clone()),
    };
    let signed_in = connect.sign_in_by_provider(here, account, &person);
    signed_in.await.unwrap();
}

/// A shop with a retention, with a token whose users were told of its expiry, and with a location that is being
/// erased.
async fn erased() -> Stocked {
    let stocked = orders::Ordered::open().await.stocked;
    let (shop, days) = (&stocked.shop, Some(7));
    let (connect, account) = (&shop.connect, shop.account);
    let retention = Retention {
        order_days: days,
        person_days: days,
        event_days: days,
        delivery_days: days,
        request_days: days,
        journal_days: days,
    };
    connect.set_retention(account, retention).await.unwrap();
    let location = Some(shop.at.location().id);
    connect.plan_erasure(account, location).await.unwrap();
    connect.maintain().await.unwrap();
    shop.location("There").await;
    let post = shop.process().queue_mail().build();
    let expiring = NewToken {
        name: "Sync".to_owned(),
        expires_at: Some(shop.clock.now().plus_seconds(20 * 24 * 3600)),
        grants: vec![Grant {
            location_id: shop.at.location().id,
            scopes: vec![Scope::PosRead],
        }],
    };
    connect.create_token(account, expiring).await.unwrap();
    for days in [10, 20] {
        shop.clock.advance(days * 24 * 3600);
        post.maintain().await.unwrap();
    }
    connect.plan_erasure(account, None).await.unwrap();
    stocked
}

/// What the file has to say.
async fn found() -> String {
    let stores = [
        journal::open().await,
        orders::Ordered::open().await.stocked,
        stock::open().await,
        webhooks::open().await,
        z_reports::open().await,
        more().await,
        erased().await,
    ];
    let mut fields: BTreeMap<u8, BTreeSet<String>> = BTreeMap::new();
    for stocked in &stores {
        for (key, row) in rows(&*stocked.shop.storage).await {
            let paths = fields.entry(key[16]).or_default();
            if let Ok(row) = serde_json::from_slice(&row) {
                add(paths, "", &row);
            }
        }
    }
    let mut text = String::new();
    for (byte, line) in families() {
        text += &format!("{line}\n");
        for path in fields.get(&byte).into_iter().flatten() {
            text += &format!("    {path}\n");
        }
    }
    text
}

#[tokio::test]
async fn a_kind_of_row_or_a_field_that_is_new_has_a_number() {
    let number = RowsVersion::THIS.written_by;
    let name = format!("tests/integrity/rows-{number}.txt");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&name);
    let found = found().await;
    if env::var_os(WRITE).is_some() {
        return fs::write(file, found).unwrap();
    }
    let known = fs::read_to_string(file).unwrap_or_default();
    let of = |text: &str| -> BTreeSet<String> {
        let mut family = String::new();
        let line = |line: &str| {
            if !line.starts_with(' ') {
                family = line.to_owned();
            }
            format!("{family} {}", line.trim())
        };
        text.lines().map(line).collect()
    };
    let (known, found) = (of(&known), of(&found));
    let added: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "The rows are not those of number {number}. New: {added:#?} Gone: {gone:#?}\n\
         If that number is in a release, raise it in src/storage/rows_version.rs, and say there what the new one \
         brought. Then write {name} by running this test with {WRITE}=1."
    );
}
