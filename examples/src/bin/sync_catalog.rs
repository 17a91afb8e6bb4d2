//! Syncs a shop's menu from CSV files to a Connect location.
//! It creates new products, updates changed ones, and leaves products missing in the files alone. A second
//! run changes nothing.
//!
//! The menu has a line per product, identified by its `externalId`. The optional columns are `name`,
//! `category`, `priceCents`, `vatRate`, `barcode`, `imageUrl` and `optionGroups` (external ids separated
//! by `|`); no other column is allowed. A field without a column stays as it is; an empty category,
//! barcode, link or list of groups clears it. The option groups have a line per option; the first line of
//! a group sets `groupName`, `minSelect` and `maxSelect`.
//!
//! The images of `examples/data/menu.csv` are at a nonexistent host. Their downloads are queued, tried a
//! few times and given up, and the products show the reason.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use connect_client::{
    BatchError, Client,
    wire::{
        BatchExtra, BatchResult, BatchStatus, Field, Id, Location, OptionGroup, OptionGroupInput,
        OptionInput, ProductInput, VatRate,
    },
};
use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};

type Error = Box<dyn std::error::Error>;
/// The rows of a file, each with its line number.
type Lines<T> = Vec<(usize, T)>;

/// Bring a menu from CSV files to a Connect location. Exit codes: 0 when everything is there, 1 when
/// something was refused or skipped, 2 when the run could not start or stopped half way.
#[derive(Parser)]
struct Arguments {
    /// The products
    menu: PathBuf,
    /// The option groups
    #[arg(long, value_name = "FILE")]
    option_groups: Option<PathBuf>,
    /// The service's base address, such as http://127.0.0.1:8080/v1
    #[arg(long, env = "CONNECT_URL")]
    url: String,
    /// A token that may write the catalog; others can see it on a command line
    #[arg(long, env = "CONNECT_TOKEN", hide_env_values = true)]
    token: String,
    /// The location [default: the first that the token is for]
    #[arg(long, env = "CONNECT_LOCATION", value_name = "ID")]
    location: Option<Id<Location>>,
    /// Say what would happen, and save nothing
    #[arg(long)]
    dry_run: bool,
    /// Send the good lines of a menu that has bad ones too
    #[arg(long)]
    skip_bad: bool,
}

/// A line of the menu.
/// `None` is a missing column, `Some(None)` an empty cell.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    external_id: String,
    #[serde(default, deserialize_with = "cell")]
    name: Option<String>,
    #[serde(default, deserialize_with = "cell")]
    category: Option<Option<String>>,
    #[serde(default, deserialize_with = "cell")]
    price_cents: Option<i64>,
    #[serde(default, deserialize_with = "vat_rate")]
    vat_rate: Option<VatRate>,
    #[serde(default, deserialize_with = "cell")]
    barcode: Option<Option<String>>,
    #[serde(default, deserialize_with = "cell")]
    image_url: Option<Option<String>>,
    #[serde(default, deserialize_with = "cell")]
    option_groups: Option<String>,
}

/// A line of the option groups.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OptionRow {
    group_external_id: String,
    group_name: String,
    min_select: i64,
    max_select: i64,
    external_id: String,
    name: String,
    price_cents: i64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let code = run(&Arguments::parse()).await.unwrap_or_else(|error| {
        eprintln!("sync_catalog: {error}");
        2
    });
    ExitCode::from(code)
}

/// Syncs the menu, and returns the exit code.
async fn run(arguments: &Arguments) -> Result<u8, Error> {
    let (mut options, mut bad): (Lines<OptionRow>, _) = (Vec::new(), Vec::new());
    if let Some(path) = &arguments.option_groups {
        options = read(path, &mut bad)?;
    }
    // Options are never skipped: a group that is sent without one of them loses it.
    let may_skip = arguments.skip_bad && bad.is_empty();
    let mut rows: Lines<Row> = read(&arguments.menu, &mut bad)?;
    let mut seen = HashSet::new();
    rows.retain(|(line, row)| {
        let is_group = |code: &str| options.iter().any(|(_, row)| row.group_external_id == code);
        let problem = match row.groups().find(|code| !is_group(code)) {
            Some(code) => format!("optionGroups: there is no group {code:?}"),
            None if seen.insert(row.external_id.clone()) => return true,
            None => format!("externalId: {:?} is there twice", row.external_id),
        };
        let path = arguments.menu.display();
        bad.push(format!("{path}: line {line}, column {problem}"));
        false
    });
    bad.iter().for_each(|problem| eprintln!("{problem}"));
    if !bad.is_empty() && !may_skip {
        return Err(format!("{} bad lines, nothing was sent", bad.len()).into());
    }

    let client = Client::builder(&arguments.url, &arguments.token).build()?;
    let first = client.locations().await?.first().map(|first| first.id);
    let id = arguments.location.or(first);
    let location = client.location(id.ok_or("the token is for no location")?);

    let (lines, groups) = option_groups(options);
    let upsert = location.option_groups().upsert_all(&groups);
    let saved = upsert.dry_run(arguments.dry_run).run().await;
    let saved_groups = report("option groups", &lines, saved)?;
    let mut ids = HashMap::new();
    for group in saved_groups.results {
        // A dry run has ids for groups that it would make.
        if !arguments.dry_run || group.status != BatchStatus::Created {
            ids.extend(group.external_id.zip(group.id.map(Id::new)));
        }
    }

    let products = rows.into_iter();
    let products = products.map(|(line, row)| (line, row.product(&ids)));
    let (lines, products): (Vec<_>, Vec<_>) = products.unzip();
    let upsert = location.products().upsert_all(&products);
    let upsert = upsert.dry_run(arguments.dry_run);
    let progress = |done| eprintln!("{done} of {} products", lines.len());
    let saved = upsert.run_with(|step| progress(step.items.end)).await;
    let saved = report("products", &lines, saved)?;
    println!("images: {} queued", saved.extra.images_queued);
    println!("bad lines: {} skipped", bad.len());
    if arguments.dry_run {
        println!("dry run: nothing was saved");
    }
    Ok((saved_groups.failed + saved.failed + bad.len() > 0).into())
}

/// Prints the counts, and each refused item with its line.
fn report<E: BatchExtra>(
    what: &str,
    lines: &[usize],
    saved: Result<BatchResult<E>, BatchError<BatchResult<E>>>,
) -> Result<BatchResult<E>, Error> {
    let line_of = |index| lines.get(index).copied().unwrap_or(1);
    let sum = saved.as_ref().unwrap_or_else(BatchError::saved);
    print!("{what}: {} created, {} updated, ", sum.created, sum.updated);
    println!("{} unchanged, {} failed", sum.unchanged, sum.failed);
    if sum.replayed > 0 {
        println!(
            "  {} of these were done by an earlier request",
            sum.replayed
        );
    }
    for item in &sum.results {
        if let Some(error) = &item.error {
            println!("  line {}: {}", line_of(item.index), error.message);
        }
    }
    saved.map_err(|stopped| {
        let line = line_of(stopped.resume_from());
        format!("stopped at line {line}: {}", stopped.into_error()).into()
    })
}

/// Reads the rows of a CSV file, and reports invalid lines.
fn read<T: DeserializeOwned>(path: &Path, bad: &mut Vec<String>) -> Result<Lines<T>, Error> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let text = text.replace('\u{feff}', "").replace("\r\n", "\n");
    // The reader gives the number of the first blank line in front.
    let line = |at: Option<&Position>| {
        let (line, rest) = at.map_or((0, ""), |at| (at.line(), &text[at.byte() as usize..]));
        line as usize + rest.bytes().take_while(|byte| *byte == b'\n').count()
    };
    let mut builder = ReaderBuilder::new();
    let mut reader = builder.trim(Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers()?.clone();
    let (mut rows, mut record) = (Vec::new(), StringRecord::new());
    loop {
        let row = match reader.read_record(&mut record) {
            Ok(false) => return Ok(rows),
            Ok(true) => record.deserialize(Some(&columns)),
            Err(error) => Err(error),
        };
        let line = line(record.position());
        match row.map_err(|error| problem(&error, &columns, &record)) {
            Ok(row) => rows.push((line, row)),
            Err(problem) => bad.push(format!("{name}: line {line}, {problem}")),
        }
    }
}

/// Returns the problem, with its column and cell if known.
fn problem(error: &csv::Error, columns: &StringRecord, record: &StringRecord) -> String {
    if let ErrorKind::Deserialize { err, .. } = error.kind() {
        let at = err.field().map(|place| place as usize);
        let cell = at.map(|at| format!("column {}: {:?}: ", &columns[at], &record[at]));
        return cell.unwrap_or_default() + &err.kind().to_string();
    }
    error.to_string()
}

/// Reads a cell of a present column.
fn cell<'de, D: Deserializer<'de>, T: Deserialize<'de>>(cell: D) -> Result<Option<T>, D::Error> {
    T::deserialize(cell).map(Some)
}

/// Reads a VAT rate.
/// An empty cell leaves it alone, or takes the location's rate for a new product.
fn vat_rate<'de, D: Deserializer<'de>>(cell: D) -> Result<Option<VatRate>, D::Error> {
    let rate = Option::<String>::deserialize(cell)?.map(|text| {
        let wrong = |error| D::Error::custom(format!("column vatRate: {text:?}: {error}"));
        text.parse().map_err(wrong)
    });
    rate.transpose()
}

impl Row {
    /// The external ids of its option groups.
    fn groups(&self) -> impl Iterator<Item = &str> {
        let codes = self.option_groups.iter().flat_map(|cell| cell.split('|'));
        codes.map(str::trim).filter(|code| !code.is_empty())
    }

    /// Makes the product.
    /// It keeps its groups while one in the list is not saved.
    fn product(self, ids: &HashMap<String, Id<OptionGroup>>) -> ProductInput {
        let groups: Option<Vec<_>> = self.groups().map(|code| ids.get(code).copied()).collect();
        let mut product = ProductInput {
            external_id: Field::Value(self.external_id),
            option_group_ids: self.option_groups.and(groups).map(Some).into(),
            name: self.name.map(Some).into(),
            price_cents: self.price_cents.map(Some).into(),
            vat_rate: self.vat_rate.map(Some).into(),
            barcode: self.barcode.into(),
            image_url: self.image_url.into(),
            ..ProductInput::default()
        };
        match self.category {
            None => {}
            Some(None) => product.category_id = Field::Null,
            Some(Some(name)) => product.category_name = Field::Value(name),
        }
        product
    }
}

/// Merges the lines of each group.
/// Returns the first line of each group, and the groups.
fn option_groups(mut rows: Lines<OptionRow>) -> (Vec<usize>, Vec<OptionGroupInput>) {
    let code = |(_, row): &(usize, OptionRow)| row.group_external_id.clone();
    rows.sort_by_key(code);
    let group = |rows: &[(usize, OptionRow)]| {
        let (line, first) = &rows[0];
        let option = |(_, row): &(usize, OptionRow)| OptionInput {
            external_id: Field::Value(row.external_id.clone()),
            price_cents: Field::Value(row.price_cents),
            ..OptionInput::named(&row.name)
        };
        let group = OptionGroupInput {
            external_id: Field::Value(first.group_external_id.clone()),
            min_select: Field::Value(first.min_select),
            max_select: Field::Value(first.max_select),
            ..OptionGroupInput::named(&first.group_name, rows.iter().map(option).collect())
        };
        (*line, group)
    };
    rows.chunk_by(|a, b| code(a) == code(b)).map(group).unzip()
}
