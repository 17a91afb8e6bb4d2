//! The parts of a period's turnover: payments, VAT, and articles.

use std::borrow::Cow;

use connect_core::{
    ArticleTotals, SoldArticles,
    wire::{PaymentTotal, Totals, VatAmount},
};
use maud::{Markup, html};

use crate::dashboard::{
    chart::{Bars, NamedAmount},
    messages::numbers,
    pages::shop::{PageLocation, means},
};

/// The most articles in each of the lists of the best and the worst.
const MOST_ARTICLES: usize = 5;

/// The means of payment and the VAT. Refunds are taken off.
pub(super) fn details(shop: &PageLocation, totals: &Totals) -> Markup {
    html! {
        (card(&text!("shop-payments"), &payments(shop, &totals.payments)))
        (card(&text!("word-vat"), &vat(shop, &totals.vat)))
    }
}

fn payments<'c>(shop: &'c PageLocation, totals: &'c [PaymentTotal]) -> Bars<'c> {
    let rows = totals.iter().map(|total| NamedAmount {
        name: means(&total.method),
        cents: total.amount_cents,
    });
    let title = text!("shop-payments");
    let headings = [text!("today-means"), title.clone()];
    Bars::new(title, headings, rows, &shop.location.currency)
}

fn vat<'c>(shop: &'c PageLocation, amounts: &[VatAmount]) -> Bars<'c> {
    let rows = amounts.iter().map(|amount| NamedAmount {
        name: numbers::percent(amount.vat_rate).into(),
        cents: amount.vat_cents,
    });
    let title = text!("word-vat");
    let headings = [text!("today-rate"), title.clone()];
    Bars::new(title, headings, rows, &shop.location.currency)
}

/// The articles with the highest and the lowest turnover, on one scale.
pub(super) fn articles(shop: &PageLocation, sold: &SoldArticles) -> Markup {
    let all = &sold.articles;
    let best = all.iter().take(MOST_ARTICLES);
    let best: Vec<_> = best.filter(|of| of.total_cents > 0).collect();
    // An article is in one list only.
    let rest = all.len().saturating_sub(best.len());
    let worst: Vec<_> = all.iter().rev().take(rest.min(MOST_ARTICLES)).collect();
    let best = of_articles(shop, text!("today-best"), &best);
    let worst = of_articles(shop, text!("today-worst"), &worst).beside(&best);
    let best = best.beside(&worst);
    html! {
        @if sold.missing_days > 0 {
            p.warning role="status" { (text!("today-missing-days", days = sold.missing_days)) }
        }
        (card(&text!("today-best"), &best))
        (card(&text!("today-worst"), &worst))
    }
}

fn of_articles<'c>(
    shop: &'c PageLocation,
    title: Cow<'c, str>,
    articles: &[&ArticleTotals],
) -> Bars<'c> {
    let rows = articles.iter().map(|article| {
        let quantity = numbers::quantity(article.quantity);
        NamedAmount {
            name: text!("today-article", name = &*article.name, quantity = quantity),
            cents: article.total_cents,
        }
    });
    let headings = [text!("word-product"), text!("word-turnover")];
    Bars::new(title, headings, rows, &shop.location.currency)
}

/// The card of a chart, if it has any amounts.
fn card(title: &str, bars: &Bars<'_>) -> Markup {
    html! {
        @if !bars.is_empty() { section.card { h2 { (title) } (bars.render()) } }
    }
}
