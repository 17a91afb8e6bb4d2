//! Every action with a line in the audit log has an entry in the trail.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Author, Connect, NewPasskey, NewProvider, NewWebhook, Origin, PasskeyClaim, ProviderUser,
    TrailFilter, TrailScope,
    environment::{KeyRing, ManualClock, SecretKey},
    storage::memory::MemoryStorage,
    wire::{EventType, Id, ProductBatch, ProductInput, Quantity, StockCount, Timestamp},
};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret as Seed};

use super::super::{Authority, Execution, OwnerCommand};
use crate::telemetry::audit::Action;

/// The object and the action in the trail of each action, and nothing for one without changes.
fn expected(action: Action) -> Option<(&'static str, &'static str)> {
    Some(match action {
        Action::OperatorRequest | Action::CheckImport => return None,
        Action::ImportProducts => ("product", "create"),
        Action::SignIn | Action::AcceptInvitation => ("session", "create"),
        Action::SignOut | Action::EndSession => ("session", "delete"),
        Action::ChangeEmail => ("user", "change"),
        Action::ChangePassword => ("sign-in", "change"),
        Action::InviteUser | Action::ForgetPassword => ("invitation", "create"),
        Action::SignInCode | Action::SignInByPasskey | Action::SignInThroughProvider => {
            ("session", "create")
        }
        Action::ChangePasskeys => ("passkey", "create"),
        Action::ChangeProvider => ("single sign-on", "create"),
        Action::ChangeSecondFactor | Action::ResetSecondFactor => ("user", "change"),
        Action::RemoveUser => ("user", "delete"),
        Action::ChangeNames => ("screen", "change"),
        Action::RollScreenKey => ("screen key", "create"),
        Action::RevokeScreenKey => ("screen key", "delete"),
        Action::RevokeToken => ("token", "change"),
        Action::EnableWebhook | Action::DisableWebhook => ("webhook", "change"),
        Action::ChangeProducts | Action::ChangeStock => ("product", "change"),
        Action::SetStockMinimum => ("stock minimum", "create"),
        Action::EraseAccount
        | Action::KeepAccount
        | Action::EraseLocation
        | Action::KeepLocation
        | Action::ChangeRetention => ("account", "change"),
        other => other.parts(),
    })
}

/// The object and the action of each change since the last call.
struct Trail {
    connect: Connect,
    clock: Arc<ManualClock>,
    seen: usize,
}

impl Trail {
    async fn new_changes(&mut self) -> Vec<(String, String)> {
        // So that entries are in the order of their changes.
        self.clock.advance(1);
        let (scope, all) = (TrailScope::Everything, TrailFilter::default());
        let page = self.connect.trail(scope, &all, None, 200).await.unwrap();
        let new = page.entries.len() - self.seen;
        self.seen = page.entries.len();
        let entries = page.entries.into_iter().take(new);
        let changes = entries.flat_map(|entry| entry.changes);
        changes
            .map(|change| (change.object, change.action))
            .collect()
    }

    /// Checks the last action to have its entry.
    async fn check(&mut self, action: Action, done: &mut Vec<&'static str>) {
        let changes = self.new_changes().await;
        let (object, name) = expected(action).unwrap();
        let is_it = |change: &&(String, String)| (&*change.0, &*change.1) == (object, name);
        assert!(
            changes.iter().any(|change| is_it(&change)),
            "{action:?}: {changes:?}"
        );
        done.push(action.name());
    }
}

#[tokio::test]
async fn every_action_that_is_done_is_in_the_trail() {
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let service = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(clock.clone())
        .secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([7; 32])])))
        .queue_mail()
        .build();
    service.migrate().await.unwrap();
    let name = Some("root".to_owned());
    let connect = service.by(Author::Operator { name }, Origin::default());
    let mut trail = Trail {
        connect: service.clone(),
        clock: clock.clone(),
        seen: 0,
    };
    let mut done = Vec::new();
    let execute = async |command: Value| {
        let command: OwnerCommand = serde_json::from_value(command).unwrap();
        let mut execution = Execution::new(&connect, Authority::Operator, Some("http://owner"));
        let shown = command
            .execute(&mut execution)
            .await
            .unwrap()
            .await
            .unwrap();
        (execution.action.unwrap(), shown)
    };
    macro_rules! does {
        ($command:tt) => {{
            let (action, shown) = execute(json!($command)).await;
            trail.check(action, &mut done).await;
            // A list of one, or the one.
            shown.get(0).cloned().unwrap_or(shown)
        }};
    }
    let made = does!({ "account": { "create": { "name": "Rye", "email": "noor@rye.example", "sandbox": true } } });
    let account: Id<_> = made["id"].as_str().unwrap().parse().unwrap();
    does!({ "account": { "change": { "id": account, "name": "Oat" } } });
    let made =
        does!({ "location": { "create": { "name": "Here", "currency": "EUR", "vat_rate": 21 } } });
    let location = made["id"].clone();
    does!({ "location": { "change": { "id": location, "changes": { "name": "There" } } } });
    does!({ "account": { "export": { "id": account } } });
    does!({ "account": { "retention": { "id": account, "orders": 400 } } });
    for (kind, id) in [("account", &json!(account)), ("location", &location)] {
        does!({ kind: { "erase": { "id": id } } });
        does!({ kind: { "keep": { "id": id } } });
    }
    let made =
        does!({ "screen": { "create": { "location": location, "kind": "pos", "name": "Till" } } });
    let screen = made["id"].clone();
    does!({ "screen": { "roll": { "id": screen } } });
    does!({ "screen": { "revoke": { "id": screen } } });
    does!({ "screen": { "change": { "id": screen, "name": "Bar" } } });
    let names = connect.rename_screen(account, screen.as_str().unwrap().parse().unwrap(), "Desk");
    names.await.unwrap();
    trail.check(Action::ChangeNames, &mut done).await;
    does!({ "screen": { "delete": { "id": screen } } });
    let rights = json!({ "scopes": [], "allScopes": true, "grants": [] });
    let made =
        does!({ "token": { "create": { "name": "Sync", "rights": rights, "locations": [] } } });
    does!({ "token": { "revoke": { "id": made["id"] } } });
    let new = NewWebhook {
        url: "https://rye.example/events".into(),
        events: EventType::KNOWN.to_vec(),
        location_ids: Vec::new(),
    };
    let webhook = connect
        .create_webhook(account, new)
        .await
        .unwrap()
        .webhook
        .id;
    trail.check(Action::CreateWebhook, &mut done).await;
    does!({ "webhook": { "change": { "id": webhook, "changes": { "url": "https://oat.example", "allLocations": false } } } });
    does!({ "webhook": { "test": { "id": webhook } } });
    does!({ "webhook": { "roll": { "id": webhook } } });
    does!({ "webhook": { "disable": { "id": webhook } } });
    does!({ "webhook": { "enable": { "id": webhook } } });
    does!({ "webhook": { "delete": { "id": webhook } } });
    let user = does!({ "user": { "create": {
        "name": "Ans", "email": "ans@rye.example", "language": "en",
        "roles": [{ "locationId": null, "role": "manager" }]
    } } });
    does!({ "user": { "change": { "id": user["id"], "name": "Anna" } } });
    does!({ "user": { "invite": { "id": user["id"] } } });
    does!({ "user": { "remove": { "id": user["id"] } } });

    let here = IpAddr::from([127, 0, 0, 1]);
    let invitation = service.invite_owner(account).await.unwrap().secret;
    trail.new_changes().await;
    let first = service
        .accept_invitation(invitation.expose(), "correct horse 1")
        .await
        .unwrap();
    trail.check(Action::AcceptInvitation, &mut done).await;
    let session = service.session(first.secret.expose()).await.unwrap();
    let by_user = service.by_user(&session, Origin::default());
    by_user
        .change_password(&session, "correct horse 1", "correct horse 2")
        .await
        .unwrap();
    trail.check(Action::ChangePassword, &mut done).await;
    by_user
        .change_email(&session, "correct horse 2", "noor@oat.example")
        .await
        .unwrap();
    trail.check(Action::ChangeEmail, &mut done).await;
    service
        .sign_in(here, "noor@oat.example", "correct horse 2")
        .await
        .unwrap();
    trail.check(Action::SignIn, &mut done).await;
    by_user.end_other_sessions(&session).await.unwrap();
    trail.check(Action::EndSession, &mut done).await;
    let begun = by_user.begin_second_factor(&session, "correct horse 2");
    let seed = Seed::try_from_base32(begun.await.unwrap().seed.expose()).unwrap();
    let code = Builder::new().with_secret(seed).build().unwrap();
    let code = code
        .generate(service.now().seconds().try_into().unwrap())
        .to_string();
    let codes = by_user.add_second_factor(&session, &code).await.unwrap();
    trail.check(Action::ChangeSecondFactor, &mut done).await;
    let awaiting = service
        .sign_in(here, "noor@oat.example", "correct horse 2")
        .await
        .unwrap();
    service
        .finish_sign_in(awaiting.secret.expose(), codes[0].expose())
        .await
        .unwrap();
    trail.check(Action::SignInCode, &mut done).await;
    by_user
        .begin_passkey(&session, "correct horse 2", "Phone", "")
        .await
        .unwrap();
    let passkey = NewPasskey {
        credential_id: "1".into(),
        credential: String::new(),
    };
    by_user
        .add_passkey(&session, |_| Ok(passkey))
        .await
        .unwrap();
    trail.check(Action::ChangePasskeys, &mut done).await;
    let claim = PasskeyClaim::of(&session.passkey_handle(), "1".into()).unwrap();
    let challenge = service.passkey_challenge(String::new()).unwrap();
    service
        .sign_in_by_passkey(here, (&claim, challenge.expose()), |_, _| Ok(String::new()))
        .await
        .unwrap();
    trail.check(Action::SignInByPasskey, &mut done).await;
    by_user.sign_out(&session).await.unwrap();
    trail.check(Action::SignOut, &mut done).await;
    does!({ "user": { "resetSecondFactor": { "id": session.user().id } } });
    service
        .forget_password(here, "noor@oat.example")
        .unwrap()
        .await;
    trail.check(Action::ForgetPassword, &mut done).await;
    let provider = NewProvider {
        issuer: "https://login.example".into(),
        client_id: "connect".into(),
        client_secret: Some("secret".to_owned().into()),
    };
    connect.set_provider(account, provider).await.unwrap();
    trail.check(Action::ChangeProvider, &mut done).await;
    let person = ProviderUser {
        issuer: "https://login.example".into(),
        subject: "1".into(),
        verified_email: Some("noor@oat.example".into()),
    };
    let signed_in = service.sign_in_by_provider(here, account, &person);
    signed_in.await.unwrap();
    trail.check(Action::SignInThroughProvider, &mut done).await;

    let location = location.as_str().unwrap().parse().unwrap();
    let at = connect
        .authorize_owner(account, location, account)
        .await
        .unwrap();
    let products = connect.location(&at).products();
    let rye = products.create(ProductInput::named("Rye")).await.unwrap();
    trail.new_changes().await;
    let change = ProductInput::default().price_cents(300);
    products.change_many(vec![rye.id], change).await.unwrap();
    trail.check(Action::ChangeProducts, &mut done).await;
    let oat = ProductInput::named("Oat").external_id("O-1");
    let batch = ProductBatch::new(vec![oat]);
    products.batch(batch).await.unwrap();
    trail.check(Action::ImportProducts, &mut done).await;
    let stock = connect.location(&at).stock();
    let count = StockCount::of(Quantity::MAX);
    stock.count(rye.id, count).await.unwrap();
    trail.check(Action::ChangeStock, &mut done).await;
    let minimum = Some(Quantity::default());
    stock.set_minimum(rye.id, minimum).await.unwrap();
    trail.check(Action::SetStockMinimum, &mut done).await;
    for action in [
        Action::BackUpStore,
        Action::ExportStore,
        Action::RepairStore,
        Action::DeliverFromStore,
        Action::TrustClock,
    ] {
        let (object, name) = action.parts();
        connect.note_action(None, object, name).await.unwrap();
        trail.check(action, &mut done).await;
    }
    // A copy of a store stays equal to its file. The keys of secrets are a file, not a row. `webhook.resend` needs a worker that gives up; the core notes it with the delivery.
    // A name is noted with the records that had it. A look at prices changes nothing.
    let rest = [
        "operator.request",
        "location.blank",
        "webhook.resend",
        "products.preview_prices",
        "products.check_import",
        "store.import",
        "store.restore",
        "secrets.rotate",
        "sandbox.use",
    ];
    let missing = Action::ALL.iter().map(|action| action.name());
    let missing: Vec<_> = missing.filter(|name| !done.contains(name)).collect();
    assert_eq!(
        missing,
        rest.into_iter()
            .filter(|name| missing.contains(name))
            .collect::<Vec<_>>()
    );
    let report = service
        .verify_trail(None, u64::MAX, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(report.faults, []);
}
