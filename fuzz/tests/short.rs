//! A short run of every target, as part of the gate.

use connect_fuzz::{Verdict, all, drive::drive, shrink::run, target};

/// Inputs for each target.
const INPUTS: u64 = 2_000;

/// Declares a test for each target, and one for a complete list.
macro_rules! short {
    ($($test:ident $name:literal,)+) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )+

        #[test]
        fn every_target_has_its_run() {
            let names: Vec<_> = all().into_iter().map(|target| target.name).collect();
            assert_eq!(names, [$($name),+]);
        }
    };
}

short! {
    product "product",
    category "category",
    option_group "option-group",
    option "option",
    option_links "option-links",
    stock_count "stock-count",
    stock_adjustment "stock-adjustment",
    transaction "transaction",
    order "order",
    order_change "order-change",
    z_report "z-report",
    product_batch "product-batch",
    option_group_batch "option-group-batch",
    stock_counts "stock-counts",
    query_none "query-none",
    query_period "query-period",
    query_products "query-products",
    query_categories "query-categories",
    query_groups "query-groups",
    query_stock "query-stock",
    query_orders "query-orders",
    query_images "query-images",
    query_events "query-events",
    query_journal "query-journal",
    query_z_reports "query-z-reports",
    query_movements "query-movements",
    query_summary "query-summary",
    key "key",
    timestamp "timestamp",
    date "date",
    moment "moment",
    number "number",
    id "id",
    cursor "cursor",
    cursor_forged "cursor-forged",
    header "header",
    record_product "record-product",
    record_category "record-category",
    record_group "record-group",
    record_order "record-order",
    record_row "record-row",
}

fn check(name: &str) {
    let target = target(name).unwrap();
    // With refused seeds a target would test nothing but refusals.
    for seed in &target.seeds {
        let verdict = run(&target, seed);
        assert_eq!(verdict, Ok(Verdict::Taken), "{}", seed.escape_ascii());
    }
    let summary = drive(&target, INPUTS, 1, |_| ());
    for (input, words) in &summary.faults {
        println!("{name}: {}\n{words}", input.escape_ascii());
    }
    assert!(summary.faults.is_empty());
}
