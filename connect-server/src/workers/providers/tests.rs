//! A provider, honest or lying.

use std::{net::SocketAddr, time::SystemTime};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use connect_core::{Connect, NewAccount, NewProvider, storage::memory::MemoryStorage};
use openidconnect::{
    JsonWebKeyId, PrivateSigningKey as _,
    core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm},
};
use serde_json::{Value, json};
use warp::Filter as _;

use super::*;
use crate::net::networks::Networks;

/// Keys of this test alone.
const KEYS: [&str; 2] = [
    "MC4CAQAwBQYDK2VwBCIEINCdyZR3s+BuGXyzKu7gCWWLUpE761ubh4mxH4YcTpMP",
    "MC4CAQAwBQYDK2VwBCIEIHiqBYV4YmgGH9Xdz9o1n+o8Xn3Jz5x9Od/8FA3F7XLn",
];

fn key(number: usize) -> CoreEdDsaPrivateSigningKey {
    let pem = ["BEGIN", "END"].map(|end| format!("-----{end} PRIVATE KEY-----"));
    let pem = [&pem[0], KEYS[number], &pem[1]].join("\n");
    let id = Some(JsonWebKeyId::new("key".to_owned()));
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, id).unwrap()
}

/// The answers of a provider; a lie changes them.
#[derive(Clone)]
struct Answers {
    settings: Value,
    claims: Value,
    header: Value,
    key: usize,
    /// The answer of the token endpoint, if not the tokens.
    tokens: Option<(u16, Value)>,
    user_info: Value,
    /// The issuer in the address of the redirect.
    issuer: String,
    error: &'static str,
    state: Option<&'static str>,
    nonce: Option<&'static str>,
}

impl Answers {
    /// The truth of a provider at this address.
    fn at(address: SocketAddr) -> Self {
        let issuer = format!("http://{address}");
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap().as_secs();
        Self {
            settings: json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/me"),
                "jwks_uri": format!("{issuer}/keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
                "authorization_response_iss_parameter_supported": true,
            }),
            claims: json!({
                "iss": issuer, "aud": "connect", "sub": "248", "iat": now, "exp": now + 300,
                "email": "noor@rye.example", "email_verified": true,
            }),
            header: json!({ "alg": "EdDSA", "kid": "key" }),
            key: 0,
            tokens: None,
            user_info: json!({ "sub": "248" }),
            issuer,
            error: "",
            state: None,
            nonce: None,
        }
    }

    fn id_token(&self, nonce: &str) -> String {
        let mut claims = self.claims.clone();
        claims["nonce"] = self.nonce.unwrap_or(nonce).into();
        let parts = [&self.header, &claims].map(|part| BASE64.encode(part.to_string()));
        let signed = parts.join(".");
        let alg = CoreJwsSigningAlgorithm::EdDsa;
        let signature = key(self.key).sign(&alg, signed.as_bytes()).unwrap();
        format!("{signed}.{}", BASE64.encode(signature))
    }

    /// Serves the answers until the test ends.
    async fn serve(self, listener: tokio::net::TcpListener, nonce: String) {
        let reply = move |path: &str| {
            let (status, body) = match path {
                "/.well-known/openid-configuration" => (200, self.settings.clone()),
                "/keys" => (200, json!({ "keys": [key(0).as_verification_key()] })),
                "/token" => self.tokens.clone().unwrap_or_else(|| {
                    let id_token = self.id_token(&nonce);
                    let tokens =
                        json!({ "access_token": "a", "token_type": "Bearer", "id_token": id_token });
                    (200, tokens)
                }),
                "/me" => (200, self.user_info.clone()),
                _ => (404, json!({})),
            };
            let body = warp::reply::json(&body);
            warp::reply::with_status(body, warp::http::StatusCode::from_u16(status).unwrap())
        };
        let routes = warp::path::full().map(move |path: warp::path::FullPath| reply(path.as_str()));
        warp::serve(routes).incoming(listener).run().await;
    }
}

/// Signs a person in at a provider with these lies.
async fn sign_in(lie: impl FnOnce(&mut Answers)) -> Result<ProviderUser, String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut answers = Answers::at(address);
    let provider = provider(&answers.issuer).await;
    lie(&mut answers);
    let guard = AddressGuard::allowing(Networks::loopback());
    let client = ProviderClient::new(guard).unwrap();
    let kept = KeptSignIn {
        state: "state".to_owned(),
        nonce: "nonce".to_owned(),
        verifier: "verifier".to_owned(),
    };
    assert_eq!(KeptSignIn::read(&kept.value()), Some(kept.clone()));
    let serving = tokio::spawn(answers.clone().serve(listener, kept.nonce.clone()));
    let answer = ProviderAnswer {
        code: "code",
        state: answers.state.unwrap_or("state"),
        issuer: &answers.issuer,
        error: answers.error,
    };
    let secret = "secret".to_owned().into();
    let redirect = "http://127.0.0.1/dashboard/sign-in/callback";
    let finished = client.finish((&provider, &secret), redirect, kept, answer);
    let finished = finished.await.map_err(|error| error.to_string());
    serving.abort();
    finished
}

/// A provider as the core has it.
async fn provider(issuer: &str) -> Provider {
    let guard = AddressGuard::allowing(Networks::loopback());
    let connect = Connect::builder(std::sync::Arc::new(MemoryStorage::new()))
        .webhook_links(std::sync::Arc::new(
            crate::workers::webhooks::PublicWebhooks::new(guard),
        ))
        .build();
    let account = NewAccount {
        name: "Rye".to_owned(),
        owner_email: "noor@rye.example".to_owned(),
        sandbox: false,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let new = NewProvider {
        issuer: issuer.to_owned(),
        client_id: "connect".to_owned(),
        client_secret: Some("secret".to_owned().into()),
    };
    connect.set_provider(account, new).await.unwrap()
}

type Lie = fn(&mut Answers);

#[tokio::test]
async fn a_person_is_verified_and_lies_are_refused() {
    let person = sign_in(|_| {}).await.unwrap();
    assert_eq!(person.subject, "248");
    assert_eq!(person.verified_email.as_deref(), Some("noor@rye.example"));
    for (name, lie, expected) in [
        (
            "signed by another key",
            (|of| of.key = 1) as Lie,
            "not valid",
        ),
        (
            "not signed",
            |of| of.header["alg"] = "none".into(),
            "not valid",
        ),
        (
            "another algorithm",
            |of| of.header["alg"] = "HS256".into(),
            "not valid",
        ),
        ("another nonce", |of| of.nonce = Some("other"), "not valid"),
        (
            "another audience",
            |of| of.claims["aud"] = "other".into(),
            "not valid",
        ),
        (
            "one more audience",
            |of| of.claims["aud"] = json!(["connect", "other"]),
            "not valid",
        ),
        (
            "another issuer",
            |of| of.claims["iss"] = "https://other.example".into(),
            "not valid",
        ),
        ("expired", |of| of.claims["exp"] = 1.into(), "not valid"),
        (
            "no subject",
            |of| of.claims["sub"] = Value::Null,
            "not valid",
        ),
        (
            "another state",
            |of| of.state = Some("other"),
            "not valid: it is for another sign-in",
        ),
        (
            "a mixed-up issuer",
            |of| of.issuer = "https://other.example".into(),
            "from another provider",
        ),
        (
            "no issuer",
            |of| of.issuer = String::new(),
            "does not name the provider",
        ),
        (
            "settings of another",
            |of| of.settings["issuer"] = "https://other.example".into(),
            "no usable answer",
        ),
        (
            "no settings",
            |of| of.settings = json!({}),
            "no usable answer",
        ),
        (
            "huge settings",
            |of| of.settings["x"] = "x".repeat(600_000).into(),
            "too large",
        ),
        (
            "tokens elsewhere",
            |of| of.settings["token_endpoint"] = "http://10.0.0.1/token".into(),
            "no usable answer",
        ),
        (
            "keys elsewhere",
            |of| of.settings["jwks_uri"] = "http://169.254.169.254/".into(),
            "no usable answer",
        ),
        (
            "refused",
            |of| of.error = "access_denied",
            "has refused: access_denied",
        ),
        (
            "a used code",
            |of| of.tokens = Some((400, json!({ "error": "invalid_grant" }))),
            "has refused: invalid_grant",
        ),
        (
            "no id token",
            |of| of.tokens = Some((200, json!({ "access_token": "a", "token_type": "Bearer" }))),
            "no id token",
        ),
        (
            "a failure",
            |of| of.tokens = Some((500, json!({}))),
            "provider",
        ),
    ] {
        let refused = sign_in(lie).await.unwrap_err();
        assert!(refused.contains(expected), "{name}: {refused}");
        assert!(!refused.contains("secret"), "{name}: {refused}");
    }
    // The user info of another person is left aside.
    let person = sign_in(|of| {
        of.claims["email_verified"] = false.into();
        of.user_info = json!({ "sub": "249", "email": "noor@rye.example", "email_verified": true });
    });
    assert_eq!(person.await.unwrap().verified_email, None);
    // An address counts only as verified, in the token or in the user info.
    for (verified, in_info, email) in [
        (json!(false), json!(null), None),
        (json!(null), json!(false), None),
        (json!(false), json!(true), Some("noor@rye.example")),
    ] {
        let person = sign_in(|of| {
            of.claims["email_verified"] = verified;
            of.user_info =
                json!({ "sub": "248", "email": "noor@rye.example", "email_verified": in_info });
        });
        assert_eq!(person.await.unwrap().verified_email.as_deref(), email);
    }
}

#[tokio::test]
async fn a_provider_that_is_down_is_named_as_the_reason() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let provider = provider(&format!("http://{address}")).await;
    let guard = AddressGuard::allowing(Networks::loopback());
    let client = ProviderClient::new(guard).unwrap();
    let refused = client.begin(&provider, "http://127.0.0.1/back").await;
    let refused = refused.map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        refused,
        "your provider gives no usable answer: it takes no connection"
    );
}
