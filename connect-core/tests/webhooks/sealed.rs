//! Secrets of webhooks sealed by keys: rotation, lost keys, and no secret in clear.

use std::sync::{Arc, Mutex};

use connect_core::{
    Account, Connect, Error, IssuedWebhook, NewWebhook, Secret, WebhookWorker,
    environment::{KeyRing, SecretKey, SecretKeys},
    wire::{Id, ProductInput},
};
use connect_webhook_verify::{self as verify, Verifier};
use futures_util::future::join;

use super::{
    PRODUCTS, URL,
    endpoints::{Endpoints, event, header},
};
use crate::{faulty::rows, properties::shop::Shop};

on_each_store!(webhooks_deliver_while_keys_change_and_wait_while_one_is_lost);
on_each_store!(no_roll_is_lost_beside_a_rotation);

/// Keys that change as the test says.
#[derive(Default)]
struct Keys(Mutex<KeyRing>);

impl Keys {
    fn set(&self, keys: &[u8]) {
        let keys = keys.iter().map(|key| SecretKey::new([*key; 32]));
        *self.0.lock().unwrap() = KeyRing::new(keys.collect());
    }
}

impl SecretKeys for Keys {
    fn keys(&self) -> KeyRing {
        self.0.lock().unwrap().clone()
    }
}

/// A process with keys on the store of a shop.
struct Process<'s> {
    shop: &'s Shop,
    account: Id<Account>,
    keys: Arc<Keys>,
    connect: Connect,
    worker: WebhookWorker,
    endpoints: Arc<Endpoints>,
}

impl<'s> Process<'s> {
    fn on(shop: &'s Shop) -> Self {
        let (keys, endpoints) = (Arc::new(Keys::default()), Endpoints::new());
        let connect = Connect::builder(shop.storage.clone())
            .clock(shop.clock.clone())
            .secret_keys(keys.clone())
            .build();
        Self {
            account: shop.at.account().id,
            worker: connect.webhook_worker(endpoints.clone(), None),
            shop,
            keys,
            connect,
            endpoints,
        }
    }

    /// Makes a product, and a round of deliveries more than a minute later.
    /// Returns the names of delivered products. Each of these secrets has signed them, and no other.
    async fn sells(&self, name: &str, signed_by: &[&Secret]) -> Vec<String> {
        let products = self.shop.connect.location(&self.shop.at).products();
        products.create(ProductInput::named(name)).await.unwrap();
        self.shop.clock.advance(61);
        self.worker.tick().await.unwrap();
        let now = self.connect.now().seconds() as u64;
        let arrived = self.endpoints.take().into_iter().map(|request| {
            let signature = header(&request, "service-signature");
            assert_eq!(
                signature.matches("v1=").count(),
                signed_by.len(),
                "{signature}"
            );
            for secret in signed_by {
                let secret = verify::Secret::new(secret.expose()).unwrap();
                let verified = Verifier::new(secret).verify(signature, &request.body, now);
                verified.unwrap();
            }
            event(&request).data["name"].as_str().unwrap().to_owned()
        });
        arrived.collect()
    }

    /// Seals what is to be sealed. Returns the number of secrets sealed, in clear, and without a key.
    async fn seals(&self) -> (usize, usize, usize) {
        let sealed = self.connect.maintain().await.unwrap().sealed;
        let stored = self.connect.stored_secrets().await.unwrap();
        (sealed, stored.clear, stored.unopened)
    }
}

/// A webhook made by a process without keys, so its secret is stored in clear.
async fn in_clear(shop: &Shop) -> IssuedWebhook {
    let new = NewWebhook {
        url: URL.to_owned(),
        events: PRODUCTS.to_vec(),
        location_ids: Vec::new(),
    };
    let made = shop.connect.create_webhook(shop.at.account().id, new);
    made.await.unwrap()
}

async fn webhooks_deliver_while_keys_change_and_wait_while_one_is_lost(shop: Shop) {
    let IssuedWebhook { webhook, secret } = in_clear(&shop).await;
    let process = Process::on(&shop);
    let (connect, account) = (&process.connect, process.account);
    // Sealed by the first key, whatever it is, and delivered before and after.
    for (keys, name, sealed) in [
        (&[1][..], "Rye", 1),
        (&[1], "Oat", 0),
        (&[2, 1], "Spelt", 1),
        (&[2], "Rice", 0),
        (&[1, 2], "Corn", 1),
    ] {
        process.keys.set(keys);
        assert_eq!(process.sells(name, &[&secret]).await, [name], "{keys:?}");
        assert_eq!(process.seals().await, (sealed, 0, 0), "{keys:?}");
        assert_eq!(
            process.sells("More", &[&secret]).await,
            ["More"],
            "{keys:?}"
        );
        for (_, row) in rows(&*shop.storage).await {
            assert!(!row.windows(6).any(|part| part == b"whsec_"), "{keys:?}");
        }
    }
    // A lost key, another key, and the right one again: nothing is lost, and nothing is a failure.
    for (keys, name) in [(&[][..], "Millet"), (&[3], "Teff")] {
        process.keys.set(keys);
        assert_eq!(process.sells(name, &[]).await, [""; 0], "{keys:?}");
        assert_eq!(process.seals().await, (0, 0, 1), "{keys:?}");
        let unsigned = connect.unsigned_webhooks(account).await.unwrap();
        assert_eq!(unsigned, [webhook.id], "{keys:?}");
        assert_eq!(connect.backlog().await.unwrap().webhooks.unsigned, 1);
    }
    let found = connect.webhook_with_health(account, webhook.id).await;
    let (found, health) = found.unwrap();
    assert!(found.is_enabled() && health.failures_in_a_row == 0);
    process.keys.set(&[2, 1]);
    let arrived = process.sells("Emmer", &[&secret]).await;
    assert_eq!(arrived, ["Millet", "Teff", "Emmer"]);
    assert_eq!(connect.backlog().await.unwrap().webhooks.unsigned, 0);
    // The former secret signs beside the new one, and is sealed as it is.
    let rolled = connect
        .roll_webhook_secret(account, webhook.id)
        .await
        .unwrap();
    assert!(!rolled.is_former_lost);
    process.keys.set(&[3, 2, 1]);
    let both = [&rolled.secret, &secret];
    assert_eq!(process.seals().await, (2, 0, 0));
    assert_eq!(process.sells("Einkorn", &both).await, ["Einkorn"]);
    // A key lost for good: the owner makes a new secret, once the operator has made a new key.
    process.keys.set(&[]);
    assert_eq!(process.sells("Fonio", &[]).await, [""; 0]);
    let refused = connect.roll_webhook_secret(account, webhook.id).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    process.keys.set(&[4]);
    let rolled = connect
        .roll_webhook_secret(account, webhook.id)
        .await
        .unwrap();
    assert!(rolled.is_former_lost);
    let arrived = process.sells("Barley", &[&rolled.secret]).await;
    assert_eq!(arrived, ["Fonio", "Barley"]);
    let unsigned = connect.unsigned_webhooks(account).await.unwrap();
    assert!(unsigned.is_empty());
    assert_eq!(process.seals().await, (0, 0, 0));
}

/// A rotation replaces the rows that rolls replace, in either order.
async fn no_roll_is_lost_beside_a_rotation(shop: Shop) {
    let webhook = in_clear(&shop).await.webhook.id;
    let process = Process::on(&shop);
    let (connect, account) = (&process.connect, process.account);
    process.keys.set(&[0]);
    let mut former = connect.roll_webhook_secret(account, webhook).await.unwrap();
    for key in 1..20 {
        process.keys.set(&[key, key - 1]);
        let rolls = connect.roll_webhook_secret(account, webhook);
        let (rolled, maintained) = join(rolls, connect.maintain()).await;
        maintained.unwrap();
        let rolled = rolled.unwrap();
        process.keys.set(&[key]);
        let name = format!("Rye {key}");
        let both = [&rolled.secret, &former.secret];
        assert_eq!(process.sells(&name, &both).await, [name]);
        former = rolled;
    }
}

/// Bytes of files tell more than rows: an engine leaves former ones in free pages.
#[cfg(all(feature = "redb", feature = "sled"))]
#[tokio::test]
async fn no_file_of_a_store_has_a_secret_in_clear() {
    use connect_core::transfer::{ExportOptions, export};

    use crate::properties::shop::{Backend, Premises};

    for engine in [Backend::Redb, Backend::Sled] {
        let shop = Shop::open(engine).await;
        let process = Process::on(&shop);
        process.keys.set(&[1]);
        let new = NewWebhook {
            url: URL.to_owned(),
            events: PRODUCTS.to_vec(),
            location_ids: Vec::new(),
        };
        let made = process
            .connect
            .create_webhook(process.account, new)
            .await
            .unwrap();
        let rolled = process
            .connect
            .roll_webhook_secret(process.account, made.webhook.id);
        let secrets = [made.secret, rolled.await.unwrap().secret];
        assert_eq!(
            process.sells("Rye", &[&secrets[1], &secrets[0]]).await,
            ["Rye"]
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export");
        let exported = export(&*shop.storage, &file, ExportOptions::default(), &mut |_| {}).await;
        exported.unwrap();
        let Premises::Directory(directory) = shop.premises() else {
            panic!("{engine:?} is in a directory");
        };
        let mut files = vec![file];
        let mut folders = vec![directory.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    &mut folders
                } else {
                    &mut files
                }
                .push(path);
            }
        }
        assert!(files.len() > 1, "{files:?}");
        let mut bytes_read = 0;
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            bytes_read += bytes.len();
            for secret in ["whsec_", secrets[0].expose(), secrets[1].expose()] {
                let secret = secret.as_bytes();
                let is_there = bytes.windows(secret.len()).any(|part| part == secret);
                assert!(!is_there, "{}", file.display());
            }
        }
        assert!(bytes_read > 10_000, "{bytes_read}");
    }
}
