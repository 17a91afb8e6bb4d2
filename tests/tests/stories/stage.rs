//! The place of a story: a shop, or the program on a data folder.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use connect_core::{RateLimits, ScreenType, wire::Scope};
use connect_tests::{
    check::Checker,
    data::DataFolder,
    http::{Answer, Payload, Request, send},
    process::{Process, run_in},
    shop::{Setup, Shop},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    answer::{Found, word},
    script::{Names, Step, body, fill},
};
use crate::dashboard::{PROGRAM, browser::Browser};

/// The longest wait for an answer after `until`.
const PATIENCE: Duration = Duration::from_secs(30);

/// A place with everything made by a story.
#[derive(Default)]
pub(super) struct Stage {
    names: Names,
    limits: Option<RateLimits>,
    shop: Option<Shop>,
    data: Option<DataFolder>,
    server: Option<Process>,
    browsers: BTreeMap<String, Browser>,
    last: Found,
}

impl Stage {
    /// Does a line, once for each of its rows.
    pub(super) async fn play(&mut self, step: &Step) -> Result<(), String> {
        if step.rows.is_empty() {
            return self.line(&step.text).await;
        }
        for row in &step.rows {
            let mut columns = Names::from([("row".to_owned(), row.as_str().into())]);
            for (column, number) in row.split(" | ").zip(1..) {
                columns.insert(number.to_string(), column.trim().into());
            }
            let done = self.line(&fill(&step.text, &columns)).await;
            done.map_err(|problem| format!("{row}\n{problem}"))?;
        }
        Ok(())
    }

    async fn line(&mut self, text: &str) -> Result<(), String> {
        let is_of_program = ["$", "demo", "serve"].contains(&word(text).0);
        if is_of_program || text.contains("{folder}") {
            self.data();
        } else if self.data.is_none() && !["let", "limits"].contains(&word(text).0) {
            self.shop().await;
        }
        // The names on the right are filled in when the answer is there.
        let (sent, expected) = text.split_once(" => ").unwrap_or((text, ""));
        let sent = fill(sent, &self.names);
        let (first, rest) = word(&sent);
        let (second, more) = word(rest);
        match first {
            "until" => return self.until(rest, expected).await,
            "times" => {
                for _ in 0..second.parse().expect(text) {
                    self.exchange(more, expected).await?;
                }
            }
            "let" => {
                let value = serde_json::from_str(&body(more)).unwrap_or_else(|_| more.into());
                self.names.insert(second.to_owned(), value);
            }
            "limits" => {
                let mut numbers = rest.split(' ').map(|number| number.parse().expect(text));
                let mut next = || numbers.next().expect("a limit");
                let (token, account, address) = (next(), next(), next());
                self.limits = Some(RateLimits {
                    token,
                    account,
                    address,
                    ..RateLimits::default()
                });
            }
            "clock" => {
                let clock = &self.shop().await.clock;
                match second.parse::<i64>() {
                    Ok(seconds) => clock.advance(seconds),
                    Err(_) => clock.set(second.parse().expect(text)),
                }
            }
            "maintain" => drop(self.shop().await.connect.maintain().await.unwrap()),
            "sound" => {
                let report = self.shop().await.connect.check(&mut |_| {}).await.unwrap();
                assert_eq!(report.problems, []);
            }
            "token" => {
                let (place, scopes) = word(more);
                let scopes = scopes
                    .split(' ')
                    .map(|it| serde_json::from_value::<Scope>(it.into()));
                let scopes: Vec<_> = scopes.map(Result::unwrap).collect();
                let shop = self.shop().await;
                let at = if place == "there" {
                    shop.there
                } else {
                    shop.here
                };
                let token = shop.token_for(at, &scopes).await;
                self.names.insert(second.to_owned(), token.into());
            }
            "screen" => {
                let shop = self.shop().await;
                let at = if more.ends_with(" there") {
                    shop.there
                } else {
                    shop.here
                };
                let kind = match word(more).0 {
                    "pos" => ScreenType::Pos,
                    "kiosk" => ScreenType::OrderKiosk,
                    _ => ScreenType::ScanAndOrder,
                };
                let screen = shop.device(at, kind, second).await;
                let screen = json!({ "id": screen.id, "key": screen.key });
                self.names.insert(second.to_owned(), screen);
            }
            "roll" => {
                let id = self.names[second]["id"].as_str().unwrap().parse().unwrap();
                let key = self.shop().await.roll(id).await;
                self.names.get_mut(second).unwrap()["key"] = key.into();
            }
            "demo" | "serve" => self.start(first, rest).await,
            "stop" => assert_eq!(self.server.take().unwrap().stop().await, Some(0)),
            "kill" => self.server.take().unwrap().kill().await,
            "owner" => {
                let browser = Browser::of_owner(self.server(), more).await;
                self.browsers.insert(second.to_owned(), browser);
            }
            "visitor" => {
                let browser = Browser::at(self.server());
                self.browsers.insert(second.to_owned(), browser);
            }
            _ => self.exchange(&sent, expected).await?,
        }
        Ok(())
    }

    async fn until(&mut self, sent: &str, expected: &str) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let done = self.exchange(sent, expected).await;
            if done.is_ok() || began.elapsed() > PATIENCE {
                return done;
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Sends the left side of ` => `, and compares the answer with the right.
    async fn exchange(&mut self, sent: &str, expected: &str) -> Result<(), String> {
        assert!(!expected.is_empty(), "no answer: {sent}");
        let found = self.send(sent.trim()).await;
        let held = found.hold(expected.trim(), &self.last, &mut self.names);
        self.last = found;
        held
    }

    async fn send(&mut self, text: &str) -> Found {
        let mut options = text.split(" | ").map(str::trim);
        let sent = options.next().unwrap_or_default();
        let options: Vec<_> = options.collect();
        if let Some(words) = sent.strip_prefix("$ ") {
            return self.command(words, &options).await;
        }
        let (who, sent) = match sent.strip_prefix("as ") {
            Some(rest) => word(rest),
            None => ("", sent),
        };
        let (method, rest) = word(sent);
        let (path, content) = word(rest);
        if let "open" | "form" = method {
            let name = if who.is_empty() { "owner" } else { who };
            let browser = self.browsers.get_mut(name).expect(name);
            if method == "open" {
                return browser.open(path).await.into();
            }
            let fields: Vec<_> = form_urlencoded::parse(content.as_bytes()).collect();
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect();
            return browser.submit(path, &fields).await.into();
        }
        let target = self.target(path);
        if method == "ALL" {
            return self.all(who, &target, &options).await.into();
        }
        let content = body(content);
        let request = Request::new(method.parse().expect(method), target).body(content);
        self.request(who, request, &options).await.into()
    }

    async fn request(&mut self, who: &str, mut request: Request, options: &[&str]) -> Answer {
        let mut is_typed = ["POST", "PUT", "PATCH"].contains(&request.method.as_str());
        let is_owners = ["/device/", "/dashboard", "/sandbox/", "/admin/", "/metrics"];
        let mut to_owner = is_owners
            .iter()
            .any(|path| request.target.starts_with(path));
        for option in options {
            match option.split_once(' ').unwrap_or((option, "")) {
                ("key", key) => request = request.key(key),
                ("no", "type") => is_typed = false,
                ("pieces", length) => {
                    let (bytes, length) = (request.body.bytes(), length.parse().expect(option));
                    let pieces = bytes.chunks(length).map(Bytes::copy_from_slice);
                    request.body = Payload::Chunked(pieces.collect());
                }
                ("to", to) => to_owner = to == "owner",
                (name, value) => {
                    let name = name.strip_suffix(':').expect(option);
                    is_typed &= !name.eq_ignore_ascii_case("content-type");
                    request = request.header(name, value);
                }
            }
        }
        if is_typed {
            request = request.header("content-type", "application/json");
        }
        if who != "nobody" {
            let token = match self.names.get(who) {
                Some(Value::String(token)) => token.clone(),
                Some(of) => of
                    .get("key")
                    .or(of.get("token"))
                    .unwrap()
                    .as_str()
                    .unwrap()
                    .to_owned(),
                None => self.names["token"].as_str().unwrap().to_owned(),
            };
            request = request.bearer(&token);
        }
        let (api, owner) = match (&self.server, &self.shop) {
            (Some(server), _) => (server.address, server.owner_address),
            (None, Some(shop)) => (shop.address, shop.owner_address),
            (None, None) => panic!("neither a shop nor a server"),
        };
        let answer = send(if to_owner { owner } else { api }, request)
            .await
            .unwrap();
        // The documents have only what is at the right address.
        if !options.iter().any(|option| option.starts_with("to ")) {
            Checker::of(&answer.request.target).judge(&answer);
        }
        answer
    }

    /// All records of a list, as one answer.
    async fn all(&mut self, who: &str, target: &str, options: &[&str]) -> Answer {
        let sign = if target.contains('?') { '&' } else { '?' };
        let mut records = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = Request::get(format!("{target}{cursor}"));
            let mut page = self.request(who, page, options).await.expect(200);
            records.extend(page.list());
            match page.next_cursor() {
                Some(next) => cursor = format!("{sign}cursor={next}"),
                None => {
                    page.body = json!({ "data": records }).to_string().into();
                    return page;
                }
            }
        }
    }

    fn target(&self, path: &str) -> String {
        let name = |name: &str| self.names[name].as_str().unwrap().to_owned();
        match path.split_once('/') {
            Some(("", _)) => path.to_owned(),
            Some(("device", path)) => format!("/device/v1/{path}"),
            Some(("there", path)) => format!("/v1/locations/{}/{path}", name("there")),
            _ => format!("/v1/locations/{}/{path}", name("here")),
        }
    }

    async fn shop(&mut self) -> &Shop {
        if self.shop.is_none() {
            let mut setup = Setup::default();
            if let Some(limits) = self.limits {
                setup = setup.limits(limits);
            }
            let shop = setup.open().await;
            for (name, value) in [
                ("token", shop.token.clone()),
                ("here", shop.here.to_string()),
                ("there", shop.there.to_string()),
            ] {
                self.names.insert(name.to_owned(), value.into());
            }
            self.shop = Some(shop);
        }
        self.shop.as_ref().unwrap()
    }

    fn data(&mut self) -> &DataFolder {
        self.data.get_or_insert_with(|| {
            let data = DataFolder::new(PROGRAM, "");
            let folder = data.path().to_str().unwrap().to_owned();
            self.names.insert("folder".to_owned(), folder.into());
            data
        })
    }

    fn server(&self) -> &Process {
        self.server.as_ref().expect("a server")
    }

    /// Starts the program. The demo makes a shop with named ids and token.
    async fn start(&mut self, how: &str, flags: &str) {
        let store = format!("redb:{}", self.data().store().display());
        let (storage, flags) = match word(flags) {
            (storage, flags) if storage == "memory" || storage.contains(':') => (storage, flags),
            _ => (&*store, flags),
        };
        let flags: Vec<_> = flags.split_whitespace().collect();
        let server = Process::start_as(PROGRAM, how, storage, &flags)
            .await
            .unwrap();
        let welcome = server.welcome.clone();
        for (name, value) in [
            ("token", &welcome["token"]),
            ("invitation", &welcome["invitationUrl"]),
            ("here", &welcome["locations"][0]["id"]),
            ("there", &welcome["locations"][1]["id"]),
        ] {
            if !value.is_null() {
                self.names.insert(name.to_owned(), value.clone());
            }
        }
        self.names.insert("welcome".to_owned(), welcome);
        self.server = Some(server);
    }

    /// Runs a command. Quotes keep words together.
    async fn command(&mut self, words: &str, options: &[&str]) -> Found {
        let mut all: Vec<String> = Vec::new();
        for (number, part) in words.split('"').enumerate() {
            match number % 2 {
                0 => all.extend(part.split_whitespace().map(str::to_owned)),
                _ => all.push(part.to_owned()),
            }
        }
        let folder = self.data().path().to_str().unwrap().to_owned();
        if !options.contains(&"no folder") {
            all.extend(["--data".to_owned(), folder]);
        }
        let variables: Vec<_> = options.iter().filter_map(|it| it.split_once('=')).collect();
        let words: Vec<_> = all.iter().map(String::as_str).collect();
        run_in(PROGRAM, &words, &variables).await.into()
    }

    /// Ends everything started.
    pub(super) async fn close(self) {
        if let Some(server) = self.server {
            server.kill().await;
        }
        if let Some(shop) = self.shop {
            shop.close().await;
        }
    }
}
