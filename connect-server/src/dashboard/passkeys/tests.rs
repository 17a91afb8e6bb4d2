//! Answers of a device, good and bad.

use std::sync::Arc;

use connect_core::{Connect, NewAccount, storage::memory::MemoryStorage};
use rcgen::{KeyPair, SigningKey as _};
use serde_json::Value;

use super::*;

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

/// A signed-in owner.
async fn owner() -> UserSession {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let account = NewAccount {
        name: "Rye".into(),
        owner_email: "noor@rye.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), "violet tractor 71");
    let session = accepted.await.unwrap().secret;
    connect.session(session.expose()).await.unwrap()
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
    let of_another_service =
        Device::new(&key).use_at(&party.begin_sign_in().unwrap(), b"16 bytes of them");
    for bad in ["", "{}", "null", "[1]", &long, &of_another_service] {
        assert!(SignInAnswer::read(bad).is_err(), "{bad}");
        assert!(party.added("{}", bad).is_err(), "{bad}");
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
