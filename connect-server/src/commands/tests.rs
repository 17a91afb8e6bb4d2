//! The reach of an owner's commands.

use std::sync::Arc;

use connect_core::{
    Account, Connect, NewAccount, NewLocation, NewScreen, NewWebhook, ScreenType,
    storage::memory::MemoryStorage,
    wire::{EventType, Id},
};
use serde_json::json;

use super::*;

/// The ids of an account and its things.
struct Ids {
    account: Id<Account>,
    location: String,
    screen: String,
    token: String,
    webhook: String,
}

async fn account(connect: &Connect, name: &str) -> Ids {
    let new = NewAccount {
        name: name.into(),
        owner_email: format!("noor@{name}.example"),
        sandbox: false,
    };
    let account = connect.create_account(new).await.unwrap().id;
    let new = NewLocation {
        name: name.into(),
        currency: "EUR".into(),
        default_vat_rate: "21".parse().unwrap(),
    };
    let location = connect.create_location(account, new).await.unwrap().id;
    let new = NewScreen {
        location_id: location,
        kind: ScreenType::Pos,
        name: name.into(),
    };
    let screen = connect.create_screen(account, new).await.unwrap().id;
    let token = connect.create_full_token(account, name).await.unwrap();
    let new = NewWebhook {
        url: "https://rye.example/events".into(),
        events: EventType::KNOWN.to_vec(),
        location_ids: Vec::new(),
    };
    let webhook = connect.create_webhook(account, new).await.unwrap();
    Ids {
        account,
        location: location.to_string(),
        screen: screen.to_string(),
        token: token.token.id.to_string(),
        webhook: webhook.webhook.id.to_string(),
    }
}

async fn executed(connect: &Connect, by: Authority, command: Value) -> Result<Value, u16> {
    let is_read =
        command.to_string().contains("list") || command["webhook"]["deliveries"].is_object();
    let command: OwnerCommand = serde_json::from_value(command).unwrap();
    let mut execution = Execution::new(connect, by, None);
    let shown = command.execute(&mut execution).await;
    // The audit log has a line of every change, refused or done.
    assert_eq!(execution.action.is_none(), is_read, "{command:?}");
    let shown = shown.map_err(|error| error.status())?;
    Ok(shown.await.unwrap())
}

#[tokio::test]
async fn an_owner_reaches_the_own_account_alone() {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let (own, other) = (
        account(&connect, "rye").await,
        account(&connect, "oat").await,
    );
    let lists = [
        json!({ "account": "list" }),
        json!({ "location": "list" }),
        json!({ "screen": "list" }),
        json!({ "token": { "list": { "all": true } } }),
        json!({ "webhook": "list" }),
    ];
    let mut before = Vec::new();
    for list in &lists {
        let all = executed(&connect, Authority::Operator, list.clone()).await;
        let all = all.unwrap();
        assert_eq!(all.as_array().map(Vec::len), Some(2), "{list}");
        let by = Authority::Owner(own.account);
        let of_owner = executed(&connect, by, list.clone()).await.unwrap();
        assert_eq!(of_owner, json!([all[0]]), "{list}");
        before.push(all);
    }

    let (id, location, screen) = (other.account, &other.location, &other.screen);
    let (token, webhook) = (&other.token, &other.webhook);
    let grant = json!([{ "locationId": location, "scopes": ["catalog:read"] }]);
    let rights = |grants: &Value| json!({ "scopes": [], "allScopes": true, "grants": grants });
    for (command, status) in [
        // Of the operator alone.
        (
            json!({ "account": { "create": { "name": "A", "email": "a@a.example", "sandbox": false } } }),
            403,
        ),
        (
            json!({ "account": { "invite": { "id": own.account } } }),
            403,
        ),
        (
            json!({ "account": { "change": { "id": own.account, "changes": { "email": "a@a.example" } } } }),
            403,
        ),
        (
            json!({ "location": { "create": { "name": "A", "currency": "EUR", "vat_rate": 21 } } }),
            403,
        ),
        // Of another account.
        (json!({ "account": { "invite": { "id": id } } }), 404),
        (
            json!({ "account": { "change": { "id": id, "changes": { "name": "A" } } } }),
            404,
        ),
        (
            json!({ "location": { "change": { "id": location, "changes": { "name": "A" } } } }),
            404,
        ),
        (
            json!({ "screen": { "create": { "location": location, "kind": "pos", "name": "A" } } }),
            422,
        ),
        (json!({ "screen": { "roll": { "id": screen } } }), 404),
        (json!({ "screen": { "revoke": { "id": screen } } }), 404),
        (
            json!({ "screen": { "change": { "id": screen, "name": "A" } } }),
            404,
        ),
        (json!({ "screen": { "delete": { "id": screen } } }), 404),
        (
            json!({ "token": { "create": { "name": "A", "rights": rights(&json!([])), "locations": [], "account": id } } }),
            404,
        ),
        (
            json!({ "token": { "create": { "name": "A", "rights": rights(&grant), "locations": [] } } }),
            404,
        ),
        (json!({ "token": { "revoke": { "id": token } } }), 404),
        (
            json!({ "webhook": { "create": { "url": "https://a.example", "events": ["product.created"], "locations": [location] } } }),
            422,
        ),
        (
            json!({ "webhook": { "change": { "id": webhook, "changes": { "url": "https://a.example", "allLocations": false } } } }),
            404,
        ),
        (json!({ "webhook": { "test": { "id": webhook } } }), 404),
        (json!({ "webhook": { "roll": { "id": webhook } } }), 404),
        (json!({ "webhook": { "enable": { "id": webhook } } }), 404),
        (json!({ "webhook": { "disable": { "id": webhook } } }), 404),
        (json!({ "webhook": { "delete": { "id": webhook } } }), 404),
        (
            json!({ "webhook": { "deliveries": { "id": webhook, "limit": 20 } } }),
            404,
        ),
        (
            json!({ "webhook": { "resend": { "id": webhook, "delivery": webhook } } }),
            404,
        ),
    ] {
        let by = Authority::Owner(own.account);
        let refused = executed(&connect, by, command.clone()).await;
        assert_eq!(refused, Err(status), "{command}");
    }
    for (list, before) in lists.iter().zip(&before) {
        let after = executed(&connect, Authority::Operator, list.clone()).await;
        assert_eq!(after.as_ref(), Ok(before), "{list}");
    }
}
