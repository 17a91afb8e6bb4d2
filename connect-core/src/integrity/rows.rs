//! The rules for a row, by its family.

use serde::de::DeserializeOwned;

use super::{
    ProblemKind, catalog, declared, events, findings::Findings, journal, orders, owners,
    partition::Partition, sign_in, stock, webhooks,
};
use crate::{
    jobs::SentStock,
    resources::{BulkBefore, BulkHead},
    storage::{Entry, Value},
    transaction::{
        ChangeClock, CompleteSince, Erasing, QueuedMail, ReadKey, StoredProvider, TrailEntry,
        TrailHash, TrailHead, keys::Family,
    },
    wire::Timestamp,
};

/// Any JSON object.
type AnyObject = serde_json::Map<String, serde_json::Value>;

/// A rule for the rows of a family.
type Rule = fn(&mut Findings, &ReadKey, &Value);

/// Checks rows of one partition.
/// `partition` has the facts from the rows before these.
pub(super) fn look_at(entries: &[Entry], partition: Partition, now: Timestamp) -> Findings {
    let mut findings = Findings::new(partition, now);
    for entry in entries {
        findings.next_row(entry);
        let (key, row) = entry;
        if sign_in::is_older(key, row) {
            continue;
        }
        match (ReadKey::of(key), ReadKey::unknown_family(key)) {
            (Some(at), _) => {
                findings.partition.count(at.family);
                findings.partition.store(key, at.family, row);
                rule(at.family).unwrap_or(declared::check)(&mut findings, &at, row);
            }
            (None, Some(family)) => findings.partition.newer(family),
            (None, None) => findings.problem(
                ProblemKind::UnknownKey,
                "this version writes no row with such a key".to_owned(),
            ),
        }
    }
    findings
}

/// The rule for rows of a family.
/// `None` if their declaration says everything: they are index entries or tombstones, or have nothing but
/// index entries and references.
fn rule(family: Family) -> Option<Rule> {
    Some(match family {
        Family::Clock => clock,
        Family::TombstonesSince => parses::<CompleteSince>,
        Family::Maintenance => parses::<Timestamp>,
        Family::RequestCount => parses::<u32>,
        Family::ClockLead => parses::<u64>,
        Family::Erasing => parses::<Erasing>,
        Family::ErasedImage => parses::<Timestamp>,
        Family::Import => unfinished_import,
        // Only transfers and migrations know their content.
        Family::Restored | Family::Migrated => parses::<AnyObject>,
        Family::Account => owners::account,
        Family::Token => owners::token,
        Family::TokenUse => owners::token_use,
        Family::Request => owners::request,
        Family::ScreenKey => owners::screen_key,
        Family::SignIn => sign_in::sign_in,
        Family::Invitation => sign_in::invitation,
        Family::Session => sign_in::session,
        Family::SingleSignOn => parses::<StoredProvider>,
        Family::ProviderIdentity => sign_in::identity,
        Family::Category => catalog::category,
        Family::CategoryByName => catalog::by_name,
        Family::CategoryFoldedName => catalog::folded_name,
        Family::Product => catalog::product,
        Family::BulkBefore => parses::<BulkBefore>,
        Family::BulkHead => parses::<BulkHead>,
        Family::ImageJob => catalog::image_job,
        Family::StockLevel => stock::level,
        Family::StockMovement => stock::movement,
        Family::Transaction => journal::transaction,
        Family::TransactionById => journal::transaction_by_id,
        Family::JournalDay => journal::day,
        Family::DayArticles => journal::articles,
        Family::ReceiptFrom => journal::receipt_from,
        Family::ReceiptUpTo => journal::receipt_up_to,
        Family::RegisterPeriod => journal::register_period,
        Family::ZReport => journal::z_report,
        Family::Order => orders::order,
        Family::OrderByScreen => orders::by_screen,
        Family::Event => events::event,
        Family::Webhooks => webhooks::webhooks,
        Family::WebhooksLink => webhooks::link,
        Family::WebhookState => webhooks::state,
        Family::DeliveryByDue | Family::WaitingStock => webhooks::outstanding,
        Family::SentStock => parses::<SentStock>,
        Family::Delivery => webhooks::delivery,
        Family::WebhookWoken => webhooks::woken,
        Family::WebhookByDue => webhooks::by_due,
        Family::Trail => trail_entry,
        Family::TrailAnchor => trail_anchor,
        Family::Mail => parses::<QueuedMail>,
        Family::Answer => owners::answer,
        Family::AnswerByExpiry => owners::answer_by_expiry,
        _ => return None,
    })
}

/// Checks the clock of a partition.
fn clock(findings: &mut Findings, at: &ReadKey, row: &Value) {
    parses::<ChangeClock>(findings, at, row);
    findings.partition.clock = Some(row.clone());
}

/// Checks an entry of the trail.
/// The verification of the trail follows the hashes.
fn trail_entry(findings: &mut Findings, at: &ReadKey, row: &Value) {
    declared::row::<TrailEntry>(findings, at, row);
    findings.partition.trail = Some(TrailHead {
        number: at.number().unwrap_or_default(),
        hash: TrailHash::of(row),
    });
}

/// Checks the note about the removed entries of a trail.
fn trail_anchor(findings: &mut Findings, _: &ReadKey, row: &Value) {
    let removed = findings.parse::<TrailHead>(row);
    let trail = &mut findings.partition.trail;
    *trail = (*trail).or(removed);
}

/// Records an unfinished import.
fn unfinished_import(findings: &mut Findings, _: &ReadKey, _: &Value) {
    findings.problem(
        ProblemKind::UnfinishedImport,
        "an import or a restore did not finish: give the same command again".to_owned(),
    );
}

/// Checks the form of a row.
fn parses<T: DeserializeOwned>(findings: &mut Findings, _: &ReadKey, row: &Value) {
    findings.parse::<T>(row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::keys::Relation;

    /// Otherwise its rows are not checked.
    #[test]
    fn every_family_has_a_rule_or_says_enough_itself() {
        for family in Family::ALL {
            let is_declared = match family.relation() {
                Relation::Tombstone(_) => true,
                Relation::Entry(_, rows, _) => declared::kind(rows).is_some(),
                Relation::Own | Relation::Numbered => declared::kind(*family).is_some(),
            };
            assert!(is_declared || rule(*family).is_some(), "{}", family.name());
        }
    }
}
