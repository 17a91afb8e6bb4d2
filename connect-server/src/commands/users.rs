//! Users: made, listed, changed, invited and removed.

use std::str::FromStr;

use clap::Subcommand;
use connect_core::{
    Account, Connect, Error, IssuedInvitation, Language, NewUser, Role, SignInStatus, User,
    UserChange, UserRole,
    wire::{Id, Timestamp},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ShownOnce,
    execution::{Execution, OfAccount, Shown, known, shown},
};
use crate::telemetry::audit::Action;

/// The note for a link made without a running server.
pub(super) const LINK_WITHOUT_SERVER: &str = "No server runs: put the address of its owner's \
     listener in front of the link, such as http://127.0.0.1:8081.";

/// A command about users: people with a sign-in to the dashboard.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UserCommand {
    /// Make a user of an account. `user invite` then lets the person in.
    Create {
        /// The account; needed if there are several.
        #[arg(long, value_name = "ID")]
        account: Option<Id<Account>>,
        /// The person's name, 1 to 100 characters.
        #[arg(long)]
        name: String,
        /// The e-mail address to sign in with.
        #[arg(long, value_name = "ADDRESS")]
        email: String,
        /// The language of pages and mail: en or nl.
        #[arg(long, value_parser = language, default_value = "en")]
        #[serde(default)]
        language: Language,
        /// The role: owner, manager, accountant or developer. With @LOCATION it holds at this
        /// location, and may be named again for others.
        #[arg(long = "role", value_name = "ROLE[@LOCATION]", value_parser = role, required = true)]
        roles: Vec<UserRole>,
    },
    /// List the users of all accounts.
    List,
    /// Change a user. What is not named stays as it is.
    #[command(group = clap::ArgGroup::new("changes").required(true).multiple(true))]
    Change {
        /// The user.
        id: Id<User>,
        /// The person's name, 1 to 100 characters.
        #[arg(long, group = "changes")]
        name: Option<String>,
        /// The e-mail address to sign in with.
        #[arg(long, value_name = "ADDRESS", group = "changes")]
        email: Option<String>,
        /// The language of pages and mail: en or nl.
        #[arg(long, value_parser = language, group = "changes")]
        language: Option<Language>,
        /// The roles instead of the present ones, each as ROLE or ROLE@LOCATION.
        #[arg(long = "role", value_name = "ROLE[@LOCATION]", value_parser = role, group = "changes")]
        #[serde(default)]
        roles: Vec<UserRole>,
    },
    /// Invite a user to the dashboard: print a link that sets the password, for the first time or
    /// anew. A link that was made before is refused from then on.
    Invite {
        /// The user.
        id: Id<User>,
    },
    /// Remove the second factor of a user who has neither the app, a recovery code nor a passkey. This removes
    /// the user's passkeys, and ends all sessions.
    ResetSecondFactor {
        /// The user.
        id: Id<User>,
    },
    /// Remove a user. The sessions end at once; the last owner stays.
    Remove {
        /// The user.
        id: Id<User>,
    },
}

fn language(text: &str) -> Result<Language, String> {
    let parsed = serde_json::from_value(text.into());
    parsed.map_err(|_| "must be en or nl".to_owned())
}

/// Reads a role and its place.
fn role(text: &str) -> Result<UserRole, String> {
    let (name, location) = match text.split_once('@') {
        Some((name, location)) => (name, Some(location)),
        None => (text, None),
    };
    let role = Role::named(name).ok_or("must be owner, manager, accountant or developer")?;
    let location_id = location.map(Id::from_str).transpose();
    let location_id = location_id.map_err(|_| "must have the id of a location after the @")?;
    Ok(UserRole { location_id, role })
}

/// A user as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    /// Its id.
    pub id: Id<User>,
    /// The account.
    pub account_id: Id<Account>,
    /// The person's name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The language of pages and mail.
    pub language: Language,
    /// The roles.
    pub roles: Vec<UserRole>,
    /// Set once the person has set a password.
    pub has_password: bool,
    /// Set for a person with a second factor.
    pub second_factor: bool,
    /// The end of an open invitation; `null` without one.
    pub invited_until: Option<Timestamp>,
}

/// An invitation as shown by commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationView {
    /// The address the user signs in with.
    pub email: String,
    /// The link, shown only once.
    /// Without a server it has the path alone.
    pub link: ShownOnce,
    /// Set if a message with the link is sent to the address.
    pub is_mailed: bool,
    /// The time of its expiry.
    pub expires_at: Timestamp,
}

impl OfAccount for User {
    const NAME: &'static str = "user";

    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error> {
        let account = connect.account(account).await?;
        Ok(account.users.iter().any(|user| user.id == id))
    }
}

/// Executes a command.
///
/// # Errors
/// There is no such account or user, a value is not allowed, or the roles of the person do not include it.
pub(super) async fn execute<'a>(
    command: &UserCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    let connect = to.connect;
    match command {
        UserCommand::List => {
            let mut all = Vec::new();
            for account in to.accounts().await? {
                let users = connect.users(account).await?.into_iter();
                all.extend(users.map(|(user, status)| view(account, user, &status)));
            }
            Ok(known(all))
        }
        UserCommand::Create {
            account,
            name,
            email,
            language,
            roles,
        } => {
            let account = to.new_in(Action::CreateUser, *account, &[]).await?;
            let new = NewUser {
                name: name.clone(),
                email: email.clone(),
                language: *language,
                roles: roles.clone(),
            };
            let user = connect.create_user(account, new).await?;
            to.subject.is(user.id);
            Ok(shown(views(connect, account, user.id)))
        }
        UserCommand::Change {
            id,
            name,
            email,
            language,
            roles,
        } => {
            let account = to.on(Action::ChangeUser, *id).await?;
            let change = UserChange {
                name: name.clone(),
                email: email.clone(),
                language: *language,
                roles: (!roles.is_empty()).then(|| roles.clone()),
            };
            connect.change_user(account, *id, change).await?;
            Ok(shown(views(connect, account, *id)))
        }
        UserCommand::Invite { id } => {
            let account = to.on(Action::InviteUser, *id).await?;
            let users = connect.users(account).await?.into_iter();
            let mut users = users.map(|(user, _)| user);
            let user = users.find(|user| user.id == *id);
            let user = user.ok_or_else(|| super::execution::missing(*id))?;
            invite(to, account, user).await
        }
        UserCommand::ResetSecondFactor { id } => {
            let account = to.on(Action::ResetSecondFactor, *id).await?;
            connect.reset_second_factor(account, *id).await?;
            Ok(shown(views(connect, account, *id)))
        }
        UserCommand::Remove { id } => {
            let account = to.on(Action::RemoveUser, *id).await?;
            connect.remove_user(account, *id).await?;
            Ok(known(Vec::<UserView>::new()))
        }
    }
}

/// Invites a user, and shows the link once.
pub(super) async fn invite<'a>(
    to: &mut Execution<'a>,
    account: Id<Account>,
    user: User,
) -> Result<Shown<'a>, Error> {
    to.subject.is(user.id);
    let invitation = to.connect.invite_user(account, user.id).await?;
    let path = invitation_path(&invitation);
    let link = ShownOnce::new(format!("{}{path}", to.owner_url.unwrap_or_default()));
    to.secret = Some(link.clone());
    Ok(known(InvitationView {
        email: user.email,
        link,
        is_mailed: invitation.mailed_to.is_some(),
        expires_at: invitation.expires_at,
    }))
}

/// Returns the path of the page to accept an invitation.
pub(crate) fn invitation_path(invitation: &IssuedInvitation) -> String {
    format!("/dashboard/invitations/{}", invitation.secret.expose())
}

/// Returns the note for a command executed without a running server.
pub(super) fn without_server(command: &UserCommand) -> Option<&'static str> {
    matches!(command, UserCommand::Invite { .. }).then_some(LINK_WITHOUT_SERVER)
}

async fn views(
    connect: &Connect,
    account: Id<Account>,
    id: Id<User>,
) -> Result<Vec<UserView>, Error> {
    let users = connect.users(account).await?.into_iter();
    let found = users.filter(|(user, _)| user.id == id);
    let found = found.map(|(user, status)| view(account, user, &status));
    Ok(found.collect())
}

fn view(account_id: Id<Account>, user: User, status: &SignInStatus) -> UserView {
    UserView {
        id: user.id,
        account_id,
        name: user.name,
        email: user.email,
        language: user.language,
        roles: user.roles,
        has_password: status.has_password,
        second_factor: user.second_factor,
        invited_until: status.invited_until,
    }
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &UserCommand, result: Value) -> serde_json::Result<String> {
    Ok(match command {
        UserCommand::Invite { .. } => invitation_text(result)?,
        UserCommand::Remove { id } => format!("{id} was removed."),
        UserCommand::Create { .. } => {
            let users: Vec<UserView> = serde_json::from_value(result)?;
            let next = |user: &UserView| {
                let id = user.id;
                format!(
                    "{}\nNext: `connect-server user invite {id}` lets the person in.",
                    line(user)
                )
            };
            users.iter().map(next).collect()
        }
        UserCommand::List | UserCommand::Change { .. } | UserCommand::ResetSecondFactor { .. } => {
            let users: Vec<UserView> = serde_json::from_value(result)?;
            if users.is_empty() {
                return Ok(
                    "There are no users. `connect-server account create` makes an account with one."
                        .to_owned(),
                );
            }
            let lines: Vec<_> = users.iter().map(line).collect();
            lines.join("\n")
        }
    })
}

/// Returns an invitation as text.
///
/// # Errors
/// It is none.
pub(super) fn invitation_text(result: Value) -> serde_json::Result<String> {
    let view: InvitationView = serde_json::from_value(result)?;
    let (email, link, until) = (view.email, view.link.expose(), view.expires_at);
    let begin = match view.is_mailed {
        true => format!("A message with this link is sent to {email}."),
        false => format!("Send this link to {email}."),
    };
    Ok(format!(
        "{begin} It is good until {until}, and for one use.\n{link}"
    ))
}

fn line(user: &UserView) -> String {
    let role = |of: &UserRole| match of.location_id {
        Some(location) => format!("{} at {location}", of.role.name()),
        None => of.role.name().to_owned(),
    };
    let roles: Vec<_> = user.roles.iter().map(role).collect();
    let state = match (user.has_password, user.invited_until) {
        (_, Some(until)) => format!("  invited until {until}"),
        (false, None) => "  not invited".to_owned(),
        (true, None) => String::new(),
    };
    let factor = if user.second_factor {
        "  with second factor"
    } else {
        ""
    };
    let (id, account, name, email) = (user.id, user.account_id, &user.name, &user.email);
    format!(
        "{id}  of {account}  {name}  {email}  {}{factor}{state}",
        roles.join(", ")
    )
}
