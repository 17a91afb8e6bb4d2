//! Transcripts of visits: an owner's requests, and the pages.
//!
//! A line of a transcript that begins with `> ` is a step, and what follows is the answer to it.
//! `UPDATE_EXPECTED=1` writes the answers of today:
//!
//! - `> GET /dashboard/tokens` opens a page, and follows redirects.
//! - `> POST /dashboard/tokens name=Sync` sends a form, with the token of the page before.
//! - `> call /v1/locations` calls the API with the token on the page before.
//! - `> wait 60`, `> deliver 500` and `> mail` are steps of the [`Stage`].
//!
//! `CODE` in a form is the present code of the second factor shown before.
//!
//! `{}` in a path is the first id on the page before that has the same path in front of it.
//! A page is shown as its text, one line for each block, with the tags that a reader acts on. Of a page that
//! was shown earlier, the lines at its end that are the same are left out.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use connect_core::{
    Account, AnsweredRequest, Connect, NewAccount, NewLocation, NewScreen, ScreenType,
    environment::SequentialIds,
    wire::{Field, Id, ProductInput, VatRate},
};
use http::{HeaderMap, HeaderValue, Method, header::COOKIE};

use totp_rs::{Builder, Secret as Seed};

use super::tests::context;
use crate::{
    commands::transcripts::{self, Stage, without_secrets},
    dashboard::{AnswerContent, DashboardContext, FormFields, PageRequest},
    sandbox::{Sandbox, SandboxClock},
};

/// The tags for a reader to act on, and the tags of charts.
const ACTIVE: [&str; 12] = [
    "a", "button", "form", "input", "label", "line", "meta", "option", "rect", "select", "text",
    "textarea",
];

/// The tags within a line.
const INLINE: [&str; 10] = [
    "a", "abbr", "b", "code", "path", "small", "span", "strong", "svg", "time",
];

/// An owner's visit to a shop with a few products.
struct Visit {
    stage: Stage,
    context: DashboardContext,
    cookies: BTreeMap<String, String>,
    /// The page before.
    page: String,
    /// The pages shown so far, by path.
    shown: BTreeMap<String, String>,
    transcript: String,
    /// The seed of the second factor.
    seed: String,
}

impl Visit {
    /// Opens the shop. The page before is a letter with the owner's invitation.
    async fn begin() -> Self {
        let stage = Stage::with_mail();
        let connect = &stage.connect;
        let account = account(connect).await;
        let invitation = connect.invite_owner(account).await.unwrap().secret;
        let sandbox = Sandbox::new(connect.clone(), Arc::new(SandboxClock::default()))
            .with_seeds(Arc::new(SequentialIds::default()));
        Self {
            context: DashboardContext {
                sandbox: Some(sandbox),
                ..context()
            },
            stage,
            cookies: BTreeMap::new(),
            page: format!("/dashboard/invitations/{}", invitation.expose()),
            shown: BTreeMap::new(),
            transcript: String::new(),
            seed: String::new(),
        }
    }

    /// Takes the invitation, and writes nothing down.
    async fn sign_in(&mut self) {
        self.step("GET /dashboard/invitations/{}").await;
        let passwords = "password=violet+tractor+71&repeated=violet+tractor+71";
        let step = format!("POST /dashboard/invitations/{{}} {passwords}");
        self.step(&step).await;
        self.stage.step(&["mail"]).await;
        self.transcript.clear();
    }

    /// Does one step, and writes down the visible result.
    async fn step(&mut self, step: &str) {
        let _ = writeln!(self.transcript, "> {step}");
        let step = step.replace("CODE", &self.code());
        let words: Vec<_> = step.split(' ').collect();
        match *words {
            ["GET", path] => self.request(Method::GET, path, "").await,
            ["POST", path] => self.request(Method::POST, path, "").await,
            ["POST", path, fields] => self.request(Method::POST, path, fields).await,
            ["call", path] => self.call(path).await,
            _ => {
                let seen = self.stage.step(&words).await.expect(&step);
                if seen.contains("/dashboard/invitations/") {
                    self.page.clone_from(&seen);
                }
                self.transcript.push_str(&without_secrets(&seen));
                self.transcript
                    .push_str(if seen.is_empty() { "" } else { "\n" });
            }
        }
        self.transcript.push('\n');
    }

    /// Sends a request, and follows redirects.
    async fn request(&mut self, method: Method, path: &str, fields: &str) {
        let mut next = Some((method, self.filled_in(path), fields.to_owned()));
        while let Some((method, path, fields)) = next.take() {
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            let csrf = self.page.split_once("name=\"csrf\" value=\"");
            let csrf = csrf.map_or("", |(_, rest)| rest.split('"').next().unwrap());
            let cookies = self.cookies.iter();
            let cookies: Vec<_> = cookies
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let cookies = HeaderValue::try_from(cookies.join("; ")).unwrap();
            let answer = super::answer(PageRequest {
                connect: self.stage.connect.clone(),
                context: self.context.clone(),
                method,
                path: path.to_owned(),
                query: FormFields::parse(query.as_bytes()),
                form: FormFields::parse(format!("{fields}&csrf={csrf}").as_bytes()),
                has_too_large_file: false,
                headers: HeaderMap::from_iter([(COOKIE, cookies)]),
                host: "127.0.0.1:8081".into(),
                address: [127, 0, 0, 1].into(),
                tls: false,
            })
            .await;
            let mut seen = format!("{}", answer.status);
            for line in &answer.cookies {
                let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
                self.cookies.insert(name.to_owned(), value.to_owned());
                let _ = write!(seen, "\nset-cookie: {line}");
            }
            match answer.content {
                AnswerContent::Redirect(to) => {
                    let _ = write!(seen, "\nlocation: {to}");
                    next = Some((Method::GET, to, String::new()));
                }
                AnswerContent::Page(page) => {
                    self.page = page.into_string();
                    self.note_seed();
                    // What surrounds all pages is shown with the first of them.
                    let (_, main) = self.page.split_once("<main").unwrap();
                    let main = format!("<main{main}");
                    let is_first = path == "/dashboard";
                    let page = without_secrets(&shown(if is_first { &self.page } else { &main }));
                    let before = self.shown.insert(path.to_owned(), page.clone());
                    seen += without_rest(&page, &before.unwrap_or_default());
                }
                AnswerContent::File(name, _, bytes) => {
                    let lines = String::from_utf8_lossy(&bytes).lines().count();
                    let _ = write!(seen, "\n{name} with {lines} lines");
                }
                AnswerContent::Style { .. } => {}
            }
            let _ = writeln!(self.transcript, "{}", without_secrets(&seen));
        }
    }

    /// Notes the seed of a second factor on the page.
    fn note_seed(&mut self) {
        let words = self.page.split(|c: char| !c.is_ascii_alphanumeric());
        let seed = words.filter(|word| word.len() == 32).find(|word| {
            word.bytes()
                .all(|c| c.is_ascii_uppercase() || (b'2'..=b'7').contains(&c))
        });
        self.seed = seed.unwrap_or(&self.seed).to_owned();
    }

    /// The present code of the second factor.
    fn code(&self) -> String {
        let Ok(seed) = Seed::try_from_base32(&self.seed) else {
            return String::new();
        };
        let totp = Builder::new().with_secret(seed).build();
        let now = self.stage.connect.now().seconds();
        totp.map_or_else(
            |_| String::new(),
            |totp| totp.generate(now.try_into().unwrap()).to_string(),
        )
    }

    /// Calls the API with the token on the page before, and notes the request.
    async fn call(&self, path: &str) {
        let (_, secret) = self.page.split_once("value=\"ck_").unwrap();
        let secret = format!("ck_{}", secret.split('"').next().unwrap());
        let address = [127, 0, 0, 1].into();
        let caller = self
            .stage
            .connect
            .authenticate(address, Some(&secret))
            .await;
        let caller = caller.unwrap();
        let request = AnsweredRequest {
            token_id: caller.token().id,
            at: self.stage.connect.now(),
            method: "GET".to_owned(),
            path: path.to_owned(),
            status: 200,
            request_id: "request-1".to_owned(),
            idempotency_key: None,
            address,
            client: Some("shop/1.0".to_owned()),
            errors: Vec::new(),
        };
        self.stage
            .connect
            .note_request(caller.account().id, request);
    }

    /// Replaces each `{}` of a path by its value on the page before.
    fn filled_in(&self, path: &str) -> String {
        let mut parts = path.split("{}");
        let mut filled = parts.next().unwrap().to_owned();
        for part in parts {
            let mut found = self.page.split(&filled).skip(1);
            let is_value = |c: char| !"/?\"\n".contains(c);
            let value = found.find_map(|rest| {
                let end = rest.find(|c| !is_value(c)).unwrap_or(rest.len());
                (end >= 20).then(|| rest[..end].to_owned())
            });
            filled += value.as_deref().unwrap_or("nothing");
            filled += part;
        }
        filled
    }
}

/// An account with two locations, each with two screens and four products.
async fn account(connect: &Connect) -> Id<Account> {
    let new = NewAccount {
        name: "Rye & Spelt".into(),
        owner_email: "noor@rye.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(new).await.unwrap().id;
    for (name, currency) in [("Market Square", "EUR"), ("Station", "GBP")] {
        let new = NewLocation {
            name: name.into(),
            currency: currency.into(),
            default_vat_rate: VatRate::percent(9),
        };
        let location_id = connect.create_location(account, new).await.unwrap().id;
        for (kind, name) in [
            (ScreenType::Pos, "Till 1"),
            (ScreenType::OrderKiosk, "Kiosk"),
        ] {
            let name = name.into();
            let new = NewScreen {
                location_id,
                kind,
                name,
            };
            connect.create_screen(account, new).await.unwrap();
        }
        let at = connect
            .authorize_owner(account, location_id, account)
            .await
            .unwrap();
        let products = connect.location(&at).products();
        for (name, category, cents) in [
            ("Rye bread", "Bread", 395),
            ("Croissant", "Pastry", 165),
            ("Apple <cake>", "Pastry", 425),
            ("Bag", "", 10),
        ] {
            let mut new = ProductInput::named(name);
            new.price_cents = Field::Value(cents);
            if !category.is_empty() {
                new.category_name = Field::Value(category.into());
            }
            let made = products.create(new).await.unwrap();
            if category == "Pastry" {
                let stock = connect.location(&at).stock();
                let count = serde_json::from_str(r#"{"quantity":4,"note":"On the shelf"}"#);
                stock.count(made.id, count.unwrap()).await.unwrap();
            }
        }
    }
    account
}

/// Returns a page without its unchanged end, if it has several lines.
fn without_rest<'p>(page: &'p str, before: &str) -> &'p str {
    let lines = page.rsplit('\n').zip(before.rsplit('\n'));
    let same: Vec<_> = lines.take_while(|(now, before)| now == before).collect();
    let bytes: usize = same.iter().map(|(line, _)| line.len() + 1).sum();
    match same.len() {
        0..3 => page,
        _ => page
            .get(..page.len().saturating_sub(bytes))
            .unwrap_or_default(),
    }
}

/// Returns a page as text, one line for each block.
fn shown(page: &str) -> String {
    let mut shown = String::new();
    // The QR code of a seed differs in each run.
    let page = match page.split_once("<svg xmlns") {
        Some((before, svg)) => {
            let (_, after) = svg.split_once("</svg>").unwrap();
            format!("{before}{after}")
        }
        None => page.to_owned(),
    };
    for piece in page.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap();
        if !INLINE.contains(&name) && !shown.ends_with('\n') {
            shown.push('\n');
        }
        if ACTIVE.contains(&name) && !tag.starts_with('/') {
            let (before, class) = tag.split_once(" class=\"").unwrap_or((tag, "\""));
            let (_, after) = class.split_once('"').unwrap();
            let _ = write!(shown, "<{before}{after}>");
        }
        shown += text;
    }
    shown.trim_end().to_owned()
}

// The time that an endpoint takes is measured.
#[tokio::test(start_paused = true)]
async fn pages_are_as_in_the_transcripts() {
    for name in [
        "account",
        "activity",
        "integrations",
        "privacy",
        "screens",
        "second_factor",
        "shop",
        "single_sign_on",
        "stock",
        "users",
    ] {
        let file = format!("src/dashboard/pages/transcripts/{name}.txt");
        let mut visit = Visit::begin().await;
        if name != "account" {
            visit.sign_in().await;
        }
        for step in transcripts::steps(&file) {
            visit.step(&step).await;
        }
        transcripts::assert_is(&visit.transcript, &file);
    }
}
