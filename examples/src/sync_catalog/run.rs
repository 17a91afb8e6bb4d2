//! Bringing a menu to a location.

use std::io::{self, Write};

use connect_client::{
    Client, LocationHandle, UpsertError,
    wire::{ImagesQueued, ProductBatchResult, Scope},
};

use super::{Arguments, Menu, MenuError, Progress, report};

/// The outcome of a run that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of the file is at the location.
    Complete,
    /// Some rows were skipped or refused.
    Incomplete,
}

/// The reason why a run could not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The file is no menu.
    #[error(transparent)]
    Menu(#[from] MenuError),
    /// The file has bad rows, and nothing was sent.
    #[error("{0} bad rows: nothing was sent (--skip-bad sends the others)")]
    BadRows(usize),
    /// There is no location to write to.
    #[error("the token may not write the catalog of any location")]
    NoLocation,
    /// The service could not be asked.
    #[error(transparent)]
    Service(#[from] connect_client::Error),
    /// A request failed for good.
    #[error("stopped at line {line}: {source}; what is saved stays, a new run does the rest")]
    HalfWay {
        /// The first row that is not known to be done.
        line: usize,
        /// The error of the service.
        source: connect_client::Error,
    },
    /// The result could not be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}

/// Brings the menu to the service, and says on `output` what became of it.
///
/// # Errors
/// The menu was not sent, or not all of it. What is saved by then is on `output`.
pub async fn run(
    arguments: &Arguments,
    output: &mut impl Write,
    progress: &mut Progress<impl Write>,
) -> Result<Outcome, Stopped> {
    let menu = Menu::read(&arguments.menu)?;
    if !menu.unused.is_empty() {
        progress.note(&format!("not used: the columns {}", menu.unused.join(", ")));
    }
    if !menu.bad.is_empty() && !arguments.skip_bad {
        menu.bad
            .iter()
            .for_each(|bad| progress.note(&bad.to_string()));
        return Err(Stopped::BadRows(menu.bad.len()));
    }
    let client = Client::builder(&arguments.url, &arguments.token)
        .user_agent(concat!("sync_catalog/", env!("CARGO_PKG_VERSION")))
        .build()?;
    let location = choose(&client, arguments, progress).await?;

    let sent = send(&location, &menu, arguments.dry_run, progress).await;
    progress.finish();
    if arguments.dry_run {
        writeln!(output, "dry run: nothing was saved")?;
    }
    let result = match &sent {
        Ok(result) => result,
        Err(stopped) => stopped.saved(),
    };
    report::write(output, result, &menu.rows, &menu.bad)?;
    let is_complete = result.failed == 0 && menu.bad.is_empty();
    match sent {
        Ok(_) if is_complete => Ok(Outcome::Complete),
        Ok(_) => Ok(Outcome::Incomplete),
        Err(stopped) => {
            let line = menu
                .rows
                .get(stopped.unsaved_from())
                .map_or(1, |row| row.line);
            Err(Stopped::HalfWay {
                line,
                source: stopped.into_error(),
            })
        }
    }
}

/// The location that was asked for, or the first that the token may write to.
async fn choose(
    client: &Client,
    arguments: &Arguments,
    progress: &mut Progress<impl Write>,
) -> Result<LocationHandle, Stopped> {
    if let Some(id) = arguments.location {
        return Ok(client.location(id));
    }
    let locations = client.locations().await?;
    let mut writable = locations
        .iter()
        .filter(|l| l.scopes.contains(&Scope::CatalogWrite));
    let location = writable.next().ok_or(Stopped::NoLocation)?;
    progress.note(&format!("location {} ({})", location.name, location.id));
    Ok(client.location(location.id))
}

/// Sends the rows in requests of up to 500, one after the other.
async fn send(
    location: &LocationHandle,
    menu: &Menu,
    dry_run: bool,
    progress: &mut Progress<impl Write>,
) -> Result<ProductBatchResult, UpsertError<ImagesQueued>> {
    let products = menu.rows.iter().map(|row| &row.product);
    let upsert = location.products().upsert_all(products).dry_run(dry_run);
    upsert
        .run_with(|step| {
            let ProductBatchResult {
                created,
                updated,
                unchanged,
                failed,
                ..
            } = &step.result;
            progress.step(&format!(
                "{} of {} rows; of the last {}: {created} created, {updated} updated, \
                 {unchanged} unchanged, {failed} failed",
                step.items.end,
                menu.rows.len(),
                step.items.len(),
            ));
        })
        .await
}
