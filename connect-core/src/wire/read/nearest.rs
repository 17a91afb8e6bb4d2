//! The name probably meant.

use strsim::jaro_winkler;

/// The least likeness for suggesting a name; 1 is the same name.
const LIKE: f64 = 0.85;

/// Returns the problem with an unknown field.
pub(super) fn unknown_field(sent: &str, known: &[&'static str]) -> String {
    unknown("field", sent, known)
}

/// Returns the problem with an unknown name of this `kind`.
pub(in crate::wire) fn unknown(kind: &str, sent: &str, known: &[&'static str]) -> String {
    let hint = match (nearest(sent, known), known) {
        (_, []) => "it takes none".to_owned(),
        (Some(name), _) => format!("did you mean {name}? Allowed: {}", known.join(", ")),
        (None, _) => format!("allowed: {}", known.join(", ")),
    };
    format!("is not a {kind} of this request; {hint}")
}

/// Returns the known name closest to the sent one, if close enough.
fn nearest(sent: &str, known: &[&'static str]) -> Option<&'static str> {
    // The names are short: a long text is none of them, and comparing it would take long.
    if sent.len() > 100 {
        return None;
    }
    let sent = plain(sent);
    let likeness = known
        .iter()
        .map(|name| (jaro_winkler(&sent, &plain(name)), *name));
    let best = likeness.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness >= LIKE)
        .map(|(_, name)| name)
}

/// A name without case and separators: `price_cents` equals `priceCents`.
fn plain(name: &str) -> String {
    let is_part = |c: &char| !matches!(c, '_' | '-' | ' ');
    name.chars()
        .filter(is_part)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_told_first() {
        for (sent, known, problem) in [
            (
                "Limit",
                &["limit", "cursor"][..],
                "did you mean limit? Allowed: limit, cursor",
            ),
            ("colour", &["limit", "cursor"], "allowed: limit, cursor"),
            ("limit", &[], "it takes none"),
        ] {
            let problem = format!("is not a parameter of this request; {problem}");
            assert_eq!(unknown("parameter", sent, known), problem);
        }
    }

    #[test]
    fn a_name_that_is_like_one_is_taken_for_it() {
        let known = [
            "externalId",
            "name",
            "description",
            "priceCents",
            "vatRate",
            "barcode",
            "categoryId",
            "categoryName",
            "isActive",
            "imageUrl",
            "optionGroupIds",
        ];
        for (sent, meant) in [
            ("price_cents", Some("priceCents")),
            ("pricecents", Some("priceCents")),
            ("price", Some("priceCents")),
            ("PriceCent", Some("priceCents")),
            ("vat", Some("vatRate")),
            ("vat_rate", Some("vatRate")),
            ("external_id", Some("externalId")),
            ("externalID", Some("externalId")),
            ("catgoryId", Some("categoryId")),
            ("category", Some("categoryId")),
            ("imageURL", Some("imageUrl")),
            ("optionGroups", Some("optionGroupIds")),
            ("active", None),
            ("sku", None),
            ("", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(sent, &known), meant, "{sent}");
        }
        assert_eq!(nearest(&"name".repeat(1000), &known), None);
        assert_eq!(nearest("name", &[]), None);
    }
}
