//! Answers of a device, good and bad.

use std::{collections::BTreeMap, sync::Arc};

use connect_core::{
    Connect, IssuedSession, NewAccount,
    environment::{KeyRing, ManualClock, SecretKey},
    storage::memory::MemoryStorage,
    wire::Timestamp,
};
use http::{HeaderMap, HeaderValue, Method, header::COOKIE};
use rcgen::{KeyPair, SigningKey as _};
use serde_json::Value;
use url::form_urlencoded;

use super::*;
use crate::dashboard::{
    self, Answer, AnswerContent, DashboardContext, FormFields, IdempotentForms, PageRequest,
};

const ORIGIN: &str = "https://shop.example";
const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const HAS_KEY: u8 = 0x40;

/// What a device says, or lies.
#[derive(Clone, Copy)]
struct Device<'k> {
    key: &'k KeyPair,
    id: &'k [u8],
    origin: &'k str,
    /// The name of the service, as hashed by the device.
    service: &'k str,
    flags: u8,
    counter: u32,
    kind: &'k str,
    /// Set to sign something else.
    is_forged: bool,
}

impl<'k> Device<'k> {
    fn new(key: &'k KeyPair) -> Self {
        Self {
            key,
            id: b"a passkey",
            origin: ORIGIN,
            service: "shop.example",
            flags: PRESENT | VERIFIED,
            counter: 1,
            kind: "",
            is_forged: false,
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let kind = if self.kind.is_empty() {
            kind
        } else {
            self.kind
        };
        json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false
        })
        .to_string()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(self.service).to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The answer with a new passkey.
    fn make(&self, challenge: &Challenge) -> String {
        let options: Value = serde_json::from_str(&challenge.options).unwrap();
        let mut data = self.data(self.flags | HAS_KEY);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(self.id);
        // The public key in CBOR: an ES256 key on P-256, with its two coordinates.
        let (x, y) = self.key.public_key_raw()[1..].split_at(32);
        data.extend([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]);
        data.extend(x);
        data.extend([0x22, 0x58, 32]);
        data.extend(y);
        let length = u8::try_from(data.len()).unwrap();
        let attested = [
            &b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"[..],
            &[length],
            &data,
        ];
        json!({
            "id": BASE64.encode(self.id), "rawId": BASE64.encode(self.id), "type": "public-key",
            "response": {
                "attestationObject": BASE64.encode(attested.concat()),
                "clientDataJSON": BASE64.encode(self.client_data("webauthn.create", &options)),
            },
        })
        .to_string()
    }

    /// The answer at a sign-in.
    fn use_at(&self, challenge: &Challenge, handle: &[u8]) -> String {
        let options: Value = serde_json::from_str(&challenge.options).unwrap();
        let client_data = self.client_data("webauthn.get", &options);
        let data = self.data(self.flags);
        let mut signed = [&data[..], &Sha256::digest(&client_data)].concat();
        if self.is_forged {
            signed[0] ^= 1;
        }
        json!({
            "id": BASE64.encode(self.id), "rawId": BASE64.encode(self.id), "type": "public-key",
            "response": {
                "authenticatorData": BASE64.encode(data),
                "clientDataJSON": BASE64.encode(client_data),
                "signature": BASE64.encode(self.key.sign(&signed).unwrap()),
                "userHandle": BASE64.encode(handle),
            },
        })
        .to_string()
    }
}

/// A core with an owner, who is signed in by this session.
async fn signed_in() -> (Connect, Arc<ManualClock>, IssuedSession) {
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let connect = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(clock.clone())
        .secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([7; 32])])))
        .build();
    let account = NewAccount {
        name: "Rye".into(),
        owner_email: "noor@rye.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), "violet tractor 71");
    let session = accepted.await.unwrap();
    (connect, clock, session)
}

async fn owner() -> UserSession {
    let (connect, _, session) = signed_in().await;
    connect.session(session.secret.expose()).await.unwrap()
}

/// A browser at the pages: its cookies, and the page before.
struct Visit {
    connect: Connect,
    cookies: BTreeMap<String, String>,
    page: String,
}

impl Visit {
    async fn request(&mut self, method: Method, path: &str, fields: &[(&str, &str)]) -> Answer {
        let csrf = self.attribute("name=\"csrf\" value=\"");
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields).append_pair("csrf", &csrf);
        let cookies = self.cookies.iter();
        let cookies: Vec<_> = cookies
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = HeaderValue::try_from(cookies.join("; ")).unwrap();
        let answer = dashboard::answer(PageRequest {
            connect: self.connect.clone(),
            context: DashboardContext {
                api_url: "https://shop.example/v1".into(),
                owner_url: ORIGIN.into(),
                sandbox: None,
                providers: None,
                used: IdempotentForms::default(),
            },
            method,
            path: format!("/dashboard{path}"),
            query: FormFields::default(),
            form: FormFields::parse(form.finish().as_bytes()),
            has_too_large_file: false,
            headers: HeaderMap::from_iter([(COOKIE, cookies)]),
            host: "shop.example".into(),
            address: [127, 0, 0, 1].into(),
            tls: false,
        });
        let answer = answer.await;
        for line in &answer.cookies {
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        if let AnswerContent::Page(page) = &answer.content {
            self.page = page.clone().into_string();
        }
        answer
    }

    /// The value behind these words on the page.
    fn attribute(&self, before: &str) -> String {
        let found = self.page.split_once(before).map_or("", |(_, rest)| rest);
        found.split('"').next().unwrap().replace("&quot;", "\"")
    }

    /// The challenge on the page; the server alone has its state.
    fn challenge(&self) -> Challenge {
        assert!(self.page.contains(&format!("<script>{SCRIPT}</script>")));
        Challenge {
            options: self.attribute("data-options=\""),
            state: String::new(),
        }
    }
}

#[tokio::test]
async fn a_passkey_is_added_used_and_removed_on_the_pages() {
    let (connect, clock, session) = signed_in().await;
    let to = connect.session(session.secret.expose()).await.unwrap();
    let cookies = [(
        "connect-session".to_owned(),
        session.secret.expose().to_owned(),
    )];
    let mut visit = Visit {
        connect: connect.clone(),
        cookies: cookies.into(),
        page: String::new(),
    };
    let key = KeyPair::generate().unwrap();
    let device = Device::new(&key);
    let passkeys = "/account/passkeys";
    let add = "/account/passkeys/add";
    let password = ("currentPassword", "violet tractor 71");

    visit.request(Method::GET, passkeys, &[]).await;
    for (fields, problem) in [
        (
            [("name", "Phone"), ("currentPassword", "wrong")],
            "Current password is wrong",
        ),
        ([("name", " "), password], "must"),
    ] {
        let refused = visit.request(Method::POST, passkeys, &fields).await;
        assert!(refused.status == 422 && !refused.has_script);
        assert!(visit.page.contains(problem), "{}", visit.page);
    }
    let fields = [("name", "Phone <b>"), password];
    for (answer, status) in [(Some("{}"), 422), (None, 303), (None, 422)] {
        if status != 422 || answer.is_some() {
            let asking = visit.request(Method::POST, passkeys, &fields).await;
            assert!(asking.status == 200 && asking.has_script);
        }
        let made = answer.map_or_else(|| device.make(&visit.challenge()), str::to_owned);
        let added = visit.request(Method::POST, add, &[("answer", &made)]).await;
        assert_eq!(added.status, status, "{}", visit.page);
        if status == 303 {
            // The next try is with the same answer.
            visit.request(Method::POST, passkeys, &fields).await;
        }
    }
    visit.request(Method::GET, passkeys, &[]).await;
    assert!(visit.page.contains("Phone &lt;b&gt;"), "{}", visit.page);
    let remove = visit.attribute("action=\"/dashboard/account/passkeys/");
    let remove = format!("{passkeys}/{remove}");

    // In another browser: alone, and the same answer once.
    let mut visitor = Visit {
        connect: connect.clone(),
        cookies: BTreeMap::new(),
        page: String::new(),
    };
    clock.advance(1);
    let sign_in = "/sign-in/passkey";
    assert!(visitor.request(Method::GET, sign_in, &[]).await.has_script);
    let next = Device {
        counter: 2,
        ..device
    };
    let answer = next.use_at(&visitor.challenge(), &to.passkey_handle());
    let challenge = visitor.attribute("name=\"challenge\" value=\"");
    let fields = [("answer", &*answer), ("challenge", &*challenge)];
    let before = (visitor.cookies.clone(), visitor.page.clone());
    let refused = visitor
        .request(Method::POST, sign_in, &[("answer", "{}")])
        .await;
    assert_eq!(refused.status, 401);
    let signed_in = visitor.request(Method::POST, sign_in, &fields).await;
    assert!(matches!(&signed_in.content, AnswerContent::Redirect(to) if to == "/dashboard"));
    let overview = visitor.request(Method::GET, "/usage", &[]).await;
    assert_eq!(overview.status, 200);
    (visitor.cookies, visitor.page) = before;
    let again = visitor.request(Method::POST, sign_in, &fields).await;
    assert_eq!(again.status, 401);

    for (given, status) in [
        ("wrong", 422),
        ("violet tractor 71", 303),
        ("violet tractor 71", 404),
    ] {
        let removed = visit
            .request(Method::POST, &remove, &[("currentPassword", given)])
            .await;
        assert_eq!(removed.status, status, "{given}");
    }
}

#[tokio::test]
async fn an_answer_holds_for_its_key_challenge_and_address() {
    let (to, party) = (owner().await, RelyingParty::at(ORIGIN).unwrap());
    let (key, other_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let good = Device::new(&key);
    let lies = [
        Device {
            origin: "https://evil.example",
            ..good
        },
        Device {
            origin: "http://shop.example",
            ..good
        },
        Device {
            origin: "https://shop.example:8443",
            ..good
        },
        Device {
            origin: "https://sub.shop.example",
            ..good
        },
        Device {
            service: "evil.example",
            ..good
        },
        Device {
            flags: PRESENT,
            ..good
        },
        Device {
            flags: VERIFIED,
            ..good
        },
        Device {
            kind: "payment.get",
            ..good
        },
    ];

    let begun = party.begin_to_add(&to, &[]).unwrap();
    let options: Value = serde_json::from_str(&begun.options).unwrap();
    let handle = BASE64
        .decode(options["user"]["id"].as_str().unwrap())
        .unwrap();
    assert_eq!(handle, to.passkey_handle());
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(
        options["authenticatorSelection"]["userVerification"],
        "required"
    );
    for (place, lie) in lies.iter().enumerate() {
        let refused = party.added(&begun.state, &lie.make(&begun));
        assert!(refused.is_err(), "{place}");
    }
    let elsewhere = party.begin_to_add(&to, &[]).unwrap();
    assert!(party.added(&begun.state, &good.make(&elsewhere)).is_err());
    let added = party.added(&begun.state, &good.make(&begun)).unwrap();
    assert_eq!(added.credential_id, BASE64.encode(good.id));

    let begun = party.begin_sign_in().unwrap();
    let elsewhere = party.begin_sign_in().unwrap();
    let used = |device: &Device<'_>, challenge: &Challenge, credential: &str| {
        let (answer, claim) = SignInAnswer::read(&device.use_at(challenge, &handle)).unwrap();
        assert_eq!((claim.account, claim.user), (to.account().id, to.user().id));
        party.used((&begun.state, credential), &answer)
    };
    let next = Device { counter: 2, ..good };
    for (place, lie) in lies.iter().enumerate() {
        let lie = Device { counter: 2, ..*lie };
        assert!(used(&lie, &begun, &added.credential).is_err(), "{place}");
    }
    for bad in [
        Device {
            key: &other_key,
            ..next
        },
        Device {
            is_forged: true,
            ..next
        },
    ] {
        assert!(used(&bad, &begun, &added.credential).is_err());
    }
    assert!(used(&next, &elsewhere, &added.credential).is_err());
    let credential = used(&next, &begun, &added.credential).unwrap();
    // Its counter never goes back: a copy of the key shows.
    let Unverified(problem) = used(&next, &begun, &credential).unwrap_err();
    assert!(problem.contains("may have been copied"), "{problem}");
    let later = Device { counter: 9, ..good };
    used(&later, &begun, &credential).unwrap();
}

#[test]
fn no_answer_of_another_form_is_read() {
    let party = RelyingParty::at(ORIGIN).unwrap();
    let long = " ".repeat(MOST_ANSWER + 1);
    let key = KeyPair::generate().unwrap();
    let begun = party.begin_sign_in().unwrap();
    let of_another_service =
        Device::new(&key).use_at(&party.begin_sign_in().unwrap(), b"16 bytes of them");
    for bad in ["", "{}", "null", "[1]", &long, &of_another_service] {
        assert!(SignInAnswer::read(bad).is_err(), "{bad}");
        assert!(party.added(&begun.state, bad).is_err(), "{bad}");
    }
}

#[test]
fn an_address_has_passkeys_by_its_name() {
    for (address, is_one) in [
        ("https://shop.example", true),
        ("https://shop.example:8443", true),
        ("http://localhost:8081", true),
        ("http://127.0.0.1:8081", true),
        ("http://[::1]:8081", true),
        ("http://shop.example", false),
        ("https://192.0.2.1", false),
        ("https://[2001:db8::1]", false),
        ("", false),
    ] {
        assert_eq!(RelyingParty::at(address).is_some(), is_one, "{address}");
    }
}

#[tokio::test]
async fn this_machine_has_passkeys_at_localhost_on_any_port() {
    let (to, key) = (owner().await, KeyPair::generate().unwrap());
    let party = RelyingParty::at("http://127.0.0.1:8081").unwrap();
    let begun = party.begin_to_add(&to, &[]).unwrap();
    for (origin, is_good) in [
        ("http://localhost:9", true),
        ("http://127.0.0.1:8081", false),
        ("http://evil.example:8081", false),
    ] {
        let device = Device {
            origin,
            service: "localhost",
            ..Device::new(&key)
        };
        let added = party.added(&begun.state, &device.make(&begun));
        assert_eq!(added.is_ok(), is_good, "{origin}");
    }
}
