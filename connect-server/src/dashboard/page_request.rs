//! A request to the dashboard, and who makes it.

use std::{net::IpAddr, ops::Deref, sync::Arc};

use connect_core::{Connect, Denied, Error, IssuedSession, Owner, Reason, SESSION_SECONDS};
use http::{HeaderMap, Method, StatusCode};
use uuid::Uuid;

use super::{
    Answer, Fields, UsedForms,
    cookies::Cookie,
    csrf::{self, FormTokens},
};
use crate::{
    sandbox::Sandbox,
    telemetry::{
        audit::{self, Action, Person, Subject},
        recent_requests::RecentRequests,
    },
};

/// The time for which the cookie of a visitor is kept: a day.
const VISITOR_SECONDS: i64 = 24 * 3600;

/// The service around the core, as the pages know it.
#[derive(Clone)]
pub(crate) struct Setting {
    /// The address of the API, such as `https://connect.example.com/v1`.
    pub(crate) api_url: Arc<str>,
    /// The address at which owners reach the dashboard, without a path.
    pub(crate) owner_url: Arc<str>,
    /// Simulates shops; in the demo alone.
    pub(crate) sandbox: Option<Sandbox>,
    /// The last requests of tokens.
    pub(crate) recent: RecentRequests,
    /// The forms that were sent of what is done once.
    pub(crate) used: UsedForms,
}

/// A request to the dashboard.
pub(crate) struct Visit {
    pub(crate) connect: Connect,
    pub(crate) setting: Setting,
    pub(crate) method: Method,
    /// The whole path.
    pub(crate) path: String,
    pub(crate) query: Fields,
    /// The fields of the form; empty for GET.
    pub(crate) form: Fields,
    pub(crate) headers: HeaderMap,
    /// The host and port that it names; empty when it names none.
    pub(crate) host: String,
    /// The address of the network that it comes from.
    pub(crate) address: IpAddr,
    /// Set when the browser's connection is encrypted.
    pub(crate) tls: bool,
}

impl Visit {
    /// The parts of the path below the dashboard.
    pub(super) fn place(&self) -> Vec<&str> {
        let parts = self.path.split('/').filter(|part| !part.is_empty());
        parts.skip(1).collect()
    }

    /// Writes down who has done what by this form, or was refused.
    pub(super) fn audit(
        &self,
        action: Action,
        person: &Person,
        subject: Subject,
        status: StatusCode,
    ) {
        let asked = audit::Asked::Request {
            client: self.address,
            headers: &self.headers,
        };
        audit::write(asked, action, person, subject, status);
    }

    /// Returns the owner who makes the request.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when nobody is signed in.
    pub(super) async fn signed_in(&self) -> Result<SignedIn<'_>, Error> {
        let session = Cookie::Session.find(&self.headers, self.tls);
        let session = session.unwrap_or_default();
        let owner = self.connect.session(session).await?;
        Ok(SignedIn {
            visit: self,
            owner,
            csrf: FormTokens::of(session),
        })
    }

    /// Returns the value of the cookie of a visitor; `None` on the first visit, whose answer sets it.
    fn visitor(&self) -> Option<&str> {
        Cookie::Visitor.find(&self.headers, self.tls)
    }

    /// Checks that a form came from a page of ours that was made for this visitor, who is not signed in.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]: it did not.
    pub(super) fn check_form(&self) -> Result<(), Error> {
        self.check_form_of(self.visitor())
    }

    /// Checks that a form came from a page of ours that was made for the reader with this cookie.
    fn check_form_of(&self, cookie: Option<&str>) -> Result<(), Error> {
        let sent = self.form.get(csrf::FIELD);
        let is_ours = cookie.is_some_and(|cookie| FormTokens::of(cookie).has(sent));
        let own = [&*self.host, &*self.setting.owner_url];
        if is_ours && !csrf::is_from_elsewhere(&self.headers, &own) {
            return Ok(());
        }
        let problem = "this form is too old, or did not come from the dashboard; open its page again \
                       and repeat what you did";
        Err(Error::ForbiddenScope(Reason::new(problem)))
    }

    /// Returns the line that sets the cookie of a visitor, and the tokens of the visitor's forms.
    pub(super) fn visitor_forms(&self) -> (Option<String>, FormTokens) {
        if let Some(value) = self.visitor() {
            return (None, FormTokens::of(value));
        }
        let value = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let line = Cookie::Visitor.keep(&value, VISITOR_SECONDS, self.tls);
        (Some(line), FormTokens::of(&value))
    }

    /// Writes down to whom a session was given.
    ///
    /// # Errors
    /// The storage failed.
    pub(super) async fn audit_session(
        &self,
        action: Action,
        session: &IssuedSession,
    ) -> Result<(), Error> {
        let owner = self.connect.session(session.secret.expose()).await?;
        let account = owner.account();
        let mut subject = Subject::default();
        subject.is_of(account.id);
        let person = Person::Owner(account.owner_email.clone());
        self.audit(action, &person, subject, StatusCode::OK);
        Ok(())
    }

    /// Signs the owner in to whom a session was given, and shows the page at `path`. The session that the
    /// browser had ends, whoever's it was: nobody can end it once its cookie is gone.
    ///
    /// # Errors
    /// The storage failed.
    pub(super) async fn begin_session(
        &self,
        session: &IssuedSession,
        path: &str,
    ) -> Result<Answer, Error> {
        let before = Cookie::Session.find(&self.headers, self.tls);
        match self.connect.session(before.unwrap_or_default()).await {
            Ok(owner) => self.connect.sign_out(&owner).await?,
            Err(Error::Unauthorized(_)) => {}
            Err(error) => return Err(error),
        }
        let mut answer = Answer::redirect(path);
        answer.set_cookie(Cookie::Session.keep(session.secret.expose(), SESSION_SECONDS, self.tls));
        answer.set_cookie(Cookie::Visitor.forget(self.tls));
        Ok(answer)
    }

    /// Has the browser forget the session.
    pub(super) fn end_session(&self, path: &str) -> Answer {
        let mut answer = Answer::redirect(path);
        answer.set_cookie(Cookie::Session.forget(self.tls));
        answer
    }
}

/// A request of an owner who is signed in.
pub(super) struct SignedIn<'v> {
    visit: &'v Visit,
    pub(super) owner: Owner,
    /// The tokens of the owner's forms.
    pub(super) csrf: FormTokens,
}

impl SignedIn<'_> {
    /// Checks that a form came from a page of ours that was made for this session.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]: it did not.
    pub(super) fn check_form(&self) -> Result<(), Error> {
        let session = Cookie::Session.find(&self.headers, self.tls);
        self.visit.check_form_of(session)
    }

    /// Writes down what the owner has done by this form, or was refused.
    pub(super) fn audit(&self, action: Action, answer: Result<&Answer, &Error>) {
        let place = self.place();
        let named = place.get(1).and_then(|id| Uuid::try_parse(id).ok());
        let (status, made) = match answer {
            Ok(answer) => (answer.status, answer.made),
            Err(error) => (audit::status_of(error), None),
        };
        let account = self.owner.account();
        let subject = Subject {
            account: Some(account.id.uuid()),
            object: made.or(named),
        };
        let person = Person::Owner(account.owner_email.clone());
        self.visit.audit(action, &person, subject, status);
    }

    /// Counts the request against the limit of its owner.
    ///
    /// # Errors
    /// [`Error::RateLimited`]: there were too many.
    pub(super) async fn count(&self) -> Result<(), Denied> {
        let counted = self.connect.count_owner(self.address, &self.owner).await;
        counted.map(|_| ())
    }

    /// Returns what simulates the owner's shops: in the demo, for a sandbox account.
    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        let sandbox = self.setting.sandbox.as_ref();
        sandbox.filter(|_| self.owner.account().sandbox)
    }
}

impl Deref for SignedIn<'_> {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        self.visit
    }
}
