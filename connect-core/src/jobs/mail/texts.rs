//! The mail to users: which message with which arguments.

use std::net::IpAddr;

use super::messages::MailText;
use crate::{
    transaction::{OpenSecret, QueuedMail, UserMessage, environment::Mail},
    wire::Timestamp,
};

/// Writes a message to a user.
pub(super) fn message(mail: &QueuedMail, secret: Option<&OpenSecret>, pages: &str) -> Mail {
    let link = match (&mail.message, secret) {
        (UserMessage::TokenExpires { .. }, _) => format!("{pages}/tokens"),
        (_, secret) => {
            let secret = secret.map_or("", OpenSecret::expose);
            format!("{pages}/invitations/{secret}")
        }
    };
    let text = of(mail)
        .with("business", &mail.business)
        .with("to", &mail.to)
        .with("at", to_the_minute(mail.created_at))
        .with("account", format!("{pages}/account"))
        .with("link", link);
    Mail {
        to: mail.to.clone(),
        subject: one_line(&text.line(mail.language)),
        text: format!("{}\n", text.text(mail.language)),
    }
}

/// Returns the message with its own arguments.
fn of(mail: &QueuedMail) -> MailText<'_> {
    match &mail.message {
        UserMessage::Invitation { until } => {
            MailText::of("invitation").with("until", to_the_minute(*until))
        }
        UserMessage::ForgottenPassword { until } => {
            MailText::of("forgotten-password").with("until", to_the_minute(*until))
        }
        UserMessage::NewDevice { device, address } => {
            MailText::of("new-device").with("facts", facts(mail, device.as_deref(), *address))
        }
        UserMessage::PasswordChanged => MailText::of("password-changed"),
        UserMessage::EmailChanged { email } => MailText::of("email-changed").with("email", email),
        UserMessage::FactorChanged { is_on: true } => MailText::of("factor-added"),
        UserMessage::FactorChanged { is_on: false } => MailText::of("factor-removed"),
        UserMessage::PasskeyChanged {
            name,
            is_added: true,
        } => MailText::of("passkey-added").with("name", name),
        UserMessage::PasskeyChanged {
            name,
            is_added: false,
        } => MailText::of("passkey-removed").with("name", name),
        UserMessage::ProviderChanged {
            issuer: Some(issuer),
        } => MailText::of("provider-changed").with("issuer", issuer),
        UserMessage::ProviderChanged { issuer: None } => MailText::of("provider-removed"),
        UserMessage::WrongCodes => MailText::of("wrong-codes"),
        UserMessage::ErasurePlanned { location, erase_at } => MailText::of("erasure-planned")
            .with("what", location.as_ref().unwrap_or(&mail.business))
            .with("erase_at", to_the_minute(*erase_at)),
        UserMessage::TokenExpires {
            name,
            prefix,
            expires_at,
        } => MailText::of("token-expires")
            .with("name", name)
            .with("prefix", prefix)
            .with("expires_at", to_the_minute(*expires_at)),
    }
}

/// Writes the known facts of a sign-in, one per line.
fn facts(mail: &QueuedMail, device: Option<&str>, address: Option<IpAddr>) -> String {
    let time = MailText::of("new-device-time").with("at", to_the_minute(mail.created_at));
    let browser =
        device.map(|device| MailText::of("new-device-browser").with("browser", one_line(device)));
    let address = address
        .map(|address| MailText::of("new-device-address").with("address", address.to_string()));
    let facts = [Some(time), browser, address].into_iter().flatten();
    let lines = facts.map(|fact| format!("    {}", fact.line(mail.language)));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text without line breaks, for a subject or a fact.
fn one_line(text: &str) -> String {
    let is_control = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(is_control).collect()
}

/// A time for people, such as `2026-11-20 09:15 UTC`.
pub(in crate::jobs) fn to_the_minute(time: Timestamp) -> String {
    let written = time.to_string();
    let (date, rest) = written.split_once('T').unwrap_or((&written, ""));
    format!("{date} {} UTC", rest.get(..5).unwrap_or_default())
}
