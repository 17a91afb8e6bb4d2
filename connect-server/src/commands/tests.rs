//! The reach of a user's commands.

use std::sync::Arc;

use connect_core::{
    Account, Author, Connect, NewAccount, NewLocation, NewScreen, NewUser, NewWebhook, Origin,
    Role, ScreenType, User, UserChange, UserRole,
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
    user: Id<User>,
}

impl Ids {
    /// The caller of commands by the owner.
    fn by_owner(&self) -> Caller {
        Caller::User(self.account, self.user)
    }
}

/// The caller of a command.
#[derive(Clone, Copy)]
enum Caller {
    Operator,
    User(Id<Account>, Id<User>),
}

async fn account(connect: &Connect, name: &str) -> Ids {
    let new = NewAccount {
        name: name.into(),
        owner_email: format!("noor@{name}.example"),
        sandbox: false,
    };
    let account = connect.create_account(new).await.unwrap();
    let (account, user) = (account.id, account.users[0].id);
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
        user,
    }
}

async fn executed(connect: &Connect, by: Caller, command: Value) -> Result<Value, u16> {
    let (connect, by) = match by {
        Caller::Operator => (connect.clone(), Authority::Operator),
        Caller::User(account, id) => {
            let user = connect.by(Author::User { id }, Origin::default());
            (user, Authority::User(account))
        }
    };
    let text = command.to_string();
    let is_read = text.contains("list")
        || text.contains("status")
        || command["webhook"]["deliveries"].is_object();
    let command: OwnerCommand = serde_json::from_value(command).unwrap();
    let mut execution = Execution::new(&connect, by, None);
    let shown = command.execute(&mut execution).await;
    // The audit log has a line of every change, refused or done.
    assert_eq!(execution.action.is_none(), is_read, "{command:?}");
    let shown = shown.map_err(|error| error.status())?;
    Ok(shown.await.unwrap())
}

#[tokio::test]
async fn a_user_reaches_the_own_account_alone() {
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
        json!({ "user": "list" }),
        json!({ "webhook": "list" }),
    ];
    let mut before = Vec::new();
    for list in &lists {
        let all = executed(&connect, Caller::Operator, list.clone()).await;
        let all = all.unwrap();
        assert_eq!(all.as_array().map(Vec::len), Some(2), "{list}");
        let by = own.by_owner();
        let of_owner = executed(&connect, by, list.clone()).await.unwrap();
        assert_eq!(of_owner, json!([all[0]]), "{list}");
        before.push(all);
    }

    let (id, location, screen) = (other.account, &other.location, &other.screen);
    let (token, webhook) = (&other.token, &other.webhook);
    let grant = json!([{ "locationId": location, "scopes": ["catalog:read"] }]);
    let role = json!({ "locationId": null, "role": "manager" });
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
            json!({ "location": { "create": { "name": "A", "currency": "EUR", "vat_rate": 21 } } }),
            403,
        ),
        (json!({ "secrets": "status" }), 403),
        // Of another account.
        (json!({ "account": { "export": { "id": id } } }), 404),
        (json!({ "account": { "erase": { "id": id } } }), 404),
        (json!({ "account": { "keep": { "id": id } } }), 404),
        (
            json!({ "account": { "retention": { "id": id, "orders": 9 } } }),
            404,
        ),
        (json!({ "location": { "erase": { "id": location } } }), 404),
        (json!({ "location": { "keep": { "id": location } } }), 404),
        (
            json!({ "location": { "blank": { "id": location, "name": "Ada" } } }),
            404,
        ),
        (json!({ "account": { "invite": { "id": id } } }), 404),
        (
            json!({ "account": { "change": { "id": id, "name": "A" } } }),
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
            json!({ "webhook": { "create": { "url": "https://a.example", "events": ["catalog.product.changed"], "locations": [location] } } }),
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
        (
            json!({ "user": { "create": { "account": id, "name": "A", "email": "a@a.example", "roles": [role] } } }),
            404,
        ),
        (
            json!({ "user": { "change": { "id": other.user, "name": "A" } } }),
            404,
        ),
        (json!({ "user": { "invite": { "id": other.user } } }), 404),
        (json!({ "user": { "remove": { "id": other.user } } }), 404),
    ] {
        let by = own.by_owner();
        let refused = executed(&connect, by, command.clone()).await;
        assert_eq!(refused, Err(status), "{command}");
    }
    for (list, before) in lists.iter().zip(&before) {
        let after = executed(&connect, Caller::Operator, list.clone()).await;
        assert_eq!(after.as_ref(), Ok(before), "{list}");
    }
}

/// Each command with every role, for the account, for the location of its object, and for another one.
#[tokio::test]
async fn a_command_is_for_the_roles_with_its_right() {
    const EVERYBODY: &str = "manager accountant developer";
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let own = account(&connect, "rye").await;
    let new = NewLocation {
        name: "Quay".into(),
        currency: "EUR".into(),
        default_vat_rate: "21".parse().unwrap(),
    };
    let quay = connect.create_location(own.account, new).await.unwrap().id;
    let new = NewUser {
        name: "Person".into(),
        email: "person@rye.example".into(),
        language: Default::default(),
        roles: vec![UserRole {
            location_id: None,
            role: Role::Owner,
        }],
    };
    let person = connect.create_user(own.account, new).await.unwrap().id;
    let at_home: Id<_> = own.location.parse().unwrap();
    let (location, screen, token) = (&own.location, &own.screen, &own.token);
    let grant = json!([{ "locationId": location, "scopes": ["catalog:read"] }]);
    let rights = json!({ "scopes": [], "allScopes": false, "grants": grant });
    let (id, role) = (
        own.account,
        json!({ "locationId": null, "role": "manager" }),
    );
    // The roles with a command, and whether a role at its location is enough.
    for (command, roles, is_local) in [
        (json!({ "account": "list" }), EVERYBODY, true),
        (json!({ "location": "list" }), EVERYBODY, true),
        (json!({ "screen": "list" }), "manager", true),
        (
            json!({ "token": { "list": { "all": true } } }),
            "manager developer",
            true,
        ),
        (json!({ "webhook": "list" }), "manager developer", true),
        (json!({ "user": "list" }), "", false),
        (
            json!({ "account": { "change": { "id": id, "name": "A" } } }),
            "",
            false,
        ),
        (
            json!({ "location": { "change": { "id": location, "changes": { "name": "A" } } } }),
            "manager",
            true,
        ),
        (json!({ "account": { "export": { "id": id } } }), "", false),
        (json!({ "account": { "erase": { "id": id } } }), "", false),
        (json!({ "account": { "keep": { "id": id } } }), "", false),
        (
            json!({ "account": { "retention": { "id": id, "orders": 9 } } }),
            "",
            false,
        ),
        (
            json!({ "location": { "erase": { "id": location } } }),
            "",
            false,
        ),
        (
            json!({ "location": { "keep": { "id": location } } }),
            "",
            false,
        ),
        (
            json!({ "location": { "blank": { "id": location, "name": "Ada" } } }),
            "",
            false,
        ),
        (
            json!({ "screen": { "create": { "location": location, "kind": "pos", "name": "A" } } }),
            "manager",
            true,
        ),
        (
            json!({ "screen": { "roll": { "id": screen } } }),
            "manager",
            true,
        ),
        (
            json!({ "screen": { "revoke": { "id": screen } } }),
            "manager",
            true,
        ),
        (
            json!({ "screen": { "change": { "id": screen, "name": "A" } } }),
            "manager",
            true,
        ),
        (
            json!({ "token": { "create": { "name": "A", "rights": rights, "locations": [] } } }),
            "manager developer",
            true,
        ),
        (
            json!({ "token": { "revoke": { "id": token } } }),
            "manager developer",
            true,
        ),
        (
            json!({ "webhook": { "create": { "url": "https://a.example", "events": ["catalog.product.changed"], "locations": [location] } } }),
            "manager developer",
            true,
        ),
        // It is for all locations.
        (
            json!({ "webhook": { "test": { "id": own.webhook } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "webhook": { "roll": { "id": own.webhook } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "webhook": { "disable": { "id": own.webhook } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "webhook": { "enable": { "id": own.webhook } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "webhook": { "change": { "id": own.webhook, "changes": { "url": "https://a.example", "allLocations": false } } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "webhook": { "deliveries": { "id": own.webhook, "limit": 20 } } }),
            "manager developer",
            false,
        ),
        (
            json!({ "user": { "create": { "name": "A", "email": "a@a.example", "roles": [role] } } }),
            "",
            false,
        ),
        (
            json!({ "user": { "change": { "id": own.user, "name": "A" } } }),
            "",
            false,
        ),
        (
            json!({ "user": { "invite": { "id": own.user } } }),
            "",
            false,
        ),
    ] {
        for role in Role::ALL {
            for location_id in [None, Some(at_home), Some(quay)] {
                if role == Role::Owner && location_id.is_some() {
                    continue;
                }
                let change = UserChange {
                    roles: Some(vec![UserRole { location_id, role }]),
                    ..UserChange::default()
                };
                connect
                    .change_user(own.account, person, change)
                    .await
                    .unwrap();
                let is_list = command.to_string().contains("list");
                let is_near = location_id != Some(quay) || is_list;
                let has_role =
                    role == Role::Owner || roles.split(' ').any(|name| name == role.name());
                let may = has_role && (location_id.is_none() || is_local && is_near);
                let by = Caller::User(own.account, person);
                let done = executed(&connect, by, command.clone()).await;
                let what = format!("{command} {role:?} {location_id:?} {done:?}");
                match done {
                    Ok(_) => assert!(may, "{what}"),
                    Err(status) => assert!(!may && [403, 404, 422].contains(&status), "{what}"),
                }
                let users = connect.users(own.account).await.unwrap();
                for (user, _) in users.into_iter().skip(2) {
                    connect.remove_user(own.account, user.id).await.unwrap();
                }
            }
        }
    }
}
