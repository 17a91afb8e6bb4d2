//! A line in the table of pages: path, visitors, and properties of a form.

use connect_core::{Error, UserRight};
use futures_util::future::BoxFuture;

use super::once::Once;
use crate::{
    dashboard::{Answer, PageRequest, page_request::SignedIn},
    sandbox::Sandbox,
    telemetry::audit::Action,
};

/// The most ids in a path.
const MOST_IDS: usize = 2;

/// The ids in a path, in order; empty beyond the last.
pub(super) type Ids<'a> = [&'a str; MOST_IDS];

/// A page, or the outcome of a form, in progress.
pub(super) type Page<'a> = BoxFuture<'a, Result<Answer, Error>>;

/// A page or a form of the dashboard.
pub(super) struct Route {
    /// The path below the dashboard, with `{}` for an id.
    pub(super) path: &'static str,
    pub(super) page: Serve,
    /// The properties of a form; `None` for a page.
    pub(super) form: Option<Form>,
}

/// The function behind a route, by its visitors.
#[derive(Clone, Copy)]
pub(super) enum Serve {
    /// Anybody. A form checks its origin itself, and writes its audit line.
    Open(for<'a> fn(&'a PageRequest, Ids<'a>) -> Page<'a>),
    /// A signed-in user.
    User(for<'a> fn(&'a SignedIn<'a>, Ids<'a>) -> Page<'a>),
    /// A signed-in user with this right.
    With(UserRight, for<'a> fn(&'a SignedIn<'a>, Ids<'a>) -> Page<'a>),
    /// A user of a sandbox account with the right to the sandbox, in the demo.
    Sandbox(for<'a> fn(&'a SignedIn<'a>, &'a Sandbox) -> Page<'a>),
}

/// The properties of a form.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The action in the audit log.
    pub(super) action: Action,
    /// Set if one form has one effect, however often it is sent.
    pub(super) once: Option<Once>,
    /// Set if it counts against the limit of an owner's requests.
    pub(super) is_counted: bool,
    /// Set if it may have a file.
    pub(super) may_have_file: bool,
}

impl Route {
    /// A page.
    pub(super) const fn page(path: &'static str, page: Serve) -> Self {
        Self {
            path,
            page,
            form: None,
        }
    }

    /// A form, with the name of its action.
    pub(super) const fn form(path: &'static str, action: Action, page: Serve) -> Self {
        let form = Form {
            action,
            once: None,
            is_counted: true,
            may_have_file: false,
        };
        Self {
            path,
            page,
            form: Some(form),
        }
    }

    /// Gives each form one effect, however often it is sent.
    pub(super) const fn once(mut self, once: Once) -> Self {
        if let Some(form) = &mut self.form {
            form.once = Some(once);
        }
        self
    }

    /// Leaves the limit of an owner's requests aside.
    pub(super) const fn uncounted(mut self) -> Self {
        if let Some(form) = &mut self.form {
            form.is_counted = false;
        }
        self
    }

    /// Lets the form have a file, in a longer body.
    pub(super) const fn with_file(mut self) -> Self {
        if let Some(form) = &mut self.form {
            form.may_have_file = true;
        }
        self
    }

    /// Returns the ids in a path, if it is of this route.
    pub(super) fn ids<'a>(&self, segments: &[&'a str]) -> Option<Ids<'a>> {
        let mut pattern = self.path.split('/').filter(|part| !part.is_empty());
        let mut ids = [""; MOST_IDS];
        let mut places = ids.iter_mut();
        for segment in segments {
            match pattern.next()? {
                "{}" => *places.next()? = segment,
                part if part == *segment => {}
                _ => return None,
            }
        }
        pattern.next().is_none().then_some(ids)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_path_is_matched_as_a_whole() {
        const PAGE: Serve = Serve::Open(|_, _| async { Ok(Answer::redirect("")) }.boxed());
        for (path, segments, expected) in [
            ("", &[][..], Some(["", ""])),
            ("", &["journal"], None),
            ("journal", &["journal"], Some(["", ""])),
            ("journal", &[], None),
            ("journal", &["journal", "7"], None),
            ("journal/{}", &["journal", "7"], Some(["7", ""])),
            ("a/{}/b/{}", &["a", "1", "b", "2"], Some(["1", "2"])),
            ("a/{}/b/{}", &["a", "1", "c", "2"], None),
            ("a/{}/b/{}", &["a", "1", "b"], None),
        ] {
            let found = Route::page(path, PAGE).ids(segments);
            assert_eq!(found, expected, "{path} {segments:?}");
        }
    }
}
