//! Users: the people of an account, their roles and invitations.

use connect_core::{AccountLocation, Error, Language, Reason, Role, SignInStatus, User, UserRole};
use maud::{Markup, html};

use crate::{
    commands::users::UserCommand,
    dashboard::{
        Answer, components,
        inputs::{self, Field},
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

const PATH: &str = "/dashboard/users";

/// The field with the role for the whole account.
const ROLE: &str = "role";

/// The roles with their labels.
const ROLES: [(Role, &str); 4] = [
    (Role::Owner, "Owner: everything, with users and the account"),
    (
        Role::Manager,
        "Manager: everything but users and the account",
    ),
    (
        Role::Accountant,
        "Accountant: reads sales, catalog and stock",
    ),
    (
        Role::Developer,
        "Developer: webhooks, and tokens with any scope",
    ),
];

const LANGUAGES: [(Language, &str, &str); 2] = [
    (Language::En, "en", "English"),
    (Language::Nl, "nl", "Nederlands"),
];

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Makes a user.
pub(super) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let made = match (language(to), roles(to)) {
        (Ok(language), Ok(roles)) => {
            let command = UserCommand::Create {
                account: None,
                name: to.form.get("name").to_owned(),
                email: to.form.get("email").to_owned(),
                language,
                roles,
            };
            to.execute(command).await
        }
        (Err(reason), _) | (_, Err(reason)) => Err(Error::Invalid(reason)),
    };
    match made {
        Ok(done) => {
            let id = done.subject.object.unwrap_or_default();
            let made = notices::at(&format!("{PATH}/{id}"), Notice::UserMade);
            Ok(Answer::redirect(&made).made(done.subject))
        }
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Shows a user, with the form to change it.
pub(super) async fn show(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    one(to, id, None).await
}

/// Changes a user.
pub(super) async fn change(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let changed = match (language(to), roles(to)) {
        (Ok(language), Ok(roles)) => {
            let command = UserCommand::Change {
                id: components::id(id)?,
                name: Some(to.form.get("name").to_owned()),
                email: Some(to.form.get("email").to_owned()),
                language: Some(language),
                roles,
            };
            to.execute(command).await.map(|_| ())
        }
        (Err(reason), _) | (_, Err(reason)) => Err(Error::Invalid(reason)),
    };
    match changed {
        Ok(()) => Ok(Answer::redirect(&notices::at(PATH, Notice::UserChanged))),
        Err(error) => {
            components::again(error, async |reason| one(to, id, Some(reason)).await).await
        }
    }
}

/// Invites a user, and shows the link once.
pub(super) async fn invite(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let done = to.execute(UserCommand::Invite { id }).await?;
    let content = html! {
        p {
            @if to.connect.queues_mail() { "A message with this link is on its way to the person." }
            @else { "Send this link to the person." }
            " It sets the password, is good for three days and for one use, and replaces an earlier one."
        }
        (components::shown_once("Link", done.secret.as_ref()))
        p { a href=(PATH) { "Back to the users" } }
    };
    Ok(layout::page(to, PATH, "Invitation made", content))
}

/// Removes the second factor of a user.
pub(super) async fn reset_second_factor(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let command = UserCommand::ResetSecondFactor {
        id: components::id(id)?,
    };
    match to.execute(command).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(
            PATH,
            Notice::SecondFactorReset,
        ))),
        Err(error) => {
            components::again(error, async |reason| one(to, id, Some(reason)).await).await
        }
    }
}

/// Removes a user.
pub(super) async fn remove(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let command = UserCommand::Remove {
        id: components::id(id)?,
    };
    match to.execute(command).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::UserRemoved))),
        Err(error) => {
            components::again(error, async |reason| one(to, id, Some(reason)).await).await
        }
    }
}

/// Reads the language in the form.
pub(super) fn language(to: &SignedIn<'_>) -> Result<Language, Reason> {
    let found = LANGUAGES
        .iter()
        .find(|(_, value, _)| *value == to.form.get("language"));
    let found = found.map(|(language, ..)| *language);
    found.ok_or_else(|| Reason::of("language", "must be chosen"))
}

/// Reads the roles in the form: for the account, and for locations.
fn roles(to: &SignedIn<'_>) -> Result<Vec<UserRole>, Reason> {
    let locations = to
        .account()
        .locations
        .iter()
        .map(|location| Some(location.id));
    let mut roles = Vec::new();
    for location_id in [None].into_iter().chain(locations) {
        let name = match location_id {
            None => ROLE.to_owned(),
            Some(id) => role_at(id),
        };
        match to.form.get(&name) {
            "" => {}
            chosen => {
                let role =
                    Role::named(chosen).ok_or_else(|| Reason::of("roles", "must be chosen"))?;
                roles.push(UserRole { location_id, role });
            }
        }
    }
    match roles.is_empty() {
        true => Err(Reason::of(
            "roles",
            "must be chosen: one for the account, or for a location",
        )),
        false => Ok(roles),
    }
}

/// The name of the field with the role at a location.
fn role_at(location: impl std::fmt::Display) -> String {
    format!("{ROLE}-{location}")
}

async fn page(to: &SignedIn<'_>, reason: Option<&Reason>) -> Result<Answer, Error> {
    let users = to.connect.users(to.account().id).await?;
    let head = html! { th { "Name" } th { "E-mail address" } th { "Role" } th { "Sign-in" } };
    let rows = html! {
        @for (user, status) in &users {
            tr {
                td { a href={ (PATH) "/" (user.id) } { (user.name) } }
                td { (user.email) }
                td { (words(to, user)) }
                td { (state(status)) @if user.second_factor { ", second factor" } }
            }
        }
    };
    let typed = Typed {
        name: to.form.get("name"),
        email: to.form.get("email"),
        language: to.form.get("language"),
        roles: None,
    };
    let content = html! {
        p.hint {
            "Each person signs in with an e-mail address and a password of the own, and sees and does what \
             the role includes."
        }
        (components::table("Users", head, rows))
        h2 { "Add user" }
        (components::form(PATH, &to.csrf, fields(to, &typed, "Add user", reason)))
    };
    Ok(layout::page(to, PATH, "Users", content))
}

/// The page of one user.
async fn one(to: &SignedIn<'_>, id: &str, refused: Option<&Reason>) -> Result<Answer, Error> {
    let users = to.connect.users(to.account().id).await?.into_iter();
    let mut users = users.filter(|(user, _)| user.id.to_string() == id);
    let (user, status) = users.next().ok_or_else(components::gone)?;
    let is_typed = refused.is_some() && to.form.has_field("language");
    let value = |name, stored| if is_typed { to.form.get(name) } else { stored };
    let typed = Typed {
        name: value("name", &user.name),
        email: value("email", &user.email),
        language: value("language", tag(user.language)),
        roles: (!is_typed).then_some(&user.roles[..]),
    };
    let path = format!("{PATH}/{id}");
    let (invite, invite_hint) = match status.has_password {
        true => (
            "Reset password",
            "The link sets another password, and ends all sessions of this user.",
        ),
        false => ("Invite", "The link sets the password."),
    };
    let content = html! {
        p.hint { (state(&status)) }
        (components::form(&path, &to.csrf, fields(to, &typed, "Save", refused)))
        h2 { "Invitation" }
        p.hint { (invite_hint) }
        (components::form(&format!("{path}/invite"), &to.csrf, html! { button.quiet { (invite) } }))
        @if user.second_factor {
            h2 { "Second factor" }
            p.hint { "For a person who has neither the app, a recovery code nor a passkey." }
            (components::confirmed(
                &format!("Remove… the second factor of {}", user.name),
                "Remove the second factor…",
                "The password alone then signs this user in: passkeys are removed as well. All sessions of this user end at once.",
                components::form(
                    &format!("{path}/reset-second-factor"),
                    &to.csrf,
                    html! { button.danger { "Remove the second factor" } },
                ),
            ))
        }
        h2 { "Remove" }
        (components::confirmed(
            &format!("Remove… {}", user.name),
            "Remove…",
            "All sessions of this user end at once. This cannot be undone.",
            components::form(
                &format!("{path}/remove"),
                &to.csrf,
                html! { button.danger { "Remove " (user.name) } },
            ),
        ))
        p { a href=(PATH) { "Back to the users" } }
    };
    Ok(layout::page(to, PATH, &user.name, content))
}

/// The values of a form's fields. Without roles, those sent.
struct Typed<'t> {
    name: &'t str,
    email: &'t str,
    language: &'t str,
    roles: Option<&'t [UserRole]>,
}

fn fields(to: &SignedIn<'_>, typed: &Typed<'_>, button: &str, refused: Option<&Reason>) -> Markup {
    let name = Field {
        label: "Name",
        name: "name",
        kind: "text",
        value: typed.name,
        hint: "",
        autocomplete: "off",
    };
    let email = Field {
        label: "E-mail address",
        name: "email",
        kind: "email",
        value: typed.email,
        hint: "The user signs in with it.",
        autocomplete: "off",
    };
    let role = |location: Option<&AccountLocation>| {
        let id = location.map(|at| at.id);
        let name = id.map_or_else(|| ROLE.to_owned(), role_at);
        let stored = typed.roles.map(|roles| {
            let found = roles.iter().find(|of| of.location_id == id);
            found.map_or("", |of| of.role.name())
        });
        let chosen = stored.unwrap_or_else(|| to.form.get(&name)).to_owned();
        let none = if id.is_some() { "None" } else { "By location" };
        let label = location.map_or("Role in the whole account", |at| &at.name);
        let roles = ROLES
            .iter()
            .filter(|(role, _)| id.is_none() || *role != Role::Owner);
        let roles = roles.map(|(role, words)| (role.name(), *words));
        inputs::choice(
            label,
            &name,
            [("", none)].into_iter().chain(roles),
            &chosen,
            None,
        )
    };
    html! {
        (components::problem(refused, &["name", "email", "language"]))
        (name.render(refused))
        (email.render(refused))
        (languages(typed.language, refused))
        (role(None))
        @if !to.account().locations.is_empty() {
            fieldset {
                legend { "Or a role at single locations" }
                @for location in &to.account().locations { (role(Some(location))) }
            }
        }
        button { (button) }
    }
}

/// The choice of a language.
pub(super) fn languages(chosen: &str, refused: Option<&Reason>) -> Markup {
    let languages = LANGUAGES.iter().map(|(_, value, words)| (*value, *words));
    inputs::choice("Language", "language", languages, chosen, refused)
}

/// The roles of a user, in words.
fn words(to: &SignedIn<'_>, user: &User) -> String {
    let role = |of: &UserRole| {
        let mut locations = to.account().locations.iter();
        let name = of.role.name();
        match locations.find(|at| Some(at.id) == of.location_id) {
            Some(at) => format!("{name} at {}", at.name),
            None => name.to_owned(),
        }
    };
    let roles: Vec<_> = user.roles.iter().map(role).collect();
    components::sentence(&roles.join(", "))
        .trim_end_matches('.')
        .to_owned()
}

fn state(status: &SignInStatus) -> Markup {
    html! {
        @match (status.has_password, status.invited_until) {
            (_, Some(until)) => { "Invited until " (components::time(until)) }
            (true, None) => "Has a password",
            (false, None) => "Not invited yet",
        }
    }
}

/// The language in the form's values.
pub(super) fn tag(language: Language) -> &'static str {
    let found = LANGUAGES.iter().find(|(other, ..)| *other == language);
    found.map_or("", |(_, value, _)| value)
}
