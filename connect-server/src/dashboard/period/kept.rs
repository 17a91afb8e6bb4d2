//! Location and period of an address, kept by links and forms.
//!
//! Pages need not think of it: their links and forms are completed when rendered, and a redirect after a form
//! is completed before it is sent. Each field is read as what it is, so nothing else gets into an address.

use chrono::NaiveDate;
use connect_core::wire::{Date, Id, Location};
use maud::{Markup, PreEscaped};

use super::{DATE, UNIT, Unit, named};
use crate::dashboard::{
    Answer, AnswerContent, FormFields,
    page_request::{AT, SignedIn},
    sections::{ROOT, area},
};

/// The lists filtered by a period of their own.
/// With that of another page, a link would leave rows out unseen.
const FILTERED: [&str; 2] = ["/dashboard/activity", "/dashboard/webhooks"];

/// The known location and the period of an address.
pub(in crate::dashboard) struct Kept {
    at: Option<Id<Location>>,
    unit: Option<Unit>,
    date: Option<NaiveDate>,
}

impl Kept {
    /// Reads the address of a request.
    pub(in crate::dashboard) fn of(to: &SignedIn<'_>) -> Self {
        let locations = to.account().locations.iter();
        Self::read(&to.query, locations.map(|location| location.id))
    }

    fn read(query: &FormFields, mut locations: impl Iterator<Item = Id<Location>>) -> Self {
        let [unit, date] = named(query);
        Self {
            at: locations.find(|id| id.to_string() == query.get(AT)),
            unit: Unit::of_name(unit),
            date: date.parse().ok().map(|date: Date| date.into()),
        }
    }

    fn is_empty(&self) -> bool {
        self.at.is_none() && self.unit.is_none() && self.date.is_none()
    }

    /// Adds the fields to an address of the dashboard without them.
    pub(in crate::dashboard) fn added_to(&self, address: &str) -> String {
        self.completed(address, "&", true)
    }

    /// Adds the fields to the redirect of an answer.
    pub(in crate::dashboard) fn in_answer(&self, mut answer: Answer) -> Answer {
        if let AnswerContent::Redirect(address) = &mut answer.content {
            *address = self.added_to(address);
        }
        answer
    }

    /// Completes the links and forms of a part of a page.
    pub(in crate::dashboard) fn in_markup(&self, part: Markup) -> Markup {
        if self.is_empty() {
            return part;
        }
        let part = part.into_string();
        let mut done = String::with_capacity(part.len());
        let mut rest = &*part;
        // Quotes and angle brackets in values are escaped, so what looks like a tag is one.
        while let Some((before, after)) = rest.split_once('<') {
            done.push_str(before);
            done.push('<');
            let (tag, _) = after.split_once('>').unwrap_or((after, ""));
            rest = after.get(tag.len()..).unwrap_or_default();
            match tag.split(' ').next() {
                Some("a") => done.push_str(&self.in_tag(tag, "href", is_unfiltered)),
                Some("button") => done.push_str(&self.in_tag(tag, "formaction", |_| true)),
                // A browser replaces the query in the address of such a form by its fields.
                Some("form") if tag.contains(" method=\"get\"") => {
                    let (form, _) = rest.split_once("</form>").unwrap_or((rest, ""));
                    done.push_str(tag);
                    done.push('>');
                    rest = rest.strip_prefix('>').unwrap_or_default();
                    done.push_str(&self.inputs(tag, form));
                }
                Some("form") => done.push_str(&self.in_tag(tag, "action", |_| true)),
                _ => done.push_str(tag),
            }
        }
        done.push_str(rest);
        PreEscaped(done)
    }

    /// Adds the fields to the address in an attribute of a tag.
    fn in_tag(&self, tag: &str, name: &str, has_period: impl Fn(&str) -> bool) -> String {
        match attribute(tag, name) {
            Some((before, address, after)) => {
                let address = self.completed(address, "&amp;", has_period(address));
                format!("{before}{address}{after}")
            }
            None => tag.to_owned(),
        }
    }

    /// The hidden inputs for the fields missing in a form.
    fn inputs(&self, tag: &str, form: &str) -> String {
        let Some((_, action, _)) = attribute(tag, "action") else {
            return String::new();
        };
        if !is_own(action) {
            return String::new();
        }
        let has = |name: &str| form.contains(&format!(" name=\"{name}\""));
        let fields = self.lacking(has, is_unfiltered(action) && action != ROOT);
        let input =
            |(name, value)| format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">");
        fields.into_iter().map(input).collect()
    }

    /// Adds the fields to an address without them, joined by `and`.
    fn completed(&self, address: &str, and: &str, has_period: bool) -> String {
        let (page, fragment) = match address.find('#') {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        let (path, query) = page.split_once('?').unwrap_or((page, ""));
        if !is_own(path) {
            return address.to_owned();
        }
        let given = FormFields::parse(query.replace(and, "&").as_bytes());
        // The first page begins with today.
        let has_period = has_period && path != ROOT;
        let mut completed = page.to_owned();
        for (name, value) in self.lacking(|name| given.has_field(name), has_period) {
            completed.push_str(if completed.contains('?') { and } else { "?" });
            completed.push_str(&format!("{name}={value}"));
        }
        completed + fragment
    }

    /// The fields an address or a form lacks.
    /// A period is of both its fields.
    fn lacking(
        &self,
        has: impl Fn(&str) -> bool,
        has_period: bool,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let at = self.at.filter(|_| !has(AT));
        let has_period = has_period && !has(UNIT) && !has(DATE);
        let unit = self.unit.filter(|_| has_period);
        let date = self.date.filter(|_| has_period);
        [
            (AT, at.map(|id| id.to_string())),
            (UNIT, unit.map(|unit| unit.name().to_owned())),
            (DATE, date.map(|date| date.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Returns whether links to an address may have a period.
fn is_unfiltered(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    !FILTERED.contains(&area(path))
}

/// Returns whether a path is one of the dashboard.
fn is_own(path: &str) -> bool {
    let rest = path.strip_prefix(ROOT);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Splits a tag around the value of an attribute.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let start = format!(" {name}=\"");
    let begin = tag.find(&start)? + start.len();
    let length = tag.get(begin..)?.find('"')?;
    let (before, rest) = tag.split_at_checked(begin)?;
    let (value, after) = rest.split_at_checked(length)?;
    Some((before, value, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "0199e3a1-7c00-7000-8000-000000000001";
    const ELSEWHERE: &str = "0199e3a1-7c00-7000-8000-000000000002";

    fn kept(query: &str) -> Kept {
        let locations = [HERE.parse().unwrap()].into_iter();
        Kept::read(&FormFields::parse(query.as_bytes()), locations)
    }

    #[test]
    fn only_known_fields_get_into_an_address() {
        let at = format!("at={HERE}");
        for (query, added) in [
            (String::new(), String::new()),
            (at.clone(), format!("?{at}")),
            (
                format!("{at}&period=week&date=2026-03-01"),
                format!("?{at}&period=week&date=2026-03-01"),
            ),
            ("date=2026-03-01".into(), "?date=2026-03-01".into()),
            ("period=month".into(), "?period=month".into()),
            // All time is no period.
            (format!("{at}&period=&date=2026-03-01"), format!("?{at}")),
            (format!("at={ELSEWHERE}"), String::new()),
            ("at=https://evil.example".into(), String::new()),
            (format!("at={HERE}%0d%0aset-cookie:%20a=b"), String::new()),
            (format!("{at}%26next=//evil.example"), String::new()),
            (
                "period=day%22%3E&date=2026-03-01%0d%0a".into(),
                "?date=2026-03-01".into(),
            ),
            (
                "period=day%26done=x&date=x%22onclick=".into(),
                String::new(),
            ),
            (
                "kept=/x&next=//evil.example&done=signed-out&q=x&cursor=7".into(),
                String::new(),
            ),
        ] {
            let address = kept(&query).added_to("/dashboard/tokens");
            assert_eq!(address, format!("/dashboard/tokens{added}"), "{query}");
        }
    }

    #[test]
    fn an_address_with_fields_of_its_own_has_its_way() {
        let kept = kept(&format!("at={HERE}&period=week&date=2026-03-01"));
        let period = "period=week&date=2026-03-01";
        for (address, expected) in [
            ("/dashboard".to_owned(), format!("/dashboard?at={HERE}")),
            (
                "/dashboard/tokens?done=token-revoked".into(),
                format!("/dashboard/tokens?done=token-revoked&at={HERE}&{period}"),
            ),
            (
                format!("/dashboard/stock?at={ELSEWHERE}"),
                format!("/dashboard/stock?at={ELSEWHERE}&{period}"),
            ),
            (
                format!("/dashboard/orders?at={HERE}&date=2026-01-01"),
                format!("/dashboard/orders?at={HERE}&date=2026-01-01"),
            ),
            (
                "/dashboard/orders?period=".into(),
                format!("/dashboard/orders?period=&at={HERE}"),
            ),
            (
                "/dashboard/stock/1#quantity".into(),
                format!("/dashboard/stock/1?at={HERE}&{period}#quantity"),
            ),
            (
                "https://evil.example/dashboard".into(),
                "https://evil.example/dashboard".into(),
            ),
            ("/dashboards".into(), "/dashboards".into()),
            ("//evil.example".into(), "//evil.example".into()),
            ("#content".into(), "#content".into()),
        ] {
            assert_eq!(kept.added_to(&address), expected, "{address}");
        }
    }

    #[test]
    fn links_and_forms_of_a_page_are_completed() {
        let kept = kept(&format!("at={HERE}&date=2026-03-01"));
        let at = format!("at={HERE}");
        let both = format!("{at}&amp;date=2026-03-01");
        let input = |name: &str, value: &str| {
            format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
        };
        for (page, expected) in [
            ("no tag &lt;a href=".to_owned(), "no tag &lt;a href=".to_owned()),
            (
                "<p>x <a class=\"b\" href=\"/dashboard/users\" title=\"&quot;\">A</a></p>".into(),
                format!("<p>x <a class=\"b\" href=\"/dashboard/users?{both}\" title=\"&quot;\">A</a></p>"),
            ),
            (
                "<a href=\"/dashboard/requests?token=1&amp;date=2026-01-01\">A</a>".into(),
                format!("<a href=\"/dashboard/requests?token=1&amp;date=2026-01-01&amp;{at}\">A</a>"),
            ),
            // The changes of a record are those of any day.
            (
                "<a href=\"/dashboard/activity?object=1\">A</a>".into(),
                format!("<a href=\"/dashboard/activity?object=1&amp;{at}\">A</a>"),
            ),
            (
                "<a href=\"http://127.0.0.1/v1/docs\">A</a>".into(),
                "<a href=\"http://127.0.0.1/v1/docs\">A</a>".into(),
            ),
            (
                "<form method=\"post\" action=\"/dashboard/webhooks/1/test\"><button formaction=\"/dashboard/x\">".into(),
                format!(
                    "<form method=\"post\" action=\"/dashboard/webhooks/1/test?{both}\">\
                     <button formaction=\"/dashboard/x?{both}\">"
                ),
            ),
            (
                "<form method=\"get\" action=\"/dashboard/requests\"><input name=\"text\"></form>".into(),
                format!(
                    "<form method=\"get\" action=\"/dashboard/requests\">{}{}<input name=\"text\"></form>",
                    input("at", HERE),
                    input("date", "2026-03-01")
                ),
            ),
            (
                "<form method=\"get\" action=\"/dashboard\"><select name=\"at\"></form>".into(),
                "<form method=\"get\" action=\"/dashboard\"><select name=\"at\"></form>".into(),
            ),
            (
                "<form method=\"get\" action=\"/dashboard/orders\"><select name=\"period\"></form><a name=\"at\">".into(),
                format!(
                    "<form method=\"get\" action=\"/dashboard/orders\">{}<select name=\"period\"></form><a name=\"at\">",
                    input("at", HERE)
                ),
            ),
        ] {
            let shown = kept.in_markup(PreEscaped(page.clone())).into_string();
            assert_eq!(shown, expected, "{page}");
        }
    }

    #[test]
    fn a_redirect_keeps_them_and_a_page_is_left_alone() {
        let kept = kept(&format!("at={HERE}"));
        let answer = kept.in_answer(Answer::redirect("/dashboard/users"));
        let AnswerContent::Redirect(address) = answer.content else {
            panic!("no redirect");
        };
        assert_eq!(address, format!("/dashboard/users?at={HERE}"));
        let page = PreEscaped("<a href=\"/dashboard\">".to_owned());
        let shown = self::kept("").in_markup(page).into_string();
        assert_eq!(shown, "<a href=\"/dashboard\">");
    }
}
