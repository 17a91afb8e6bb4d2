//! Imports a shop's old journal into a Connect location.
//! It saves the articles of the price list, each receipt as a sale at its original time, and a Z report for
//! each trading day. Then it compares the summary of every day with its own sums of the files.
//!
//! The journal has a line per piece sold (`date,time,receipt,item`), in the register's order and in
//! the shop's local time; the price list is the menu of `sync_catalog`. These rules fill the gaps of a
//! journal:
//!
//! - The same item twice on a receipt is two pieces. Prices and VAT rates come from the price list.
//! - A line `NONE` was voided, and a line `Adjustment` is a manual correction without a bookable
//!   amount. Both are dropped, and a receipt without other lines is skipped.
//! - Receipts with a number divisible by three were paid in cash, all other receipts by card.
//! - A trading day ends at five in the morning: a receipt at one belongs to the Z report of the
//!   evening before. The summary of a day follows the calendar, as in the service.
//! - When the clock is set back, a repeated time is the first one. When it is set forward, a skipped
//!   time is an hour later.
//!
//! The run may be killed and started again at any point. The note of each sale is its date and number
//! in the old journal: sales already at the location are not written again. A sale sent but not yet there
//! when the run looked is recognised by its idempotency key, the same text.
//! One register writes everything. With the key of another register the run stops after one sale or one Z
//! report, since only the answer reveals the register of a key.
//! The location must have no other sales on these days, or the sums differ.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    process::ExitCode,
};

use chrono::{NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _};
use chrono_tz::Europe::Amsterdam;
use clap::Parser;
use connect_client::{
    Client, LocationHandle,
    device::DeviceClient,
    wire::{
        Field, Id, LineInput, Location, PaymentInput, PaymentMethod, Product, ProductInput,
        Quantity, Register, Timestamp, Totals, Transaction, TransactionInput, TransactionType,
        Turnover, VatAmount, VatRate, ZReport, ZReportInput,
        query::{TransactionQuery, ZReportQuery},
    },
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, de::DeserializeOwned};

type Error = Box<dyn std::error::Error>;
/// The products by code.
type Products = HashMap<String, Id<Product>>;

/// Bring an old journal to a Connect location. Exit codes: 0 when the summaries agree, 1 when one
/// differs, 2 when the run could not start or stopped half way; start it again then.
#[derive(Parser)]
struct Arguments {
    /// The journal
    journal: PathBuf,
    /// The price list
    menu: PathBuf,
    /// The service's base address, such as http://127.0.0.1:8080/v1
    #[arg(long, env = "CONNECT_URL")]
    url: String,
    /// The address of its listener for devices, such as http://127.0.0.1:8081
    #[arg(long, env = "CONNECT_ADMIN_URL")]
    admin_url: String,
    /// A token that may write the catalog and read the journal; others can see it on a command line
    #[arg(long, env = "CONNECT_TOKEN", hide_env_values = true)]
    token: String,
    /// The key of a register at the location
    #[arg(long, env = "CONNECT_DEVICE_KEY", hide_env_values = true)]
    device_key: String,
    /// The location [default: the first that the token is for]
    #[arg(long, env = "CONNECT_LOCATION", value_name = "ID")]
    location: Option<Id<Location>>,
}

/// A line of the journal.
#[derive(Deserialize)]
struct Piece {
    date: String,
    time: String,
    receipt: u64,
    item: String,
}

/// A line of the price list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Article {
    external_id: String,
    name: String,
    category: Option<String>,
    price_cents: i64,
    vat_rate: VatRate,
    barcode: Option<String>,
}

/// A receipt of the journal.
struct Receipt<'m> {
    /// Its local time.
    at: NaiveDateTime,
    created_at: Timestamp,
    number: u64,
    /// Its articles by name, each with its pieces.
    items: BTreeMap<&'m str, (&'m Article, i64)>,
}

/// The sums of a day.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    sales: Turnover,
    /// Net, VAT and gross by rate, in cents.
    vat: BTreeMap<VatRate, [i64; 3]>,
    /// Cents by means of payment.
    paid: BTreeMap<PaymentMethod, i64>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let code = run(&Arguments::parse()).await.unwrap_or_else(|error| {
        eprintln!("import_journal: {error}");
        2
    });
    ExitCode::from(code)
}

/// Imports the journal, and returns the exit code.
async fn run(arguments: &Arguments) -> Result<u8, Error> {
    let menu: Vec<Article> = read(&arguments.menu)?;
    let pieces: Vec<Piece> = read(&arguments.journal)?;
    let receipts = receipts(&pieces, &menu)?;

    let client = Client::builder(&arguments.url, &arguments.token).build()?;
    let till = DeviceClient::builder(&arguments.admin_url, &arguments.device_key).build()?;
    let first = client.locations().await?.first().map(|first| first.id);
    let id = arguments.location.or(first);
    let location = client.location(id.ok_or("the token is for no location")?);
    let products = save(&menu, &location).await?;
    write(&receipts, &products, &till, &location).await?;

    let mut days = BTreeMap::<NaiveDate, Sums>::new();
    let mut all = Sums::default();
    for receipt in &receipts {
        days.entry(receipt.at.date()).or_default().add(receipt);
        all.add(receipt);
    }
    println!("days: {}", days.len());
    println!("receipts: {}", all.sales.count);
    for (rate, cents) in all.vat {
        let [net, vat, gross] = cents.map(money);
        println!("{rate} % VAT: {net} net, {vat} VAT, {gross}");
    }
    println!("turnover: {}", money(all.sales.total_cents));
    let mut differ = 0;
    for (day, expected) in days {
        let found = location.daily_summary(Some(day.into())).await?;
        let found = Sums::from(found.totals);
        if expected != found {
            differ += 1;
            println!("{day}: {expected:?} expected, {found:?} found");
        }
    }
    println!("summaries that differ: {differ}");
    Ok((differ > 0).into())
}

/// Reads the rows of a CSV file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let told = |error| format!("{}: {error}", path.display());
    let rows = csv::Reader::from_path(path).map_err(told)?;
    let rows: Result<Vec<T>, _> = rows.into_deserialize().collect();
    Ok(rows.map_err(told)?)
}

/// Groups the pieces into receipts, and reports dropped lines.
fn receipts<'m>(pieces: &[Piece], menu: &'m [Article]) -> Result<Vec<Receipt<'m>>, Error> {
    let named = |article: &'m Article| (&*article.name, article);
    let menu: HashMap<_, _> = menu.iter().map(named).collect();
    let (mut receipts, mut seen) = (Vec::new(), HashSet::new());
    let (mut dropped, mut skipped) = (0, 0);
    for pieces in pieces.chunk_by(|a, b| (&a.date, a.receipt) == (&b.date, b.receipt)) {
        let (first, number) = (&pieces[0], pieces[0].receipt);
        let time = format!("{} {}", first.date, first.time);
        let told = |problem: &str| format!("receipt {number} of {time}: {problem}");
        let at = NaiveDateTime::parse_from_str(&time, "%Y-%m-%d %H:%M:%S");
        let at = at.map_err(|_| told("the time must be such as 2026-11-20 and 09:15:30"))?;
        if !seen.insert((at.date(), number)) {
            return Err(told("it is there twice").into());
        }
        let mut items = BTreeMap::new();
        for item in pieces.iter().map(|piece| &*piece.item) {
            if item == "NONE" || item == "Adjustment" {
                dropped += 1;
                continue;
            }
            let unknown = || told(&format!("{item:?} is not in the price list"));
            let article = *menu.get(item).ok_or_else(unknown)?;
            items.entry(&*article.name).or_insert((article, 0)).1 += 1;
        }
        if items.is_empty() {
            skipped += 1;
            continue;
        }
        let clock = |local| Amsterdam.from_local_datetime(&local).earliest();
        let time = clock(at).or_else(|| clock(at + TimeDelta::hours(1)));
        let time = time.ok_or_else(|| told("no clock shows this time"))?;
        receipts.push(Receipt {
            at,
            created_at: Timestamp::from_micros(time.timestamp_micros()),
            number,
            items,
        });
    }
    println!("NONE and Adjustment: {dropped} lines dropped, {skipped} receipts skipped");
    Ok(receipts)
}

/// Saves the price list, and returns the product of each code.
async fn save(menu: &[Article], location: &LocationHandle) -> Result<Products, Error> {
    let menu: Vec<_> = menu.iter().map(Article::product).collect();
    let saved = location.products().upsert_all(&menu).run().await?;
    let (created, updated, failed) = (saved.created, saved.updated, saved.failed);
    println!("products: {created} created, {updated} updated");
    if saved.replayed > 0 {
        println!("  {} were done by an earlier request", saved.replayed);
    }
    if let Some(error) = saved.results.iter().find_map(|item| item.error.as_ref()) {
        return Err(format!("{failed} products refused: {}", error.message).into());
    }
    let results = saved.results.into_iter();
    let codes = results.filter_map(|item| item.external_id.zip(item.id.map(Id::new)));
    Ok(codes.collect())
}

/// Writes the sales and Z reports missing at the location.
async fn write(
    receipts: &[Receipt<'_>],
    products: &Products,
    till: &DeviceClient,
    location: &LocationHandle,
) -> Result<(), Error> {
    let (mut rows, mut closings) = (TransactionQuery::default(), ZReportQuery::default());
    (rows.paging.limit, closings.paging.limit) = (Some(200), Some(200));
    let rows = location.transactions().stream(&rows).all().await?;
    let row = |row: Transaction| Some((row.note.clone()?, row));
    let mut there: HashMap<_, _> = rows.into_iter().filter_map(row).collect();
    let imported = receipts.iter().find_map(|first| there.get(&first.name()));
    let mut register = imported.map(|first| first.register.clone());
    let closings = location.z_reports().stream(&closings).all().await?;
    let closing = |z: ZReport| Some((z.register.id, z.last_receipt_number?));
    // They come in their order, so the last of each register stays.
    let closed: HashMap<_, _> = closings.into_iter().filter_map(closing).collect();

    let (mut sales, mut z_reports) = (0, 0);
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} receipts, {eta} left")?;
    let bar = ProgressBar::new(receipts.len() as u64).with_style(style);
    let trading_day = |receipt: &Receipt<'_>| (receipt.at - TimeDelta::hours(5)).date();
    for day in receipts.chunk_by(|a, b| trading_day(a) == trading_day(b)) {
        let mut last = None;
        for receipt in day {
            let row = match there.remove(&receipt.name()) {
                Some(row) => row,
                None => {
                    let call = till.write_transaction(&receipt.sale(products));
                    let row = call.idempotency_key(receipt.name().parse()?).await?;
                    if sales == 0 {
                        let read = location.transactions().get(row.id).await;
                        read.map_err(|error| {
                            let name = receipt.name();
                            format!(
                                "is the register at this location? It has written {name}, \
                                 which is not here: {error}"
                            )
                        })?;
                    }
                    check_register(&mut register, &row.register, &receipt.name())?;
                    sales += 1;
                    row
                }
            };
            // A run with another key has left rows that are not of this register's Z report.
            if register
                .as_ref()
                .is_some_and(|one| one.id == row.register.id)
            {
                last = Some(row.receipt_number);
            }
            bar.inc(1);
        }
        let unclosed = register.as_ref().zip(last);
        let unclosed = unclosed.filter(|(one, last)| closed.get(&one.id) < Some(last));
        if let Some((_, number)) = unclosed {
            let key = format!("import/z/{number}").parse()?;
            let call = till.close(&ZReportInput::default());
            let closing = call.idempotency_key(key).await?;
            check_register(&mut register, &closing.register, "a Z report")?;
            z_reports += 1;
        }
    }
    bar.finish_and_clear();
    println!("written: {sales} sales, {z_reports} Z reports");
    Ok(())
}

/// Checks for a single register: the first to write something.
fn check_register(all: &mut Option<Register>, wrote: &Register, what: &str) -> Result<(), Error> {
    let first = all.get_or_insert_with(|| wrote.clone());
    if first.id == wrote.id {
        return Ok(());
    }
    let [first, wrote] = [first, wrote].map(|one| format!("{:?} ({})", one.name, one.id));
    let problem = format!(
        "the key is that of register {wrote}, which now has {what}; what was there is of register \
         {first}: go on with the key of that"
    );
    Err(problem.into())
}

impl Article {
    fn product(&self) -> ProductInput {
        ProductInput {
            external_id: Field::Value(self.external_id.clone()),
            category_name: self.category.clone().map(Some).into(),
            price_cents: Field::Value(self.price_cents),
            vat_rate: Field::Value(self.vat_rate),
            barcode: self.barcode.clone().map(Some).into(),
            ..ProductInput::named(&self.name)
        }
    }
}

impl Receipt<'_> {
    /// The note and the idempotency key of its sale.
    fn name(&self) -> String {
        format!("import/{}/{}", self.at.date(), self.number)
    }

    /// Its total, in cents.
    fn total(&self) -> i64 {
        let cents = |(article, pieces): &(&Article, i64)| pieces * article.price_cents;
        self.items.values().map(cents).sum()
    }

    fn paid_by(&self) -> PaymentMethod {
        match self.number % 3 {
            0 => PaymentMethod::Cash,
            _ => PaymentMethod::Card,
        }
    }

    /// Makes the sale.
    fn sale(&self, products: &Products) -> TransactionInput {
        let line = |(article, pieces): &(&Article, i64)| LineInput {
            product_id: products.get(&article.external_id).copied().map(Some).into(),
            external_id: Field::Value(article.external_id.clone()),
            name: Field::Value(article.name.clone()),
            quantity: Quantity::from_thousandths(pieces * 1000).map(Some).into(),
            unit_price_cents: Field::Value(article.price_cents),
            total_cents: Field::Value(pieces * article.price_cents),
            vat_rate: Field::Value(article.vat_rate),
            ..LineInput::default()
        };
        TransactionInput {
            kind: Field::Value(TransactionType::Sale),
            total_cents: Field::Value(self.total()),
            lines: Field::Value(self.items.values().map(line).collect()),
            payments: Field::Value(vec![PaymentInput::of(self.paid_by(), self.total())]),
            note: Field::Value(self.name()),
            created_at: Field::Value(self.created_at),
            ..TransactionInput::default()
        }
    }
}

impl Sums {
    /// Adds a receipt.
    /// Its VAT is computed per rate over all lines together, rounded to a cent.
    fn add(&mut self, receipt: &Receipt<'_>) {
        self.sales.count += 1;
        self.sales.total_cents += receipt.total();
        *self.paid.entry(receipt.paid_by()).or_default() += receipt.total();
        let mut by_rate = BTreeMap::<_, i64>::new();
        for (article, pieces) in receipt.items.values() {
            *by_rate.entry(article.vat_rate).or_default() += pieces * article.price_cents;
        }
        for (rate, gross) in by_rate {
            let percent = i64::from(rate.hundredths());
            let vat = (2 * gross * percent + 10_000 + percent) / (2 * (10_000 + percent));
            let sums = self.vat.entry(rate).or_default();
            for (sum, cents) in sums.iter_mut().zip([gross - vat, vat, gross]) {
                *sum += cents;
            }
        }
    }
}

impl From<Totals> for Sums {
    fn from(totals: Totals) -> Self {
        let cents = |vat: VatAmount| [vat.net_cents, vat.vat_cents, vat.gross_cents];
        let vat = totals.vat.into_iter().map(|vat| (vat.vat_rate, cents(vat)));
        let paid = totals.payments.into_iter();
        Self {
            sales: totals.sales,
            vat: vat.collect(),
            paid: paid.map(|paid| (paid.method, paid.amount_cents)).collect(),
        }
    }
}

/// Cents as euros.
fn money(cents: i64) -> String {
    format!("EUR {}.{:02}", cents / 100, cents % 100)
}
