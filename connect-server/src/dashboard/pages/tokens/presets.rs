//! Presets: the tasks of usual programs, to begin a new token with.

use std::borrow::Cow;

use connect_core::wire::Scope;
use maud::{Markup, html};

use super::NEW;
use crate::dashboard::page_request::SignedIn;

/// The field of the address with the name of a preset.
const PRESET: &str = "preset";

/// The tasks needed by a kind of program, no more.
pub(super) struct TokenPreset {
    /// The name in the address and in the ids of messages.
    name: &'static str,
    pub(super) scopes: &'static [Scope],
}

/// All presets, in the order of the page.
static PRESETS: [TokenPreset; 4] = [
    TokenPreset {
        name: "bookkeeping",
        scopes: &[Scope::PosRead],
    },
    TokenPreset {
        name: "webshop",
        scopes: &[Scope::CatalogRead, Scope::StockRead, Scope::StockWrite],
    },
    TokenPreset {
        name: "kiosk",
        scopes: &[Scope::CatalogRead, Scope::StockRead, Scope::OrdersRead],
    },
    TokenPreset {
        name: "everything",
        scopes: Scope::KNOWN,
    },
];

impl TokenPreset {
    /// Finds the preset named by the address.
    pub(super) fn chosen(to: &SignedIn<'_>) -> Option<&'static Self> {
        let name = to.query.get(PRESET);
        PRESETS.iter().find(|preset| preset.name == name)
    }

    fn words(&self) -> Cow<'static, str> {
        text_of!("tokens-preset", self.name).unwrap_or_default()
    }

    /// The purpose of the preset in a line.
    fn purpose(&self) -> Cow<'static, str> {
        text_of!("tokens-preset-for", self.name).unwrap_or_default()
    }
}

/// The links to begin with each preset.
pub(super) fn links(to: &SignedIn<'_>) -> Markup {
    let chosen = TokenPreset::chosen(to).map(|preset| preset.name);
    html! {
        p { (text!("tokens-presets")) }
        ul.rows.presets {
            @for preset in &PRESETS {
                @let is_chosen = chosen == Some(preset.name);
                li {
                    a href={ (NEW) "?" (PRESET) "=" (preset.name) } aria-current=[is_chosen.then_some("true")] {
                        (preset.words())
                    }
                    span.hint { (preset.purpose()) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::messages::{LANGUAGES, made_in_language};

    #[test]
    fn presets_have_known_scopes_and_no_more_than_needed() {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names, ["bookkeeping", "webshop", "kiosk", "everything"]);
        for (preset, writes) in PRESETS.iter().zip([
            &[][..],
            &[Scope::StockWrite],
            &[],
            &[Scope::CatalogWrite, Scope::StockWrite],
        ]) {
            let (name, scopes) = (preset.name, preset.scopes);
            assert!(!scopes.is_empty(), "{name}");
            let is_known = |scope: &Scope| Scope::KNOWN.contains(scope);
            assert!(scopes.iter().all(is_known), "{name}: {scopes:?}");
            let is_write = |scope: &&Scope| !scope.as_str().ends_with(":read");
            let found: Vec<_> = scopes.iter().filter(is_write).cloned().collect();
            assert_eq!(found, writes, "{name}");
            let is_all = scopes.len() == Scope::KNOWN.len();
            assert_eq!(is_all, name == "everything");
        }
    }

    #[test]
    fn presets_are_told_in_words() {
        for (language, tag, _) in LANGUAGES {
            made_in_language(language, || {
                for preset in &PRESETS {
                    assert!(!preset.words().is_empty(), "{tag}: {}", preset.name);
                    assert!(!preset.purpose().is_empty(), "{tag}: {}", preset.name);
                }
            });
        }
    }
}
