//! A request to the dashboard, and its sender.

use std::{net::IpAddr, ops::Deref, sync::Arc};

use connect_core::{
    AWAITING_SECONDS, Account, AccountLocation, Author, BrowserCookie, Connect, Denied, Error,
    IssuedSession, Origin, Reason, SESSION_SECONDS, Screen, User, UserRight, UserSession,
    wire::{Id, Location},
};
use http::{HeaderMap, HeaderName, Method, StatusCode, header::USER_AGENT};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Answer, FormFields, IdempotentForms,
    cookies::Cookie,
    csrf::{self, FormTokens},
};
use crate::{
    commands::{Authority, Execution, OwnerCommand},
    sandbox::Sandbox,
    telemetry::audit::{self, Action, Person, Subject},
    workers::providers::ProviderClient,
};

/// The name of the field with the location of a page.
pub(super) const AT: &str = "at";

/// The name of the field with the cursor of a list.
pub(super) const CURSOR: &str = "cursor";

/// The lifetime of the visitor cookie: one day.
const VISITOR_SECONDS: i64 = 24 * 3600;

/// The lifetime of the browser cookie: 400 days, the most of browsers.
const BROWSER_SECONDS: i64 = 400 * 24 * 3600;

/// The service around the core, as seen by the pages.
#[derive(Clone)]
pub(crate) struct DashboardContext {
    /// The address of the API, such as `https://connect.example.com/v1`.
    pub(crate) api_url: Arc<str>,
    /// The address of the dashboard for owners, without a path.
    pub(crate) owner_url: Arc<str>,
    /// The simulation of shops; only in the demo.
    pub(crate) sandbox: Option<Sandbox>,
    /// Signs users in through the providers of accounts; only in a server.
    pub(crate) providers: Option<ProviderClient>,
    /// Forms already sent, for actions done only once.
    pub(crate) used: IdempotentForms,
}

/// A request to the dashboard.
pub(crate) struct PageRequest {
    pub(crate) connect: Connect,
    pub(crate) context: DashboardContext,
    pub(crate) method: Method,
    /// The whole path.
    pub(crate) path: String,
    pub(crate) query: FormFields,
    /// The fields of the form; empty for GET.
    pub(crate) form: FormFields,
    /// Set for a form with a file too large to be read.
    /// It is answered with its page and the problem.
    pub(crate) has_too_large_file: bool,
    pub(crate) headers: HeaderMap,
    /// The host and port named by the request; empty if missing.
    pub(crate) host: String,
    /// The IP address of the client.
    pub(crate) address: IpAddr,
    /// Set when the browser's connection is encrypted.
    pub(crate) tls: bool,
}

impl PageRequest {
    /// The parts of the path below the dashboard.
    pub(super) fn segments(&self) -> Vec<&str> {
        segments(&self.path)
    }

    /// Writes an audit line for a form, done or refused.
    pub(super) fn audit(
        &self,
        action: Action,
        person: &Person,
        subject: Subject,
        status: StatusCode,
    ) {
        let asked = audit::ActionOrigin::Request {
            client: self.address,
            headers: &self.headers,
        };
        audit::write(asked, action, person, subject, status);
    }

    /// Returns the signed-in user.
    ///
    /// # Errors
    /// [`Error::Unauthorized`]: no user is signed in.
    pub(super) async fn signed_in(&self) -> Result<SignedIn<'_>, Error> {
        let session = Cookie::Session.find(&self.headers, self.tls);
        let session = session.unwrap_or_default();
        let csrf = FormTokens::of(session);
        let session = self.connect.session(session).await?;
        let connect = self.connect.by_user(&session, self.origin());
        Ok(SignedIn {
            request: self,
            connect,
            session,
            csrf,
        })
    }

    /// The origin of the request, for the core.
    fn origin(&self) -> Origin {
        let header = |name: HeaderName| {
            let value = self.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let browser = Cookie::Browser.find(&self.headers, self.tls);
        Origin {
            address: Some(self.address),
            request_id: header(HeaderName::from_static("x-request-id")),
            device: header(USER_AGENT),
            browser: browser.map(|value| BrowserCookie(value.to_owned())),
        }
    }

    /// The core, for the calls of a visitor.
    pub(super) fn visitor_core(&self) -> Connect {
        self.connect.by(Author::Service, self.origin())
    }

    /// Returns the value of the visitor cookie.
    /// On the first visit it is `None`, and the answer sets it.
    fn visitor(&self) -> Option<&str> {
        Cookie::Visitor.find(&self.headers, self.tls)
    }

    /// Verifies the origin of a form sent by a signed-out visitor.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]: the form is not from a page made for this visitor.
    pub(super) fn check_form(&self) -> Result<(), Error> {
        self.check_form_of(self.visitor())
    }

    /// Verifies the origin of a form: a page made for this cookie's reader.
    fn check_form_of(&self, cookie: Option<&str>) -> Result<(), Error> {
        let sent = self.form.get(csrf::FIELD);
        let is_ours = cookie.is_some_and(|cookie| FormTokens::of(cookie).has(sent));
        let own = [&*self.host, &*self.context.owner_url];
        if is_ours && !csrf::is_from_elsewhere(&self.headers, &own) {
            return Ok(());
        }
        Err(Error::ForbiddenScope(Reason::new(text!("form-too-old"))))
    }

    /// Returns the line to set the visitor cookie, and the form tokens.
    pub(super) fn visitor_forms(&self) -> (Option<String>, FormTokens) {
        if let Some(value) = self.visitor() {
            return (None, FormTokens::of(value));
        }
        let value = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let line = Cookie::Visitor.keep(&value, VISITOR_SECONDS, self.tls);
        (Some(line), FormTokens::of(&value))
    }

    /// The value of the session cookie, if there is one.
    pub(super) fn session_cookie(&self) -> Option<&str> {
        Cookie::Session.find(&self.headers, self.tls)
    }

    /// Writes an audit line for a new session. One awaiting a code names no user yet.
    ///
    /// # Errors
    /// The storage failed.
    pub(super) async fn audit_session(
        &self,
        action: Action,
        session: &IssuedSession,
        mut subject: Subject,
    ) -> Result<(), Error> {
        let mut person = Person::Unknown;
        if !session.awaits_code {
            let session = self.connect.session(session.secret.expose()).await?;
            subject.is_of(session.account().id);
            person = Person::User(session.user().email.clone());
        }
        self.audit(action, &person, subject, StatusCode::OK);
        Ok(())
    }

    /// Begins a session, and redirects to the page at `path`.
    /// The browser's previous session ends, even one of another owner: without its cookie it could not be
    /// ended later.
    ///
    /// # Errors
    /// The storage failed.
    pub(super) async fn begin_session(
        &self,
        session: &IssuedSession,
        path: &str,
    ) -> Result<Answer, Error> {
        let before = self.session_cookie();
        match self.connect.session(before.unwrap_or_default()).await {
            Ok(session) => self.connect.sign_out(&session).await?,
            Err(Error::Unauthorized(_)) => {}
            Err(error) => return Err(error),
        }
        let mut answer = Answer::redirect(path);
        let value = session.secret.expose();
        if session.awaits_code {
            // The form for the code is still one of a visitor.
            answer.set_cookie(Cookie::Session.keep(value, AWAITING_SECONDS, self.tls));
            return Ok(answer);
        }
        answer.set_cookie(Cookie::Session.keep(value, SESSION_SECONDS, self.tls));
        answer.set_cookie(Cookie::Visitor.forget(self.tls));
        if let Some(browser) = &session.browser {
            answer.set_cookie(Cookie::Browser.keep(browser.expose(), BROWSER_SECONDS, self.tls));
        }
        Ok(answer)
    }

    /// Deletes the session cookie, and redirects to a page.
    pub(super) fn end_session(&self, path: &str) -> Answer {
        let mut answer = Answer::redirect(path);
        answer.set_cookie(Cookie::Session.forget(self.tls));
        answer
    }
}

/// The parts of a path below the dashboard.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.skip(1).collect()
}

/// A request of a signed-in user.
pub(super) struct SignedIn<'v> {
    request: &'v PageRequest,
    /// The core, for calls by this user.
    pub(super) connect: Connect,
    pub(super) session: UserSession,
    /// The tokens of the user's forms.
    pub(super) csrf: FormTokens,
}

impl SignedIn<'_> {
    /// The account of the user.
    pub(super) fn account(&self) -> &Account {
        self.session.account()
    }

    /// The user.
    pub(super) fn user(&self) -> &User {
        self.session.user()
    }

    /// Returns the locations of the account with a right of the user.
    pub(super) fn locations(&self, right: UserRight) -> Vec<&AccountLocation> {
        let Ok(reach) = self.account().reach(self.user(), right) else {
            return Vec::new();
        };
        let all = self.account().locations.iter();
        all.filter(|location| reach.includes(location.id)).collect()
    }

    /// Returns whether the user has a role at a location.
    pub(super) fn has_role_at(&self, location: Id<Location>) -> bool {
        let mut roles = self.user().roles.iter();
        roles.any(|of| of.location_id.is_none_or(|at| at == location))
    }

    /// Returns the screens at the locations with this user as their manager.
    pub(super) fn screens(&self) -> Vec<&Screen> {
        let locations = self.locations(UserRight::ManageScreens);
        let is_here = |screen: &&Screen| locations.iter().any(|at| at.id == screen.location_id);
        self.account().screens.iter().filter(is_here).collect()
    }

    /// Verifies the origin of a form: a page made for this session.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]: the form is not from such a page.
    pub(super) fn check_form(&self) -> Result<(), Error> {
        let session = Cookie::Session.find(&self.headers, self.tls);
        self.request.check_form_of(session)
    }

    /// Writes an audit line for the user's action, done or refused.
    pub(super) fn audit(&self, action: Action, answer: Result<&Answer, &Error>) {
        let place = self.segments();
        let named = place.get(1).and_then(|id| Uuid::try_parse(id).ok());
        let (status, made) = match answer {
            Ok(answer) => (answer.status, answer.made),
            Err(error) => (audit::status_of(error), None),
        };
        let subject = Subject {
            account: Some(self.account().id.uuid()),
            object: made.or(named),
        };
        let person = Person::User(self.user().email.clone());
        self.request.audit(action, &person, subject, status);
    }

    /// Executes a command in the user's account.
    /// Returns its effect: the object, and a secret to be shown once.
    ///
    /// # Errors
    /// As [`OwnerCommand::execute`].
    pub(super) async fn execute(
        &self,
        command: impl Into<OwnerCommand>,
    ) -> Result<Execution<'_>, Error> {
        let mut execution = self.execution();
        // The page shows what it needs of the result.
        drop(command.into().execute(&mut execution).await?);
        Ok(execution)
    }

    /// Executes a command for the user, and returns its result.
    ///
    /// # Errors
    /// As [`OwnerCommand::execute`].
    pub(super) async fn result_of(&self, command: impl Into<OwnerCommand>) -> Result<Value, Error> {
        command.into().execute(&mut self.execution()).await?.await
    }

    fn execution(&self) -> Execution<'_> {
        let by = Authority::User(self.account().id);
        Execution::new(&self.connect, by, Some(&self.context.owner_url))
    }

    /// Counts the request against the limit of its user.
    ///
    /// # Errors
    /// [`Error::RateLimited`]: there were too many.
    pub(super) async fn count(&self) -> Result<(), Denied> {
        let counted = self.connect.count_user(self.address, &self.session).await;
        counted.map(|_| ())
    }

    /// Returns the simulation of the owner's shops.
    /// It exists only in the demo, for a sandbox account.
    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        let sandbox = self.context.sandbox.as_ref();
        sandbox.filter(|_| self.account().sandbox)
    }
}

impl Deref for SignedIn<'_> {
    type Target = PageRequest;

    fn deref(&self) -> &PageRequest {
        self.request
    }
}
