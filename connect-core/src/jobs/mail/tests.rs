//! Holds the sources of mail against the files of messages, and mail of every kind against a transcript.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    net::IpAddr,
    path::Path,
    sync::Arc,
};

use fluent_bundle::FluentResource;

pub(in crate::jobs) use super::messages::LANGUAGES;
use super::*;
use crate::{storage::memory::MemoryStorage, transaction::UserMessage, wire::Timestamp};

/// The names of arguments and attributes of messages, by id.
type Names = BTreeMap<String, BTreeSet<String>>;

/// The sources that name messages.
const SOURCES: [&str; 2] = [
    include_str!("texts.rs"),
    include_str!("../deliveries/mail/mod.rs"),
];

/// The words of a text that stand between a mark and what is no letter.
fn words_after(text: &str, mark: &str) -> BTreeSet<String> {
    let is_end = |letter: char| !letter.is_ascii_lowercase() && letter != '-' && letter != '_';
    let words = text.split(mark).skip(1);
    let words = words.map(|word| word.split(is_end).next().unwrap_or_default());
    words.map(str::to_owned).collect()
}

/// The names in each message of a file.
fn of_file(file: &str) -> Names {
    let mut found = Names::new();
    let mut id = String::new();
    for line in file.lines() {
        if line.starts_with(|first: char| first.is_ascii_lowercase()) {
            id = line.split(" =").next().unwrap_or_default().to_owned();
            let former = found.insert(id.clone(), BTreeSet::new());
            assert_eq!(former, None, "{id} is there twice");
        }
        if let Some(names) = found.get_mut(&id).filter(|_| !line.starts_with('#')) {
            names.extend(words_after(line, "$"));
            let is_text = line == "    .text =";
            names.extend(is_text.then(|| ".text".to_owned()));
        }
    }
    found
}

/// The messages of the sources, each with the names of its arguments.
fn of_sources() -> Names {
    let mut found = Names::new();
    for source in SOURCES {
        let mut calls = source.split("MailText::of(\"");
        // The arguments of all messages of a source come first.
        let shared = words_after(calls.next().unwrap_or_default(), ".with(\"");
        for call in calls {
            let (id, rest) = call.split_once('"').unwrap();
            let names = found.entry(id.to_owned()).or_default();
            names.extend(words_after(rest, ".with(\""));
            names.extend(shared.clone());
        }
    }
    found
}

#[test]
fn every_language_has_the_messages_of_mail_and_no_more() {
    let named = of_sources();
    assert!(named.len() > 20, "only {} were found", named.len());
    let mut problems = Vec::new();
    for (_, tag, file) in LANGUAGES {
        if let Err((_, errors)) = FluentResource::try_new((*file).to_owned()) {
            problems.push(format!("{tag}: {errors:?}"));
        }
        let messages = of_file(file);
        let lacking = named.keys().filter(|id| !messages.contains_key(*id));
        problems.extend(lacking.map(|id| format!("{tag} lacks {id}")));
        for (id, names) in &messages {
            // A message may be a part of others.
            let is_part = file.contains(&format!("{{ {id} }}"));
            match named.get(id) {
                None if is_part => {}
                None => problems.push(format!("{tag}: no mail has {id}")),
                Some(given) => {
                    let unknown = names.difference(given).filter(|name| *name != ".text");
                    problems.extend(unknown.map(|name| format!("{tag}: {id} has no {name}")));
                }
            }
        }
        let first = LANGUAGES.first().map(|(.., file)| of_file(file));
        let first = first.unwrap_or_default();
        let differing = first
            .iter()
            .filter(|(id, names)| messages.get(*id) != Some(*names));
        problems.extend(differing.map(|(id, names)| format!("{tag}: {id} is not with {names:?}")));
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// Holds a text against a file of this crate. `UPDATE_EXPECTED=1` writes the file.
#[track_caller]
pub(in crate::jobs) fn assert_is(text: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let place = differs.map_or("its length".to_owned(), |at| format!("line {}", at + 1));
    assert!(text == expected, "not as in {file}: {place}\n{text}");
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A message of every kind, and of every form of it.
fn messages_of_every_kind() -> Vec<UserMessage> {
    let until = time("2026-11-20T09:15:59Z");
    let passkey = |is_added| UserMessage::PasskeyChanged {
        // Nothing of an argument is syntax.
        name: "Phone { $to } <a>".to_owned(),
        is_added,
    };
    let device = |device: Option<&str>, address: Option<IpAddr>| UserMessage::NewDevice {
        device: device.map(str::to_owned),
        address,
    };
    let here = IpAddr::from([192, 0, 2, 7]);
    vec![
        UserMessage::Invitation { until },
        UserMessage::ForgottenPassword { until },
        device(Some("Firefox\r\nBcc: all"), Some(here)),
        device(Some("Firefox"), None),
        device(None, Some(here)),
        device(None, None),
        UserMessage::PasswordChanged,
        UserMessage::EmailChanged {
            email: "noor@oat.example".to_owned(),
        },
        UserMessage::FactorChanged { is_on: true },
        UserMessage::FactorChanged { is_on: false },
        passkey(true),
        passkey(false),
        UserMessage::ProviderChanged {
            issuer: Some("https://id.example".to_owned()),
        },
        UserMessage::ProviderChanged { issuer: None },
        UserMessage::WrongCodes,
        UserMessage::ErasurePlanned {
            location: None,
            erase_at: until,
        },
        UserMessage::ErasurePlanned {
            location: Some("Station".to_owned()),
            erase_at: until,
        },
        UserMessage::TokenExpires {
            name: "Webshop".to_owned(),
            prefix: "ck_live_1a2b".to_owned(),
            expires_at: until,
        },
    ]
}

#[test]
fn mail_to_users_is_as_in_the_transcript() {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let (sealer, place) = (connect.store().sealer(), QueuedMail::place(Uuid::nil()));
    let secret = sealer.seal("SECRET", place).unwrap();
    let secret = sealer.open(&secret, place).unwrap();
    let mut transcript = String::new();
    for message in messages_of_every_kind() {
        for (language, ..) in LANGUAGES {
            let kind = serde_json::to_string(&message).unwrap();
            let mail = QueuedMail {
                to: "noor@rye.example".to_owned(),
                language: *language,
                business: "Rye & Spelt\n".to_owned(),
                message: message.clone(),
                secret: None,
                created_at: time("2026-11-13T23:59:00Z"),
                attempts: 0,
            };
            let pages = "https://shop.example/dashboard";
            let mail = texts::message(&mail, Some(&secret), pages);
            let _ = writeln!(transcript, "> {language:?} {kind}");
            let _ = write!(transcript, "{}\n{}\n", mail.subject, mail.text);
        }
    }
    assert_is(&transcript, "src/jobs/mail/transcript.txt");
}
