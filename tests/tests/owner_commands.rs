//! The command line: `connect-server account`, `location`, `screen` and `token` set up a shop without
//! a line of Rust, beside a running server and without one.

use connect_tests::{
    data::DataFolder,
    http::Request,
    process::{Finished, Process, run},
};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");
/// No record has this id.
const NOTHING: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

/// A data folder, with commands of all kinds on it.
struct Data(DataFolder);

impl Data {
    fn new() -> Self {
        Self(DataFolder::new(PROGRAM, "account"))
    }

    /// Starts `serve` on the folder. It makes nothing in the store.
    async fn serve(&self) -> Process {
        let storage = format!("redb:{}", self.0.store().display());
        let server = Process::start_as(PROGRAM, "serve", &storage, &[]).await;
        server.unwrap()
    }

    async fn run(&self, words: &str, more: &[&str]) -> Finished {
        let data = self.0.path().to_str().unwrap();
        let words: Vec<_> = words.split(' ').chain(more.iter().copied()).collect();
        run(PROGRAM, &[&words[..], &["--data", data]].concat()).await
    }

    /// The JSON that a command prints.
    async fn json(&self, words: &str, more: &[&str]) -> Value {
        let done = self.run(words, &[more, &["--json"]].concat()).await;
        assert_eq!((done.code, &*done.said), (Some(0), ""), "{words}: {done:?}");
        serde_json::from_str(&done.output).unwrap()
    }

    async fn text(&self, words: &str) -> String {
        let done = self.run(words, &[]).await;
        assert_eq!((done.code, &*done.said), (Some(0), ""), "{words}: {done:?}");
        done.output
    }

    /// Checks that a command is refused with this code and these words.
    async fn refuses(&self, words: &str, code: i32, says: &[&str]) {
        let done = self.run(words, &[]).await;
        assert_eq!(done.code, Some(code), "{words}: {done:?}");
        for word in says {
            assert!(done.said.contains(word), "{words}: {done:?}");
        }
        assert_eq!(done.output, "", "{words}");
    }

    /// Makes an account with a location and a register; the ids of the first two.
    async fn set_up(&self, name: &str) -> (String, String) {
        let account = ["--name", name, "--email", "noor@rye.example"];
        let account = id(&self.json("account create --sandbox", &account).await);
        let create = format!("location create --account {account} --name");
        let location = id(&self.json(&create, &["Market Square"]).await);
        let create = format!("screen create --location {location} --type pos --name Till");
        self.json(&create, &[]).await;
        (account, location)
    }
}

fn text_of<'v>(of: &'v Value, field: &str) -> &'v str {
    of[field].as_str().unwrap()
}

fn id(of: &Value) -> String {
    text_of(of, "id").to_owned()
}

/// The status of a request to a location.
async fn status(server: &Process, token: &str, location: &str, path: &str) -> u16 {
    let path = format!("/v1/locations/{location}/{path}");
    let answer = server.send(token, Request::get(path)).await;
    answer.status.as_u16()
}

#[tokio::test]
async fn a_shop_is_set_up_by_commands_alone() {
    let data = Data::new();
    let server = data.serve().await;
    assert_eq!(data.json("account list", &[]).await, json!([]));
    let none = data.text("account list").await;
    assert!(none.contains("`connect-server account create` makes one"));

    let words = "account create --name Rye --email noor@rye.example --sandbox";
    let account = data.json(words, &[]).await;
    let account_id = id(&account);
    let expected = json!({
        "id": account_id, "name": "Rye", "ownerEmail": "noor@rye.example",
        "sandbox": true, "locations": 0, "screens": 0,
    });
    assert_eq!(account, expected);
    let location = data
        .json("location create --vat-rate 9 --name", &["Market Square"])
        .await;
    let location_id = id(&location);
    let expected = json!({
        "id": location_id, "name": "Market Square", "currency": "EUR",
        "defaultVatRate": 9, "accountId": account_id,
    });
    assert_eq!(location, expected);

    let token = data
        .json("token create --name Sync --all-scopes", &[])
        .await;
    let value = text_of(&token, "token");
    assert!(value.starts_with("ck_test_"), "{value}");
    assert_eq!(token["apiAvailable"], false);
    assert_eq!(status(&server, value, &location_id, "products").await, 403);
    let create = format!("screen create --location {location_id} --type pos --name Till");
    let screen = data.json(&create, &[]).await;
    assert_eq!(status(&server, value, &location_id, "products").await, 200);

    let screen = id(&screen[0]);
    let renamed = data
        .json(&format!("screen change {screen} --name Bar"), &[])
        .await;
    assert_eq!(text_of(&renamed[0], "name"), "Bar");
    let deleted = data.text(&format!("screen delete {screen}")).await;
    assert_eq!(deleted, format!("{screen} was deleted.\n"));
    assert_eq!(data.json("screen list", &[]).await, json!([]));
    assert_eq!(status(&server, value, &location_id, "products").await, 403);
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn accounts_and_locations_change_beside_a_server_and_without_one() {
    let data = Data::new();
    let server = data.serve().await;
    let (account, location) = data.set_up("Rye").await;
    for server in [Some(server), None] {
        let change = format!("account change {account} --email owner@rye.example");
        let changed = data.json(&change, &[]).await;
        assert_eq!(text_of(&changed, "name"), "Rye");
        assert_eq!(text_of(&changed, "ownerEmail"), "owner@rye.example");
        let change = format!("account change {account} --name Oats --email noor@rye.example");
        let changed = data.json(&change, &[]).await;
        assert_eq!(data.json("account list", &[]).await, json!([changed]));
        let line = data.text("account list").await;
        let expected = "  Oats  noor@rye.example  1 location  1 screen  sandbox\n";
        assert_eq!(line, format!("{account}{expected}"));
        data.json(&format!("account change {account} --name Rye"), &[])
            .await;

        let change = format!("location change {location} --vat-rate 5.5");
        let changed = data.json(&change, &[]).await;
        assert_eq!(changed["defaultVatRate"], 5.5);
        assert_eq!(text_of(&changed, "name"), "Market Square");
        assert_eq!(data.json("location list", &[]).await, json!([changed]));
        let line = data
            .text(&format!("location change {location} --vat-rate 21"))
            .await;
        let expected = format!("  Market Square  EUR  VAT 21 %  of account {account}\n");
        assert_eq!(line, format!("{location}{expected}"));
        if let Some(server) = server {
            assert_eq!(server.stop().await, Some(0));
        }
    }
}

#[tokio::test]
async fn a_token_has_its_scopes_at_its_locations_until_it_is_revoked() {
    let data = Data::new();
    let server = data.serve().await;
    let (_, here) = data.set_up("Rye").await;
    let there = id(&data.json("location create --name Station", &[]).await);
    let create = format!(
        "token create --name Sync --grant {here}=catalog:read,stock:read \
         --grant {there}=orders:read --expires-in 30"
    );
    let made = data.json(&create, &[]).await;
    let value = text_of(&made, "token").to_owned();
    let grants = json!([
        { "locationId": here, "scopes": ["catalog:read", "stock:read"] },
        { "locationId": there, "scopes": ["orders:read"] },
    ]);
    assert_eq!(made["grants"], grants);
    for (location, path, expected) in [
        (&here, "products", 200),
        (&here, "stock", 200),
        (&here, "orders", 403),
        (&there, "orders", 200),
        (&there, "products", 403),
    ] {
        assert_eq!(
            status(&server, &value, location, path).await,
            expected,
            "{path}"
        );
    }
    let one = format!("token create --name Menu --scopes catalog:read --locations {there}");
    let menu = data.json(&one, &[]).await;
    let grants = json!([{ "locationId": there, "scopes": ["catalog:read"] }]);
    assert_eq!(menu["grants"], grants);
    assert_eq!(menu["expiresAt"], Value::Null);

    let listed = data.run("token list", &[]).await.output;
    assert!(!listed.contains(&value), "its value is shown once");
    for word in ["Sync", "Menu", "good until", "orders:read", &value[..12]] {
        assert!(listed.contains(word), "{listed}");
    }
    let listed = data.json("token list", &[]).await;
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    assert!(listed[0].get("token").is_none());
    assert_eq!(listed[0]["prefix"], value[..12]);

    let revoke = format!("token revoke {}", id(&made));
    let revoked = data.json(&revoke, &[]).await;
    assert!(revoked["revokedAt"].is_string());
    assert_eq!(
        (&listed[0]["state"], &revoked["state"]),
        (&json!("good"), &json!("revoked"))
    );
    assert_eq!(status(&server, &value, &here, "products").await, 401);
    assert!(data.text(&revoke).await.contains("revoked on"));
    let left = data.json("token list", &[]).await;
    assert_eq!(
        (left.as_array().map(Vec::len), &left[0]["id"]),
        (Some(1), &menu["id"])
    );
    let all = data.json("token list --all", &[]).await;
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    assert_eq!(server.stop().await, Some(0));

    // The last uses were written down when the server stopped, and the command needs no server.
    let all = data.json("token list --all", &[]).await;
    assert!(all[0]["lastUsedAt"].is_string(), "{all}");
    assert_eq!(all[1]["lastUsedAt"], Value::Null);
    data.json("token create --name Late --all-scopes", &[])
        .await;
    let refused = "token create --name Past --all-scopes --expires-at 2020-01-31T00:00:00Z";
    data.refuses(refused, 1, &["expiresAt: must be in the future"])
        .await;
}

#[tokio::test]
async fn wrong_words_are_clear_errors() {
    let data = Data::new();
    data.refuses("account list", 1, &["there is no store in"])
        .await;
    let server = data.serve().await;
    let no_account = [
        "the store has no account",
        "`connect-server account create`",
    ];
    data.refuses("location create --name Quay", 1, &no_account)
        .await;
    data.refuses("token create --name Sync --all-scopes", 1, &no_account)
        .await;
    let mail = "account create --name Rye --email nobody";
    data.refuses(mail, 1, &["--email: must be an e-mail address"])
        .await;
    let bare = "account create --name Bare --email noor@rye.example";
    let bare = id(&data.json(bare, &[]).await);
    let no_location = [
        "the account has no location",
        "`connect-server location create`",
    ];
    data.refuses("token create --name Sync --all-scopes", 1, &no_location)
        .await;

    let (_, location) = data.set_up("Rye").await;
    let several = [
        "the store has 2 accounts",
        "--account ID",
        "(Bare)",
        "(Rye)",
    ];
    data.refuses("location create --name Quay", 1, &several)
        .await;
    data.refuses("token create --name Sync --all-scopes", 1, &several)
        .await;
    let nowhere = format!("token create --name S --scopes pos:read --locations {NOTHING}");
    let says = format!("there is no location {NOTHING}");
    data.refuses(&nowhere, 1, &[&says, "location list"]).await;
    let others = format!("token create --name S --grant {location}=pos:read --account {bare}");
    data.refuses(&others, 1, &["the account has no location"])
        .await;
    let mixed = format!("token create --name S --all-scopes --locations {location},{NOTHING}");
    data.refuses(&mixed, 1, &[&says, "in account", "(Rye)"])
        .await;
    let twice = format!("token create --name S --all-scopes --locations {location},{location}");
    data.refuses(&twice, 1, &["repeats an earlier location"])
        .await;

    // A scope that is not known comes with the one that was probably meant.
    let meant = ["similar value", "'catalog:read'", "pos:read"];
    data.refuses("token create --name S --scopes catalog:raed", 2, &meant)
        .await;
    let grant = format!("token create --name S --grant {location}=stock:read,catalog:raed");
    data.refuses(&grant, 2, &meant).await;
    let form = ["must be a location, =, and scopes"];
    for grant in ["catalog:read", "market=catalog:read", &*location] {
        let words = format!("token create --name S --grant {grant}");
        data.refuses(&words, 2, &form).await;
    }
    let empty = format!("token create --name S --grant {location}=");
    data.refuses(&empty, 2, &["pos:read"]).await;
    data.refuses(
        "token create --name S",
        2,
        &["--scopes", "--all-scopes", "--grant"],
    )
    .await;
    let both = "token create --name S --all-scopes --scopes pos:read";
    data.refuses(both, 2, &["cannot be used with"]).await;
    let ends =
        "token create --name S --all-scopes --expires-in 9 --expires-at 2099-01-01T00:00:00Z";
    data.refuses(ends, 2, &["cannot be used with"]).await;
    let never = "token create --name S --all-scopes --expires-at tomorrow";
    data.refuses(never, 2, &["--expires-at"]).await;

    for (command, what) in [
        (format!("token revoke {NOTHING}"), "token"),
        (format!("account change {NOTHING} --name Rye"), "account"),
        (format!("location change {NOTHING} --name Quay"), "location"),
        (format!("screen delete {NOTHING}"), "screen"),
        (format!("screen change {NOTHING} --name Bar"), "screen"),
    ] {
        let says = format!("there is no {what} {NOTHING}");
        data.refuses(&command, 1, &[&says]).await;
    }
    data.refuses(&format!("account change {bare}"), 2, &["--name", "--email"])
        .await;
    data.refuses(&format!("location change {location}"), 2, &["--vat-rate"])
        .await;
    let rate = format!("location change {location} --vat-rate 101");
    data.refuses(&rate, 2, &["from 0 to 100"]).await;
    assert_eq!(server.stop().await, Some(0));
}
