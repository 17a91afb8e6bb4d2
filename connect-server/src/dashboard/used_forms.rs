//! The forms that were sent, of actions that must not be repeated.
//!
//! Such an action answers with a value that is shown once, so there is no redirect behind it: a reload
//! sends its form again, as a double click does. A new secret would drop the one that was just shown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexSet;
use sha2::{Digest as _, Sha256};

/// The forms that are known; the oldest are forgotten first.
const MOST: usize = 10_000;

/// Forms that were sent, by their tokens, which differ from form to form. They are kept in memory alone.
#[derive(Clone, Default)]
pub(crate) struct UsedForms(Arc<Mutex<IndexSet<[u8; 32]>>>);

impl UsedForms {
    /// Notes that the form with this token was sent. Returns whether that is the first time.
    pub(super) fn begin(&self, token: &str) -> bool {
        let mut used = self.lock();
        let is_first = used.insert(Sha256::digest(token).into());
        if used.len() > MOST {
            used.shift_remove_index(0);
        }
        is_first
    }

    /// Notes that nothing was done by a form after all, so that it may be sent again.
    pub(super) fn undo(&self, token: &str) {
        let digest: [u8; 32] = Sha256::digest(token).into();
        self.lock().shift_remove(&digest);
    }

    fn lock(&self) -> MutexGuard<'_, IndexSet<[u8; 32]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_sent_once_unless_nothing_was_done() {
        let used = UsedForms::default();
        assert!(used.begin("a") && used.begin("b"));
        assert!(!used.begin("a"));
        used.undo("a");
        assert!(used.begin("a") && !used.begin("a") && !used.begin("b"));
    }

    #[test]
    fn no_more_forms_are_kept_than_there_may_be() {
        let used = UsedForms::default();
        for form in 0..=MOST {
            assert!(used.begin(&form.to_string()));
        }
        assert_eq!(used.lock().len(), MOST);
        assert!(!used.begin(&MOST.to_string()), "the latest is known");
        assert!(used.begin("0"), "the oldest was forgotten");
    }
}
