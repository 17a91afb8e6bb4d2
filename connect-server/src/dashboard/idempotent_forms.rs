//! Forms already sent, for actions not to be repeated.
//!
//! Such an action answers with a value shown once, without a redirect. A reload therefore sends its form
//! again, as a double click does, and a new secret would replace the one just shown.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedMutexGuard;

use super::fields::FormFields;

/// The most forms kept; the oldest are dropped first.
const MOST: usize = 10_000;

/// The digest of a form as filled in.
type Sent = [u8; 32];

/// The state of a form: `true` once done, locked while in progress.
type Done = Arc<tokio::sync::Mutex<bool>>;

/// Forms already sent, by path, token and content; kept in memory only.
/// The token differs from form to form. Going back in the browser shows the form sent before, with its
/// token; filled in differently, it counts as another form.
#[derive(Clone, Default)]
pub(crate) struct IdempotentForms(Arc<Mutex<IndexMap<Sent, Done>>>);

/// The right to perform the action of a form.
/// If it is dropped without [`done`](Self::done), the form may be sent again.
pub(super) struct Turn(OwnedMutexGuard<bool>);

impl IdempotentForms {
    /// Begins the action of a form, or returns `None` if already done.
    /// If another sending of the form is in progress, it waits for the outcome.
    pub(super) async fn begin(&self, path: &str, form: &FormFields) -> Option<Turn> {
        let turn = Turn(self.entry(sent(path, form)).lock_owned().await);
        (!*turn.0).then_some(turn)
    }

    fn entry(&self, sent: Sent) -> Done {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = used.entry(sent).or_default().clone();
        if used.len() > MOST {
            used.shift_remove_index(0);
        }
        entry
    }
}

impl Turn {
    /// Marks the form as done.
    pub(super) fn done(mut self) {
        *self.0 = true;
    }
}

fn sent(path: &str, form: &FormFields) -> Sent {
    let mut digest = Sha256::new();
    let texts = form.pairs().flat_map(|(name, value)| [name, value]);
    for text in [path].into_iter().chain(texts) {
        // With its length, no text runs into the next one.
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    fn form(text: &str) -> FormFields {
        FormFields::parse(text.as_bytes())
    }

    #[tokio::test]
    async fn a_form_is_done_once() {
        let (used, form) = (IdempotentForms::default(), form("csrf=1&name=Till"));
        drop(used.begin("/a", &form).await.unwrap());
        let turn = used.begin("/a", &form).await;
        turn.expect("nothing was done").done();
        assert!(used.begin("/a", &form).await.is_none());
    }

    /// Regression: a form filled in again was ignored.
    /// The form of the previous page has the same token.
    #[tokio::test]
    async fn a_form_with_other_content_is_another_form() {
        let used = IdempotentForms::default();
        used.begin("/a", &form("csrf=1&name=Till"))
            .await
            .unwrap()
            .done();
        for (path, other) in [
            ("/a", "csrf=1&name=Till+2"),
            ("/a", "csrf=2&name=Till"),
            ("/a", "csrf=1&nameT=ill"),
            ("/a", "csrf=1"),
            ("/b", "csrf=1&name=Till"),
        ] {
            assert!(
                used.begin(path, &form(other)).await.is_some(),
                "{path} {other}"
            );
        }
    }

    /// Regression: the second click reported success before the first was refused.
    #[tokio::test]
    async fn a_second_sending_waits_for_the_first() {
        let (used, form) = (IdempotentForms::default(), form("csrf=1"));
        for is_done in [false, true] {
            let first = used.begin("/a", &form).await.unwrap();
            let mut second = pin!(used.begin("/a", &form));
            assert!(second.as_mut().now_or_never().is_none());
            if is_done {
                first.done();
            } else {
                drop(first);
            }
            assert_eq!(second.await.is_none(), is_done);
        }
    }

    #[tokio::test]
    async fn no_more_forms_are_kept_than_there_may_be() {
        let used = IdempotentForms::default();
        let numbered = |number: usize| form(&number.to_string());
        for number in 0..=MOST {
            used.begin("/a", &numbered(number)).await.unwrap().done();
        }
        assert_eq!(used.0.lock().unwrap().len(), MOST);
        let latest = used.begin("/a", &numbered(MOST)).await;
        assert!(latest.is_none(), "the latest is known");
        let oldest = used.begin("/a", &numbered(0)).await;
        assert!(oldest.is_some(), "the oldest was forgotten");
    }
}
