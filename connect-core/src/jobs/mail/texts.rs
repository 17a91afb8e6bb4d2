//! The texts of mail to users, in their languages.

use crate::{
    transaction::{Language, OpenSecret, QueuedMail, UserMessage, environment::Mail},
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
    let account = format!("{pages}/account");
    let write = match mail.language {
        Language::En => english,
        Language::Nl => dutch,
    };
    let (subject, text) = write(mail, &link, &account);
    Mail {
        to: mail.to.clone(),
        subject: one_line(&subject),
        text: format!("{text}\n"),
    }
}

fn english(mail: &QueuedMail, link: &str, account: &str) -> (String, String) {
    let (business, to) = (&mail.business, &mail.to);
    let at = to_the_minute(mail.created_at);
    let if_not_you = format!(
        "If this was not you, change your password now, end all other sessions, and remove each passkey that is not \
         yours:\n\n    {account}\n\nIf you cannot sign in, ask another owner of {business}, or the operator of this service."
    );
    match &mail.message {
        UserMessage::Invitation { until } => (
            format!("Your invitation to the dashboard of {business}"),
            format!(
                "You are invited to the dashboard of {business}. Set your password here:\n\n    {link}\n\n\
                 The link works once, until {}. You will sign in as {to}.\n\n\
                 If you do not know {business}, ignore this message.",
                to_the_minute(*until)
            ),
        ),
        UserMessage::ForgottenPassword { until } => (
            format!("Set another password for {business}"),
            format!(
                "Someone asked for another password for {to} at {business}. If it was you, set it \
                 here:\n\n    {link}\n\nThe link works once, until {}.\n\n\
                 If it was not you, ignore this message: your password stays as it is.",
                to_the_minute(*until)
            ),
        ),
        UserMessage::NewDevice { device, address } => (
            format!("A new sign-in to {business}"),
            format!(
                "{to} signed in with a browser not seen before.\n\n{}\n\n\
                 If it was you, there is nothing to do. {if_not_you}",
                facts(
                    ["Time", "Browser", "Address"],
                    &at,
                    device.as_deref(),
                    *address
                )
            ),
        ),
        UserMessage::PasswordChanged => (
            format!("Your password for {business} was changed"),
            format!(
                "The password of {to} was changed on {at}. You are signed out everywhere else.\n\n{if_not_you}"
            ),
        ),
        UserMessage::EmailChanged { email } => (
            format!("Your e-mail address for {business} was changed"),
            format!(
                "From now on you sign in to {business} as {email}, no longer as {to}. It was changed on \
                 {at}.\n\nIf this was not you, ask another owner of {business}, or the operator of this service, \
                 at once."
            ),
        ),
        UserMessage::FactorChanged { is_on } => {
            let what = if *is_on { "added" } else { "removed" };
            (
                format!("A second factor for {business} was {what}"),
                format!("A second factor of {to} was {what} on {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::PasskeyChanged { name, is_added } => {
            let what = if *is_added { "added" } else { "removed" };
            (
                format!("A passkey for {business} was {what}"),
                format!("The passkey \"{name}\" of {to} was {what} on {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::ProviderChanged { issuer } => {
            let what = match issuer {
                Some(issuer) => format!("Users of {business} now sign in through {issuer}"),
                None => format!("Users of {business} no longer sign in through a provider"),
            };
            (
                format!("The sign-in provider of {business} was changed"),
                format!("{what}. It was changed on {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::WrongCodes => (
            format!("Wrong codes at a sign-in to {business}"),
            format!(
                "Someone gave the right password of {to}, and then wrong codes of the second factor, on {at}. \
                 Nobody was signed in.\n\n{if_not_you}"
            ),
        ),
        UserMessage::ErasurePlanned { location, erase_at } => {
            let what = location.as_deref().unwrap_or(business);
            (
                format!("{what} is going to be erased"),
                format!(
                    "On {at}, someone ordered that {what} is erased with everything of it. This happens on {}. \
                     Until then everything goes on, and an owner can take it back in the dashboard, on the page \
                     Privacy.\n\n{if_not_you}",
                    to_the_minute(*erase_at)
                ),
            )
        }
        UserMessage::TokenExpires {
            name,
            prefix,
            expires_at,
        } => (
            format!("The token \"{name}\" of {business} expires soon"),
            format!(
                "The token \"{name}\" ({prefix}…) of {business} expires on {}. The program that uses it is refused \
                 from then on.\n\nIf the program is still needed, create another token in the dashboard and enter it \
                 there in time:\n\n    {link}\n\nIf it is not, there is nothing to do.",
                to_the_minute(*expires_at)
            ),
        ),
    }
}

fn dutch(mail: &QueuedMail, link: &str, account: &str) -> (String, String) {
    let (business, to) = (&mail.business, &mail.to);
    let at = to_the_minute(mail.created_at);
    let if_not_you = format!(
        "Was u dit niet? Wijzig dan nu uw wachtwoord, beëindig alle andere sessies en verwijder elke passkey die niet van \
         u is:\n\n    {account}\n\nKunt u niet inloggen, vraag dan een andere eigenaar van {business} of de beheerder van deze dienst om hulp."
    );
    match &mail.message {
        UserMessage::Invitation { until } => (
            format!("Uw uitnodiging voor het dashboard van {business}"),
            format!(
                "U bent uitgenodigd voor het dashboard van {business}. Kies hier uw wachtwoord:\n\n    {link}\n\n\
                 De link werkt één keer, tot {}. U logt in als {to}.\n\n\
                 Kent u {business} niet? Dan kunt u dit bericht negeren.",
                to_the_minute(*until)
            ),
        ),
        UserMessage::ForgottenPassword { until } => (
            format!("Kies een nieuw wachtwoord voor {business}"),
            format!(
                "Iemand heeft om een nieuw wachtwoord gevraagd voor {to} bij {business}. Was u dat? Kies het dan \
                 hier:\n\n    {link}\n\nDe link werkt één keer, tot {}.\n\n\
                 Was u het niet? Dan kunt u dit bericht negeren: uw wachtwoord blijft zoals het is.",
                to_the_minute(*until)
            ),
        ),
        UserMessage::NewDevice { device, address } => (
            format!("Er is opnieuw ingelogd bij {business}"),
            format!(
                "{to} heeft ingelogd met een browser die nog niet bekend was.\n\n{}\n\n\
                 Was u dit? Dan hoeft u niets te doen. {if_not_you}",
                facts(
                    ["Tijd", "Browser", "Adres"],
                    &at,
                    device.as_deref(),
                    *address
                )
            ),
        ),
        UserMessage::PasswordChanged => (
            format!("Uw wachtwoord voor {business} is gewijzigd"),
            format!(
                "Het wachtwoord van {to} is gewijzigd op {at}. U bent overal elders uitgelogd.\n\n{if_not_you}"
            ),
        ),
        UserMessage::EmailChanged { email } => (
            format!("Uw e-mailadres voor {business} is gewijzigd"),
            format!(
                "Vanaf nu logt u bij {business} in als {email}, niet meer als {to}. Dit is gewijzigd op \
                 {at}.\n\nWas u dit niet? Vraag dan meteen een andere eigenaar van {business} of de beheerder van \
                 deze dienst om hulp."
            ),
        ),
        UserMessage::FactorChanged { is_on } => {
            let what = if *is_on { "toegevoegd" } else { "verwijderd" };
            (
                format!("Een tweede factor voor {business} is {what}"),
                format!("Een tweede factor van {to} is {what} op {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::PasskeyChanged { name, is_added } => {
            let what = if *is_added {
                "toegevoegd"
            } else {
                "verwijderd"
            };
            (
                format!("Een passkey voor {business} is {what}"),
                format!("De passkey \"{name}\" van {to} is {what} op {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::ProviderChanged { issuer } => {
            let what = match issuer {
                Some(issuer) => format!("Gebruikers van {business} loggen nu in via {issuer}"),
                None => format!("Gebruikers van {business} loggen niet meer in via een provider"),
            };
            (
                format!("De inlogprovider van {business} is gewijzigd"),
                format!("{what}. Dit is gewijzigd op {at}.\n\n{if_not_you}"),
            )
        }
        UserMessage::WrongCodes => (
            format!("Verkeerde codes bij het inloggen bij {business}"),
            format!(
                "Iemand gaf het juiste wachtwoord van {to}, en daarna verkeerde codes van de tweede factor, op \
                 {at}. Er is niemand ingelogd.\n\n{if_not_you}"
            ),
        ),
        UserMessage::ErasurePlanned { location, erase_at } => {
            let what = location.as_deref().unwrap_or(business);
            (
                format!("{what} wordt gewist"),
                format!(
                    "Op {at} is opdracht gegeven om {what} te wissen, met alles wat erbij hoort. Dit gebeurt op {}. \
                     Tot die tijd gaat alles door, en kan een eigenaar dit terugdraaien in het dashboard, op de \
                     pagina Privacy.\n\n{if_not_you}",
                    to_the_minute(*erase_at)
                ),
            )
        }
        UserMessage::TokenExpires {
            name,
            prefix,
            expires_at,
        } => (
            format!("Het token \"{name}\" van {business} verloopt binnenkort"),
            format!(
                "Het token \"{name}\" ({prefix}…) van {business} verloopt op {}. Het programma dat het gebruikt, \
                 wordt vanaf dan geweigerd.\n\nIs het programma nog nodig? Maak dan op tijd een nieuw token in het \
                 dashboard en vul dat in bij het programma:\n\n    {link}\n\nIs het niet meer nodig? Dan hoeft u \
                 niets te doen.",
                to_the_minute(*expires_at)
            ),
        ),
    }
}

/// The known facts of a sign-in, one per line.
fn facts(
    [time, browser, from]: [&str; 3],
    at: &str,
    device: Option<&str>,
    address: Option<std::net::IpAddr>,
) -> String {
    let device = device.map(|device| format!("\n    {browser}: {}", one_line(device)));
    let address = address.map(|address| format!("\n    {from}: {address}"));
    let [device, address] = [device, address].map(Option::unwrap_or_default);
    format!("    {time}: {at}{device}{address}")
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
