//! The lines of the log that say who did what.

use std::{
    fs::File,
    net::SocketAddr,
    time::{Duration, Instant},
};

use connect_server::admin::AdminCredentials;
use connect_tests::{
    data::DataFolder,
    http::{Request, send, send_over_http2},
    process::{Finished, Process, run, run_in},
};
use futures_util::future::join_all;
use http::StatusCode;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{
    PROGRAM,
    browser::{Browser, PASSWORD},
    filled::id,
};

/// A server that logs into a file.
struct Logged {
    data: DataFolder,
    server: Process,
}

impl Logged {
    async fn start() -> Self {
        Self::start_with(&[]).await
    }

    async fn start_with(more: &[&str]) -> Self {
        let data = DataFolder::new(PROGRAM, "token");
        let log = File::create(data.path().join("log")).unwrap();
        let storage = format!("redb:{}", data.store().display());
        let variables = [
            ("RUST_LOG", "info"),
            ("CONNECT_STORAGE", &*storage),
            ("CONNECT_ADMIN_LISTEN", "127.0.0.1:0"),
        ];
        let words = [&["demo", "--json"], more].concat();
        let server = Process::start_in(PROGRAM, &words, &variables, log).await;
        Self {
            data,
            server: server.unwrap(),
        }
    }

    /// Gives a command.
    async fn command(&self, words: &str) -> serde_json::Value {
        let folder = self.data.path().to_str().unwrap();
        let words: Vec<_> = words
            .split(' ')
            .chain(["--data", folder, "--json"])
            .collect();
        let done = run(PROGRAM, &words).await;
        serde_json::from_str(&done.output).unwrap_or_default()
    }

    /// Stops the server. Returns all of its log, and the lines of actions.
    async fn stop(self) -> (String, Vec<String>) {
        assert_eq!(self.server.stop().await, Some(0));
        lines(&self.data)
    }
}

/// The log in this folder, and its lines of actions.
fn lines(data: &DataFolder) -> (String, Vec<String>) {
    let log = std::fs::read_to_string(data.path().join("log")).unwrap();
    let lines = log
        .lines()
        .filter(|line| line.contains("connect_server::audit:"));
    let lines = lines.map(str::to_owned).collect();
    (log, lines)
}

/// Holds that the lines are these, in this order, each with these parts.
#[track_caller]
fn assert_lines(lines: &[String], expected: &[&[&str]]) {
    let all = lines.join("\n");
    assert_eq!(lines.len(), expected.len(), "{all}");
    for (line, parts) in lines.iter().zip(expected) {
        for part in *parts {
            assert!(line.contains(part), "{part} is not in {line}\n{all}");
        }
        assert!(
            line.contains("client=\"127.0.0.1\" request_id=\""),
            "{line}"
        );
    }
}

/// Nobody could tell afterwards who made a token, changed a webhook or set a password.
#[tokio::test]
async fn what_an_owner_does_is_in_the_log_with_account_person_and_object() {
    let logged = Logged::start().await;
    let server = &logged.server;
    let link = server.welcome["invitationUrl"].as_str().unwrap().to_owned();
    let mut owner = Browser::of_owner(server, &link).await;
    let location = server.welcome["locations"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    owner.read("/dashboard/tokens/new").await;
    let grant = format!("{location} catalog:read");
    let fields = [
        ("name", "Secret plan"),
        ("expiresAt", "30"),
        ("grant", &grant),
    ];
    let made = owner.submit("/dashboard/tokens", &fields).await;
    assert_eq!(made.status, StatusCode::OK);
    let value = String::from_utf8_lossy(&made.body).into_owned();
    let value = value.split("ck_test_").nth(1).unwrap()[..43].to_owned();
    let page = owner.read("/dashboard/tokens").await;
    let row = page.split(">Secret plan<").next().unwrap();
    let token = row.rsplit("/dashboard/tokens/").next().unwrap()[..36].to_owned();
    let revoked = owner
        .submit(&format!("/dashboard/tokens/{token}/revoke"), &[])
        .await;
    assert_eq!(revoked.status, StatusCode::SEE_OTHER);
    let file = [
        ("text", "code;name\nSECRET-1;Soup"),
        ("column-code", "0"),
        ("column-name", "1"),
    ];
    for step in ["check", "apply"] {
        let path = format!("/dashboard/products/import/{step}");
        assert_eq!(owner.submit(&path, &file).await.status, StatusCode::OK);
    }
    // What is refused is there too.
    let weak = [
        ("currentPassword", PASSWORD),
        ("password", "1234567890"),
        ("repeated", "1234567890"),
    ];
    let refused = owner.submit("/dashboard/account/password", &weak).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let forged = owner
        .submit_bare("/dashboard/account", &[("name", "Forged")])
        .await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    owner.submit("/dashboard/sign-out", &[]).await;

    owner.read("/dashboard/sign-in").await;
    for (email, password) in [
        ("OWNER@korenbloem.example", "my-typed-password"),
        ("my-password-in-the-wrong-field", "x"),
    ] {
        let fields = [("email", email), ("password", password)];
        let refused = owner.submit("/dashboard/sign-in", &fields).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    }
    let fields = [
        ("email", "owner@korenbloem.example"),
        ("password", PASSWORD),
    ];
    let signed_in = owner.submit("/dashboard/sign-in", &fields).await;
    assert_eq!(signed_in.status, StatusCode::SEE_OTHER);

    let (log, lines) = logged.stop().await;
    let person = "person=\"user owner@korenbloem.example\"";
    let object = format!("object=\"{token}\"");
    assert_lines(
        &lines,
        &[
            &[
                "action=\"user.accept_invitation\" outcome=\"done\"",
                person,
                "account=\"",
            ],
            &["action=\"token.create\" outcome=\"done\"", person, &object],
            &["action=\"token.revoke\" outcome=\"done\"", person, &object],
            &["action=\"products.check_import\" outcome=\"done\"", person],
            &["action=\"products.import\" outcome=\"done\"", person],
            &[
                "action=\"user.change_password\" outcome=\"refused\" status=422",
                person,
            ],
            &[
                "action=\"account.change\" outcome=\"refused\" status=403",
                person,
            ],
            &["action=\"user.sign_out\" outcome=\"done\"", person],
            &[
                "action=\"user.sign_in\" outcome=\"refused\" status=401 account=\"",
                "person=\"unknown\"",
            ],
            &["action=\"user.sign_in\" outcome=\"refused\" status=401 person=\"unknown\""],
            &["action=\"user.sign_in\" outcome=\"done\"", person],
        ],
    );
    let account = lines[0].split("account=\"").nth(1).unwrap()[..36].to_owned();
    let requests = log
        .lines()
        .filter(|line| line.contains("caller=\"user of "));
    assert!(requests.count() > 5, "{log}");
    assert!(
        log.contains(&format!("caller=\"user of {account}\"")),
        "{log}"
    );
    for secret in [
        &*value,
        PASSWORD,
        "1234567890",
        "my-typed",
        "my-password",
        "Secret plan",
        "SECRET-1",
        &*link,
    ] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test]
async fn what_an_operator_does_is_in_the_log_with_account_command_and_object() {
    let logged = Logged::start().await;
    let create = "account create --name Rye --email noor@rye.example";
    let account = id(&logged.command(create).await);
    let create = format!("location create --name Quay --account {account}");
    let at = id(&logged.command(&create).await);
    let create = format!("screen create --location {at} --type pos --name Till");
    let screen = id(&logged.command(&create).await[0]);
    let create = format!("token create --name Sync --all-scopes --account {account}");
    let token = logged.command(&create).await;
    let value = token["token"].as_str().unwrap();
    let token = id(&token);
    logged.command(&format!("token revoke {token}")).await;
    logged.command("token list").await;
    let unknown = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    logged.command(&format!("webhook delete {unknown}")).await;
    logged.command(&format!("account invite {account}")).await;
    let pass = AdminCredentials::read(&logged.data.pass())
        .unwrap()
        .unwrap();
    for path in ["commands", "backup"] {
        for key in ["secret-plan", &pass.key] {
            let request = Request::post(format!("/admin/v1/{path}"), &json!({ "plan": 1 }));
            let refused = send(logged.server.owner_address, request.bearer(key)).await;
            assert!(refused.unwrap().status.is_client_error());
        }
    }

    let (log, lines) = logged.stop().await;
    let of = format!("account=\"{account}\"");
    let object = |id: &str| format!("object=\"{id}\"");
    let operator = "person=\"operator";
    let wrong_key = &["\"operator.request\" outcome=\"refused\" status=401 person=\"unknown\""][..];
    let unreadable =
        &["\"operator.request\" outcome=\"refused\" status=400 person=\"operator\""][..];
    assert_lines(
        &lines,
        &[
            &[
                "action=\"account.create\" outcome=\"done\" status=200",
                &of,
                operator,
            ],
            &["action=\"location.create\"", &of, operator, &object(&at)],
            &["action=\"screen.create\"", &of, operator, &object(&screen)],
            &["action=\"token.create\"", &of, operator, &object(&token)],
            &["action=\"token.revoke\"", &of, operator, &object(&token)],
            &[
                "action=\"webhook.delete\" outcome=\"refused\" status=404",
                operator,
                &object(unknown),
            ],
            &["action=\"user.invite\" outcome=\"done\"", &of, operator],
            wrong_key,
            unreadable,
            wrong_key,
            unreadable,
        ],
    );
    for secret in [value, "/invitations/", "secret-plan"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

/// Runs a command without a server. Returns the audit line of its log, and its output.
async fn line_of(words: &[&str]) -> (String, String) {
    let variables = [
        ("CONNECT_TESTS_LOG", "1"),
        ("RUST_LOG", "info"),
        ("SUDO_USER", "noor"),
    ];
    let Finished { said, output, .. } = run_in(PROGRAM, words, &variables).await;
    let mut lines = said.lines().filter(|line| line.contains("audit: audit"));
    let line = lines.next().unwrap_or_else(|| panic!("{words:?}: {said}"));
    assert_eq!(lines.next(), None, "{words:?}: {said}");
    assert!(line.contains("person=\"operator noor\""), "{line}");
    (line.to_owned(), output)
}

/// On a database every command opens the store itself.
#[tokio::test]
async fn a_command_without_a_server_writes_its_line_to_its_own_log() {
    let data = DataFolder::new(PROGRAM, "account");
    assert_eq!(data.serve().await.stop().await, Some(0));
    let folder = data.path().to_str().unwrap();
    let create = "account create --name Rye --email noor@rye.example --json --data";
    let words: Vec<_> = create.split(' ').chain([folder]).collect();
    let (line, output) = line_of(&words).await;
    let account = id(&serde_json::from_str(&output).unwrap());
    for part in [
        "action=\"account.create\" outcome=\"done\" status=200",
        &format!("account=\"{account}\" person="),
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

/// A form that was refused before it was read left none.
#[tokio::test]
async fn a_form_beyond_the_limit_of_requests_has_its_line() {
    let logged = Logged::start_with(&["--token-limit", "8"]).await;
    let link = logged.server.welcome["invitationUrl"].as_str().unwrap();
    let mut owner = Browser::of_owner(&logged.server, link).await;
    let mut sent = 0;
    // The minute may end on the way.
    while sent < 20 {
        sent += 1;
        let answer = owner.submit("/dashboard/account", &[]).await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            break;
        }
    }
    let (_, lines) = logged.stop().await;
    let of_owner = "person=\"user owner@korenbloem.example\"";
    let changes = lines.iter().filter(|line| line.contains("account.change"));
    assert_eq!(changes.count(), sent, "{lines:?}");
    let last = lines.last().unwrap();
    assert!(
        last.contains("status=429") && last.contains(of_owner),
        "{last}"
    );
}

/// The whole store with its secrets was carried away without a line.
#[tokio::test]
async fn commands_about_the_whole_store_have_lines() {
    let data = DataFolder::new(PROGRAM, "account");
    assert_eq!(data.serve().await.stop().await, Some(0));
    let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
    let (store, file) = (format!("redb:{}", path("store")), path("shop.connect"));
    let (other, restored) = (format!("redb:{}", path("b")), format!("sled:{}", path("c")));
    for (command, storage, expected) in [
        ("export", "memory", "refused 409"),
        ("export", &*store, "done 200"),
        ("import", &other, "done 200"),
        ("restore", &restored, "done 200"),
        ("restore", &restored, "refused 409"),
        ("repair", &restored, "done 200"),
        ("repair", "memory", "refused 409"),
    ] {
        let words = [command, "--storage", storage, &file];
        let count = if command == "repair" { 3 } else { 4 };
        let (line, _) = line_of(&words[..count]).await;
        let (outcome, status) = expected.split_once(' ').unwrap();
        let expected = format!("store.{command}\" outcome=\"{outcome}\" status={status}");
        assert!(line.contains(&expected), "{words:?}: {line}");
    }
    let log = File::create(path("log")).unwrap();
    let variables = [("RUST_LOG", "info"), ("CONNECT_STORAGE", &*restored)];
    let words = ["serve", "--deliveries", "--json"];
    let server = Process::start_in(PROGRAM, &words, &variables, log).await;
    assert_eq!(server.unwrap().stop().await, Some(0));
    let (_, lines) = lines(&data);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].contains("action=\"store.deliver\" outcome=\"done\""),
        "{lines:?}"
    );
}

/// Sends requests at the same time, and resets their streams one after the other, a pause apart. Returns how
/// many were answered before then.
async fn send_and_reset(
    to: SocketAddr,
    pause: Duration,
    requests: impl Iterator<Item = Request>,
) -> usize {
    let sent = requests.zip(0..).map(|(request, n)| {
        let patience = pause * n;
        timeout(patience, send_over_http2(to, request))
    });
    join_all(sent).await.into_iter().flatten().count()
}

/// The write went on when its request was dropped, and nothing wrote its line.
#[tokio::test]
async fn what_is_done_for_a_client_that_goes_away_is_in_the_log() {
    const EACH: usize = 40;
    let logged = Logged::start().await;
    let (server, address) = (&logged.server, logged.server.owner_address);
    let link = server.welcome["invitationUrl"].as_str().unwrap();
    let mut owner = Browser::of_owner(server, link).await;
    // Done as the store has it, and done as the log has it.
    let counts = async |state: &str, action: &str| {
        let tokens = logged.command("token list --all").await;
        let tokens = tokens.as_array().unwrap().iter();
        let tokens = tokens.filter(|token| token["name"] == "Left");
        let tokens: Vec<_> = tokens
            .filter(|token| state.is_empty() || token["state"] == state)
            .map(id)
            .collect();
        let line = format!("action=\"{action}\" outcome=\"done\"");
        let (_, lines) = lines(&logged.data);
        let told = lines.iter().filter(|text| text.contains(&line)).count();
        (tokens, told)
    };
    let settled = async |state: &str, action: &str, answered: usize| {
        let equal = async {
            loop {
                let (done, told) = counts(state, action).await;
                // Some may not have begun yet.
                if done.len() == told && done.len() > answered {
                    return done;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        let Ok(done) = timeout(Duration::from_secs(10), equal).await else {
            let (done, told) = counts(state, action).await;
            let done = done.len();
            panic!("{action}: {answered} were answered, {done} done, {told} are in the log");
        };
        done
    };

    let pass = AdminCredentials::read(&logged.data.pass())
        .unwrap()
        .unwrap();
    let create = json!({ "token": { "create": {
        "name": "Left", "rights": { "allScopes": true, "scopes": [], "grants": [] }, "locations": [],
    }}});
    let create = Request::post("/admin/v1/commands", &create).bearer(&pass.key);
    // On a busy machine a request takes longer, and so has to be waited for longer.
    let begun = Instant::now();
    send_over_http2(address, create.clone()).await.unwrap();
    let pause = (begun.elapsed() / 5).max(Duration::from_millis(3));
    let answered = 1 + send_and_reset(address, pause, std::iter::repeat_n(create, EACH)).await;
    let made = settled("", "token.create", answered).await;

    owner.read("/dashboard/tokens").await;
    let revoke = |token| owner.submission(&format!("/dashboard/tokens/{token}/revoke"));
    let answered = send_and_reset(address, pause, made.iter().map(revoke)).await;
    settled("revoked", "token.revoke", answered).await;
    logged.stop().await;
}
