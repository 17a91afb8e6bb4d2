//! The scopes of tokens in words: the tasks of a program.

use std::borrow::Cow;

use connect_core::wire::Scope;
use maud::{Markup, html};

/// The task of a scope, such as `Change stock`.
pub(super) fn task(scope: &Scope) -> Cow<'_, str> {
    let words = text_of!("scope", &part_of_id(scope));
    words.unwrap_or(Cow::Borrowed(scope.as_str()))
}

/// The tasks of scopes in short, in a fixed order.
pub(in crate::dashboard::pages) fn tasks(scopes: &[Scope]) -> Cow<'static, str> {
    if Scope::KNOWN.iter().all(|known| scopes.contains(known)) {
        return text!("tokens-preset-everything");
    }
    let known = Scope::KNOWN.iter().filter(|known| scopes.contains(known));
    let unknown = scopes.iter().filter(|it| !Scope::KNOWN.contains(it));
    let tasks: Vec<_> = known.chain(unknown).map(task).collect();
    tasks.join(", ").into()
}

/// The task of a scope, with the scope beside it.
pub(super) fn task_with_scope(scope: &Scope) -> Markup {
    html! { (task(scope)) " " code { (scope) } }
}

/// The explanation of a task, in a sentence.
pub(super) fn allowed(scope: &Scope) -> Cow<'static, str> {
    text_of!("scope-allows", &part_of_id(scope)).unwrap_or_default()
}

/// The scope as in the ids of messages: `stock:write` is `stock-write`.
fn part_of_id(scope: &Scope) -> String {
    scope.as_str().replace(':', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::messages::{LANGUAGES, made_in_language};

    #[test]
    fn every_scope_is_a_task_in_words() {
        for (language, tag, _) in LANGUAGES {
            made_in_language(language, || {
                for scope in Scope::KNOWN {
                    assert_ne!(task(scope), scope.as_str(), "{tag}");
                    assert!(!allowed(scope).is_empty(), "{tag}: {scope}");
                }
            });
        }
        assert_eq!(task(&Scope::StockWrite), "Change stock");
        assert_eq!(task(&Scope::from("moon:read")), "moon:read");
    }

    #[test]
    fn several_scopes_are_tasks_in_a_fixed_order() {
        let [moon, write, read] = ["moon:read", "stock:write", "stock:read"].map(Scope::from);
        assert_eq!(
            tasks(&[moon, write, read]),
            "Read stock, Change stock, moon:read"
        );
        let mut all = Scope::KNOWN.to_vec();
        all.reverse();
        assert_eq!(tasks(&all), "Everything");
    }
}
