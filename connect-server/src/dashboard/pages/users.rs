//! Users: the people of an account, their roles and invitations.

use std::borrow::Cow;

use connect_core::{
    AccountLocation, Error, Language, Reason, Role, SignInStatus, User, UserRole, wire::Timestamp,
};
use maud::{Markup, html};

use crate::{
    commands::users::UserCommand,
    dashboard::{
        Answer, components,
        inputs::{self, Field},
        layout,
        messages::{self, dates},
        notices::{self, Notice},
        page_request::SignedIn,
        pages::activity::changes_line,
        table::{self, Cell, Column, Table, Value},
    },
};

const PATH: &str = "/dashboard/users";

/// The field with the role for the whole account.
const ROLE: &str = "role";

/// The roles, in the order of the choice.
const ROLES: [Role; 4] = [
    Role::Owner,
    Role::Manager,
    Role::Accountant,
    Role::Developer,
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
            @if to.connect.queues_mail() { (text!("users-invited-by-mail")) }
            @else { (text!("users-invited-by-hand")) }
        }
        (components::shown_once(&text!("users-link"), done.secret.as_ref()))
        p { a href=(PATH) { (text!("users-back")) } }
    };
    Ok(layout::page(
        to,
        PATH,
        &text!("users-invitation-made"),
        content,
    ))
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
    let found = messages::of_tag(to.form.get("language"));
    found.ok_or_else(|| Reason::of("language", text!("word-must-be-chosen")))
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
                let unknown = || Reason::of("roles", text!("word-must-be-chosen"));
                let role = Role::named(chosen).ok_or_else(unknown)?;
                roles.push(UserRole { location_id, role });
            }
        }
    }
    match roles.is_empty() {
        true => Err(Reason::of("roles", text!("users-role-must-be-chosen"))),
        false => Ok(roles),
    }
}

/// The name of the field with the role at a location.
fn role_at(location: impl std::fmt::Display) -> String {
    format!("{ROLE}-{location}")
}

async fn page(to: &SignedIn<'_>, reason: Option<&Reason>) -> Result<Answer, Error> {
    let users = to.connect.users(to.account().id).await?;
    let table = table(to, &users);
    if table::is_file(to) {
        return Ok(table.file(to, "users").await);
    }
    let typed = Typed {
        name: to.form.get("name"),
        email: to.form.get("email"),
        language: to.form.get("language"),
        roles: None,
    };
    let content = html! {
        p.hint { (text!("users-explained")) }
        (table.render(to))
        h2 { (text!("users-add")) }
        (components::form(PATH, &to.csrf, fields(to, &typed, &text!("users-add"), reason)))
    };
    Ok(layout::page(to, PATH, &text!("section-users"), content))
}

fn table(to: &SignedIn<'_>, users: &[(User, SignInStatus)]) -> Table {
    let columns = [
        Column::text("name", text!("word-name")),
        Column::text("email", text!("word-email")),
        Column::text("role", text!("users-role")),
        Column::text("sign-in", text!("users-sign-in")),
    ];
    let plain = |time| html! { (dates::date_time(time)) };
    let mut table = Table::new(PATH, text!("section-users"), columns);
    for (user, status) in users {
        table.add([
            Cell::link(&format!("{PATH}/{}", user.id), &*user.name),
            Cell::text(&*user.email),
            Cell::text(words(to, user)),
            Cell::of(
                sign_in(user, status, components::time),
                Value::Text(sign_in(user, status, plain).into_string()),
            ),
        ]);
    }
    table
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
        language: value("language", messages::tag(user.language)),
        roles: (!is_typed).then_some(&user.roles[..]),
    };
    let path = format!("{PATH}/{id}");
    let (invite, invite_hint) = match status.has_password {
        true => (
            text!("users-reset-password"),
            text!("users-reset-password-hint"),
        ),
        false => (text!("users-invite"), text!("users-invite-hint")),
    };
    let content = html! {
        p.hint { (state(&status, components::time)) }
        (components::form(&path, &to.csrf, fields(to, &typed, &text!("word-save"), refused)))
        h2 { (text!("field-invitation")) }
        p.hint { (invite_hint) }
        (components::form(&format!("{path}/invite"), &to.csrf, html! { button.quiet { (invite) } }))
        @if user.second_factor {
            h2 { (text!("second-factor-title")) }
            p.hint { (text!("users-reset-factor-hint")) }
            (components::confirmed(
                &text!("users-reset-factor-full", name = user.name.as_str()),
                &text!("users-reset-factor"),
                &text!("users-reset-factor-consequence"),
                components::form(
                    &format!("{path}/reset-second-factor"),
                    &to.csrf,
                    html! { button.danger { (text!("second-factor-remove")) } },
                ),
            ))
        }
        h2 { (text!("account-remove-heading")) }
        (components::confirmed(
            &text!("word-remove-open-of", name = user.name.as_str()),
            &text!("word-remove-open"),
            &text!("users-remove-consequence"),
            components::form(
                &format!("{path}/remove"),
                &to.csrf,
                html! { button.danger { (text!("word-remove-of", name = user.name.as_str())) } },
            ),
        ))
        (changes_line(to, user.id, &user.name))
        p { a href=(PATH) { (text!("users-back")) } }
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
        label: text!("word-name"),
        name: "name",
        kind: "text",
        value: typed.name,
        hint: Cow::default(),
        autocomplete: "off",
    };
    let email = Field {
        label: text!("word-email"),
        name: "email",
        kind: "email",
        value: typed.email,
        hint: text!("users-email-hint"),
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
        let none = match id {
            Some(_) => text!("users-no-role"),
            None => text!("users-by-location"),
        };
        let label = match location {
            Some(at) => Cow::Borrowed(&*at.name),
            None => text!("users-role-in-account"),
        };
        let roles = ROLES
            .iter()
            .filter(|role| id.is_none() || **role != Role::Owner);
        let roles = roles.map(|role| (role.name(), explained(*role)));
        inputs::choice(
            &label,
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
                legend { (text!("users-roles-at-locations")) }
                @for location in &to.account().locations { (role(Some(location))) }
            }
        }
        button { (button) }
    }
}

/// The choice of a language.
pub(super) fn languages(chosen: &str, refused: Option<&Reason>) -> Markup {
    let languages =
        messages::LANGUAGES.map(|(language, tag, _)| (tag, messages::name_of(language)));
    let languages = languages.iter().map(|(tag, name)| (*tag, &**name));
    inputs::choice(
        &text!("field-language"),
        "language",
        languages,
        chosen,
        refused,
    )
}

/// A role for the choice, with what it includes.
fn explained(role: Role) -> Cow<'static, str> {
    match role {
        Role::Owner => text!("users-owner-explained"),
        Role::Manager => text!("users-manager-explained"),
        Role::Accountant => text!("users-accountant-explained"),
        Role::Developer => text!("users-developer-explained"),
    }
}

/// The name of a role, within a list.
pub(super) fn name_of(role: Role) -> Cow<'static, str> {
    match role {
        Role::Owner => text!("users-owner"),
        Role::Manager => text!("users-manager"),
        Role::Accountant => text!("users-accountant"),
        Role::Developer => text!("users-developer"),
    }
}

/// The roles of a user, in words.
fn words(to: &SignedIn<'_>, user: &User) -> String {
    let role = |of: &UserRole| {
        let mut locations = to.account().locations.iter();
        let role = name_of(of.role);
        match locations.find(|at| Some(at.id) == of.location_id) {
            Some(at) => text!("users-role-at", role = role, location = at.name.as_str()),
            None => role,
        }
    };
    let roles: Vec<_> = user.roles.iter().map(role).collect();
    components::sentence(&roles.join(", "))
        .trim_end_matches('.')
        .to_owned()
}

/// The state of the sign-in and of the second factor.
fn sign_in(user: &User, status: &SignInStatus, time: fn(Timestamp) -> Markup) -> Markup {
    html! {
        @if user.second_factor {
            (marked!("users-with-second-factor", state = |_: &str| state(status, time)))
        } @else { (state(status, time)) }
    }
}

/// The state of the sign-in, with times shown by `time`.
fn state(status: &SignInStatus, time: fn(Timestamp) -> Markup) -> Markup {
    html! {
        @match (status.has_password, status.invited_until) {
            (_, Some(until)) => {
                (marked!("users-invited-until", time = |_: &str| time(until)))
            }
            (true, None) => (text!("users-has-password")),
            (false, None) => (text!("users-not-invited")),
        }
    }
}
