//! The rules for a row, by its family.

use super::{
    ProblemKind, catalog, events, findings::Findings, journal, orders, owners,
    partition::Partition, sign_in, stock, webhooks,
};
use crate::{
    storage::{Entry, Value},
    transaction::{ChangeClock, CompleteSince, ReadKey, keys::Family},
    wire::{
        Category, ImageJob, OptionGroup, Product, StockLevel, StockMovement, Timestamp, ZReport,
    },
};

/// Checks rows of one partition.
/// `partition` has the facts from the rows before these.
pub(super) fn look_at(entries: &[Entry], partition: Partition, now: Timestamp) -> Findings {
    let mut findings = Findings::new(partition);
    for entry in entries {
        findings.next_row(entry);
        let (key, row) = entry;
        match (ReadKey::of(key), ReadKey::unknown_family(key)) {
            (Some(at), _) => look(&mut findings, &at, row, now),
            (None, Some(family)) => findings.partition.newer(family),
            (None, None) => findings.problem(
                ProblemKind::UnknownKey,
                "this version writes no row with such a key".to_owned(),
            ),
        }
    }
    findings
}

fn look(findings: &mut Findings, at: &ReadKey, row: &Value, now: Timestamp) {
    findings.partition.count(at.family);
    let key = findings.key().clone();
    findings.partition.store(&key, at.family, row);
    match at.family {
        Family::Clock => {
            findings.parse::<ChangeClock>(row);
            findings.partition.clock = Some(row.clone());
        }
        Family::TombstonesSince => {
            findings.parse::<CompleteSince>(row);
        }
        Family::Maintenance => {
            findings.parse::<Timestamp>(row);
        }
        Family::RequestCount => {
            findings.parse::<u32>(row);
        }
        Family::ClockLead => {
            findings.parse::<u64>(row);
        }
        Family::Import => findings.problem(
            ProblemKind::UnfinishedImport,
            "an import or a restore did not finish: give the same command again".to_owned(),
        ),
        Family::Restored => {
            // Any object: only transfers know its content.
            findings.parse::<serde_json::Map<String, serde_json::Value>>(row);
        }
        Family::Account => owners::account(findings, at, row),
        Family::AccountList => owners::account_list(findings, at, row),
        Family::Token => owners::token(findings, at, row),
        Family::TokenById => owners::token_by_id(findings, at, row),
        Family::AccountOfToken => owners::account_of_token(findings, at, row),
        Family::TokenUse => owners::token_use(findings, at, row),
        Family::ScreenKey => owners::screen_key(findings, at, row),
        Family::ScreenKeyById => owners::screen_key_by_id(findings, at, row),
        Family::AccountOfScreenKey => owners::account_of_screen_key(findings, at, row),
        Family::SignIn => sign_in::sign_in(findings, at, row),
        Family::AccountOfEmail => sign_in::account_of_email(findings, at, row),
        Family::Invitation => sign_in::invitation(findings, at, row),
        Family::Session => sign_in::session(findings, at, row),
        Family::Category => catalog::category(findings, at, row),
        Family::CategoryByChange => catalog::index::<Category>(findings, at, row),
        Family::CategoryTombstone => catalog::tombstone::<Category>(findings, at, row),
        Family::CategoryByName => catalog::by_name(findings, at, row),
        Family::CategoryFoldedName => catalog::folded_name(findings, at, row),
        Family::Product => catalog::product(findings, at, row),
        Family::ProductByChange
        | Family::ProductByExternalId
        | Family::ProductByBarcode
        | Family::ProductByCategory
        | Family::ProductByOptionGroup => catalog::index::<Product>(findings, at, row),
        Family::ProductTombstone => catalog::tombstone::<Product>(findings, at, row),
        Family::OptionGroup => catalog::rows::<OptionGroup>(findings, at, row),
        Family::OptionGroupByChange | Family::OptionGroupByExternalId => {
            catalog::index::<OptionGroup>(findings, at, row);
        }
        Family::OptionGroupTombstone => catalog::tombstone::<OptionGroup>(findings, at, row),
        Family::ImageJob => catalog::image_job(findings, at, row),
        Family::ImageJobByProduct => catalog::image_job_by_product(findings, at, row),
        Family::ImageJobByCreation => catalog::in_order::<ImageJob>(findings, at, row),
        Family::ImageJobByDue => catalog::image_job_by_due(findings, at, row),
        Family::StockLevel => stock::level(findings, at, row),
        Family::StockLevelByChange => stock::level_in_order(findings, at, row),
        Family::StockLevelTombstone => catalog::tombstone::<StockLevel>(findings, at, row),
        Family::StockMovement => stock::movement(findings, at, row),
        Family::StockMovementByCreation => catalog::in_order::<StockMovement>(findings, at, row),
        Family::StockMovementByProduct => stock::of_product(findings, at, row),
        Family::Transaction => journal::transaction(findings, at, row),
        Family::TransactionById => journal::transaction_by_id(findings, at, row),
        Family::JournalDay => journal::day(findings, at, row),
        Family::ReceiptFrom => journal::receipt_from(findings, at, row),
        Family::ReceiptUpTo => journal::receipt_up_to(findings, at, row),
        Family::RegisterPeriod => journal::register_period(findings, at, row),
        Family::ZReport => journal::z_report(findings, at, row),
        Family::ZReportByClosing => catalog::in_order::<ZReport>(findings, at, row),
        Family::Order => orders::order(findings, at, row),
        Family::OrderByCreation | Family::OrderByUpdate => orders::in_order(findings, at, row),
        Family::OrderByScreen => orders::by_screen(findings, at, row),
        Family::Event => events::event(findings, at, row),
        Family::Webhooks => webhooks::webhooks(findings, at, row),
        Family::WebhooksLink => webhooks::link(findings, row),
        Family::WebhookState => webhooks::state(findings, at, row),
        Family::DeliveryByDue | Family::WaitingStock => {
            webhooks::outstanding(findings, at, row, now)
        }
        Family::SentStock => webhooks::sent_stock(findings, row),
        Family::Delivery => webhooks::delivery(findings, at, row),
        Family::WebhookWoken => webhooks::woken(findings, row),
        Family::WebhookByDue => webhooks::by_due(findings, at, row),
        Family::Answer => owners::answer(findings, at, row),
        Family::AnswerByExpiry => owners::answer_by_expiry(findings, at, row, now),
    }
}
