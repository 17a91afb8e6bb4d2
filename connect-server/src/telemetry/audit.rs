//! The audit lines of the log.
//!
//! Each action of a user or an operator has one line, done or refused. Only this module writes them. No line
//! contains a secret or typed text: the identifiers of the account, the person and the object come from the
//! store.

use std::net::IpAddr;

use connect_core::{Account, Connect, Error, Origin, wire::Id};
use http::{HeaderMap, StatusCode};
use uuid::Uuid;

/// The target of audit lines, for `RUST_LOG` to keep them.
pub(crate) const AUDIT: &str = "connect_server::audit";

/// Makes the enum of actions, with their names and their list.
macro_rules! actions {
    ($($(#[$doc:meta])* $action:ident = $name:literal,)*) => {
        /// An action of a user or an operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Action {
            $($(#[$doc])* $action,)*
        }

        impl Action {
            /// All actions.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$action),*];

            /// The name in the log.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$action => $name,)*
                }
            }
        }
    };
}

actions! {
    /// A user signs in.
    SignIn = "user.sign_in",
    /// A user ends a sign-in with a code of the second factor.
    SignInCode = "user.sign_in_code",
    /// A user signs in with a passkey.
    SignInByPasskey = "user.sign_in_by_passkey",
    /// A user begins, adds or removes a passkey.
    ChangePasskeys = "user.change_passkeys",
    /// A user signs in through the provider of the account.
    SignInThroughProvider = "user.sign_in_through_provider",
    /// The OpenID Connect provider of an account is set or removed.
    ChangeProvider = "account.change_provider",
    /// A visitor asks for a link to set another password.
    ForgetPassword = "user.forget_password",
    /// A user begins, adds or removes the own second factor, or gets other recovery codes.
    ChangeSecondFactor = "user.change_second_factor",
    /// A user loses the second factor, by an owner or the operator.
    ResetSecondFactor = "user.reset_second_factor",
    /// A user signs out.
    SignOut = "user.sign_out",
    /// A user sets a password by an invitation.
    AcceptInvitation = "user.accept_invitation",
    /// A user signs in with another e-mail address from then on.
    ChangeEmail = "user.change_email",
    /// A user sets another password.
    ChangePassword = "user.change_password",
    /// A user ends other sessions.
    EndSession = "user.end_session",
    /// A user is made.
    CreateUser = "user.create",
    /// A user gets another name, address, language or role.
    ChangeUser = "user.change",
    /// A user is invited to set a password.
    InviteUser = "user.invite",
    /// A user is removed.
    RemoveUser = "user.remove",
    /// A request with a wrong key, or unreadable.
    OperatorRequest = "operator.request",
    /// An account is made.
    CreateAccount = "account.create",
    /// An account gets another name, or other demands on signing in.
    ChangeAccount = "account.change",
    /// Everything of an account is exported.
    ExportAccount = "account.export",
    /// The erasure of an account is planned.
    EraseAccount = "account.erase",
    /// The erasure of an account is taken back.
    KeepAccount = "account.keep",
    /// An account gets other times to keep personal data.
    ChangeRetention = "account.retention",
    /// The erasure of a location is planned.
    EraseLocation = "location.erase",
    /// The erasure of a location is taken back.
    KeepLocation = "location.keep",
    /// The name of a person is blanked at a location.
    BlankPerson = "location.blank",
    /// A location is made.
    CreateLocation = "location.create",
    /// A location gets another name or VAT rate.
    ChangeLocation = "location.change",
    /// Locations and screens get other names.
    ChangeNames = "names.change",
    /// A screen is made, with or without a key.
    CreateScreen = "screen.create",
    /// A screen gets a new key.
    RollScreenKey = "screen.roll",
    /// The key of a screen is taken away.
    RevokeScreenKey = "screen.revoke",
    /// A screen gets another name.
    ChangeScreen = "screen.change",
    /// A screen is deleted.
    DeleteScreen = "screen.delete",
    /// A token is made.
    CreateToken = "token.create",
    /// A token is revoked.
    RevokeToken = "token.revoke",
    /// A webhook is made.
    CreateWebhook = "webhook.create",
    /// A webhook gets another address, other events or other locations.
    ChangeWebhook = "webhook.change",
    /// A webhook is sent a `ping`.
    TestWebhook = "webhook.test",
    /// A webhook gets a new secret.
    RollWebhookSecret = "webhook.roll",
    /// A webhook is switched on.
    EnableWebhook = "webhook.enable",
    /// A webhook is switched off.
    DisableWebhook = "webhook.disable",
    /// A webhook is deleted.
    DeleteWebhook = "webhook.delete",
    /// Deliveries of a webhook are sent again.
    ResendDeliveries = "webhook.resend",
    /// Products are made, changed, deleted or changed back, one or in bulk.
    ChangeProducts = "products.change",
    /// The effect of a change of prices is looked at.
    PreviewPrices = "products.preview_prices",
    /// A file of products is read, without changes.
    CheckImport = "products.check_import",
    /// Products are created and changed by a file.
    ImportProducts = "products.import",
    /// Stock is counted, or a delivery or a correction is entered.
    ChangeStock = "stock.change",
    /// The minimum of a product's stock is set or removed.
    SetStockMinimum = "stock.minimum",
    /// A backup of the whole store is begun.
    BackUpStore = "store.backup",
    /// The whole store is written into a file.
    ExportStore = "store.export",
    /// A store is filled from an export.
    ImportStore = "store.import",
    /// A store is made from a backup.
    RestoreStore = "store.restore",
    /// A damaged store is repaired.
    RepairStore = "store.repair",
    /// A restored store becomes the one in use.
    DeliverFromStore = "store.deliver",
    /// The file of keys for stored secrets gets a new one.
    RotateSecretKeys = "secrets.rotate",
    /// The time of the machine is trusted against that of the store.
    TrustClock = "clock.trust",
    /// The sandbox simulates something, or its clock is put ahead.
    UseSandbox = "sandbox.use",
}

impl Action {
    /// The object and the action, for the trail: both parts of the name.
    pub(crate) fn parts(self) -> (&'static str, &'static str) {
        self.name()
            .split_once('.')
            .unwrap_or(("store", self.name()))
    }
}

/// The account and the object of an action, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The account.
    pub(crate) account: Option<Uuid>,
    /// The token, the webhook, the screen, the location or the product.
    pub(crate) object: Option<Uuid>,
}

impl Subject {
    /// Notes the account.
    pub(crate) fn is_of(&mut self, account: Id<Account>) {
        self.account = Some(account.uuid());
    }

    /// Notes the object.
    pub(crate) fn is<T>(&mut self, object: Id<T>) {
        self.object = Some(object.uuid());
    }
}

/// The person behind an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    /// The user with this e-mail address, signed in.
    User(String),
    /// The operator, with the user name on the machine if known.
    Operator(Option<String>),
    /// A person without proof of identity.
    Unknown,
}

/// The origin of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ActionOrigin<'a> {
    /// By a request to this server.
    Request {
        /// The network address of its client.
        client: IpAddr,
        /// Its headers, with its id.
        headers: &'a HeaderMap,
    },
    /// By the command line, with the store opened by itself.
    CommandLine,
}

impl ActionOrigin<'_> {
    /// The origin in an entry of the trail.
    pub(crate) fn origin(self) -> Origin {
        match self {
            Self::Request { client, headers } => {
                let id = headers.get("x-request-id").and_then(|id| id.to_str().ok());
                Origin {
                    address: Some(client),
                    request_id: id.map(str::to_owned),
                    ..Origin::default()
                }
            }
            Self::CommandLine => Origin::default(),
        }
    }
}

/// Writes the line of an action with the status of its answer.
pub(crate) fn write(
    asked: ActionOrigin<'_>,
    action: Action,
    person: &Person,
    subject: Subject,
    status: StatusCode,
) {
    let outcome = match status.as_u16() {
        ..400 => "done",
        400..500 => "refused",
        _ => "failed",
    };
    let person = match person {
        Person::User(email) => format!("user {email}"),
        Person::Operator(Some(name)) => format!("operator {name}"),
        Person::Operator(None) => "operator".to_owned(),
        Person::Unknown => "unknown".to_owned(),
    };
    let text = |id: Option<Uuid>| id.map(|id| id.to_string());
    let (account, object) = (text(subject.account), text(subject.object));
    let (client, request_id) = match asked {
        ActionOrigin::Request { client, headers } => {
            let id = headers.get("x-request-id");
            (Some(client.to_string()), id.and_then(|id| id.to_str().ok()))
        }
        ActionOrigin::CommandLine => (None, None),
    };
    tracing::info!(
        target: AUDIT,
        action = action.name(),
        outcome,
        status = status.as_u16(),
        account = account.as_deref(),
        person,
        object = object.as_deref(),
        client = client.as_deref(),
        request_id,
        "audit"
    );
}

/// Finds the account of a user's e-mail address, for failed sign-ins.
///
/// The address itself is in no line: people type passwords into its field.
pub(crate) async fn account_of_email(connect: &Connect, email: &str) -> Subject {
    let found = connect.user_of_email(email).await.ok().flatten();
    Subject {
        account: found.map(|(account, _)| account.uuid()),
        object: found.map(|(_, user)| user.uuid()),
    }
}

/// The status of a result.
pub(crate) fn status_of_result<T>(result: &Result<T, Error>) -> StatusCode {
    result.as_ref().map_or_else(status_of, |_| StatusCode::OK)
}

/// The status of an error.
pub(crate) fn status_of(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use http::HeaderValue;

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    #[test]
    fn a_line_names_account_person_action_and_object() {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", HeaderValue::from_static("r-1"));
        let asked = ActionOrigin::Request {
            client: Ipv4Addr::LOCALHOST.into(),
            headers: &headers,
        };
        let subject = Subject {
            account: Some(Uuid::from_u128(1)),
            object: Some(Uuid::from_u128(2)),
        };
        let log = CapturedLog::default();
        let listening = log.listen();
        let owner = Person::User("noor@rye.example".to_owned());
        write(asked, Action::CreateToken, &owner, subject, StatusCode::OK);
        let nobody = Subject::default();
        let unknown = Person::Unknown;
        write(
            asked,
            Action::SignIn,
            &unknown,
            nobody,
            StatusCode::UNAUTHORIZED,
        );
        let root = Person::Operator(Some("root".to_owned()));
        let failed = StatusCode::SERVICE_UNAVAILABLE;
        write(
            ActionOrigin::CommandLine,
            Action::CreateAccount,
            &root,
            nobody,
            failed,
        );
        drop(listening);
        let text = log.text();
        let lines: Vec<_> = text.lines().collect();
        for (line, words) in lines.iter().zip([
            &[
                "connect_server::audit: audit",
                "action=\"token.create\" outcome=\"done\" status=200",
                "account=\"00000000-0000-0000-0000-000000000001\"",
                "person=\"user noor@rye.example\"",
                "object=\"00000000-0000-0000-0000-000000000002\"",
                "client=\"127.0.0.1\" request_id=\"r-1\"",
            ][..],
            &["outcome=\"refused\" status=401 person=\"unknown\" client="],
            &["outcome=\"failed\" status=503 person=\"operator root\""],
        ]) {
            for word in words {
                assert!(line.contains(word), "{word}: {line}");
            }
        }
        assert!(!lines[2].contains("client") && !lines[2].contains("request_id"));
        assert_eq!(lines.len(), 3, "{text}");
    }

    #[test]
    fn the_guide_names_every_action() {
        let guide = include_str!("../../../docs/monitoring.md");
        for action in Action::ALL {
            let name = format!("`{}`", action.name());
            assert!(
                guide.contains(&name),
                "docs/monitoring.md does not name {name}"
            );
        }
    }
}
