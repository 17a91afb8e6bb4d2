//! The demo: a sandbox account with two locations, screens and a shop.

mod menu;

use connect_core::{
    Account, Connect, Error, IssuedInvitation, NewAccount, NewLocation, NewScreen, Screen,
    ScreenType, Secret,
    wire::{
        Field, Id, Location, ProductBatch, ProductInput, VatRate, limits::MAX_PRODUCTS_PER_BATCH,
        query::ProductQuery,
    },
};

use self::menu::{Article, MENU};
use super::is_simulated;

/// An account to work with, and its new secrets.
pub struct Shop {
    /// The account.
    pub account: Account,
    /// A new token with all scopes, if one was made.
    pub token: Option<Secret>,
    /// The screens with new keys.
    pub screens: Vec<(Screen, Secret)>,
    /// A new invitation of the owner to the dashboard, if one was made.
    pub invitation: Option<IssuedInvitation>,
}

/// The name of the demo's account.
const NAME: &str = "De Korenbloem";

/// The names of its locations.
const PLACES: [&str; 2] = ["Korenbloem Market Square", "Korenbloem Station"];

/// The screens of each location.
const SCREENS: [(ScreenType, &str); 2] = [
    (ScreenType::Pos, "Till 1"),
    (ScreenType::OrderKiosk, "Kiosk at the door"),
];

/// The name of its tokens.
/// Each start makes one, because a value is shown only once.
const TOKEN: &str = "Demo";

/// The limit of valid tokens of this name.
/// An account may have 200, and its owner needs some.
const MOST_TOKENS: usize = 100;

/// Opens the demo's account with a new token and new screen keys.
/// Tokens of former starts stay valid, since programs may use them. A screen has one key, so its
/// old key is refused from now on. Missing parts of the shop are made, so the next start completes
/// an interrupted one; existing parts stay unchanged.
///
/// # Errors
/// The store failed.
pub async fn open(connect: &Connect) -> Result<Shop, Error> {
    let id = match find_account(connect, is_of_demo).await? {
        Some(account) => account.id,
        None => create_account(connect).await?,
    };
    let mut screens = Vec::new();
    for name in PLACES {
        let location = location(connect, id, name).await?;
        for (kind, name) in SCREENS {
            let screen = screen(connect, id, location, kind, name).await?;
            let key = connect.roll_screen_key(id, screen.id).await?;
            screens.push((screen, key));
        }
        stock_shelves(connect, id, location).await?;
    }
    make_room(connect, id).await?;
    let token = connect.create_full_token(id, TOKEN).await?;
    Ok(Shop {
        account: connect.account(id).await?,
        token: Some(token.secret),
        screens,
        invitation: Some(connect.invite_owner(id).await?),
    })
}

/// Finds the first account of this store, if it has any.
///
/// # Errors
/// The store failed.
pub async fn find(connect: &Connect) -> Result<Option<Shop>, Error> {
    let account = find_account(connect, |_| true).await?;
    Ok(account.map(|account| Shop {
        account,
        token: None,
        screens: Vec::new(),
        invitation: None,
    }))
}

/// Returns whether a former start made this account.
/// Its owner may have renamed it since.
fn is_of_demo(account: &Account) -> bool {
    let mut locations = account.locations.iter();
    let has_place = locations.any(|location| PLACES.contains(&&*location.name));
    account.sandbox && (account.name == NAME || has_place)
}

/// Revokes tokens of former starts to make room for another one.
/// Never used tokens go first, then the longest unused.
async fn make_room(connect: &Connect, account: Id<Account>) -> Result<(), Error> {
    let mut tokens = connect.tokens(account).await?;
    tokens.retain(|(token, _)| token.name == TOKEN && !connect.has_ended(token));
    tokens.sort_by_key(|(token, used)| (used.is_some(), used.unwrap_or(token.created_at)));
    let too_many = (tokens.len() + 1).saturating_sub(MOST_TOKENS);
    for (token, _) in &tokens[..too_many] {
        connect.revoke_token(account, token.id).await?;
    }
    Ok(())
}

async fn find_account(
    connect: &Connect,
    is_wanted: impl Fn(&Account) -> bool,
) -> Result<Option<Account>, Error> {
    for id in connect.account_ids().await? {
        let account = connect.account(id).await?;
        if is_wanted(&account) {
            return Ok(Some(account));
        }
    }
    Ok(None)
}

async fn create_account(connect: &Connect) -> Result<Id<Account>, Error> {
    let account = NewAccount {
        name: NAME.into(),
        owner_email: "owner@korenbloem.example".into(),
        sandbox: true,
    };
    Ok(connect.create_account(account).await?.id)
}

/// Finds or makes the account's location of this name.
async fn location(
    connect: &Connect,
    account: Id<Account>,
    name: &str,
) -> Result<Id<Location>, Error> {
    let locations = connect.account(account).await?.locations;
    if let Some(location) = locations.iter().find(|location| location.name == name) {
        return Ok(location.id);
    }
    let location = NewLocation {
        name: name.into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    Ok(connect.create_location(account, location).await?.id)
}

/// Finds or makes the location's screen of this type.
/// Passes over a simulated screen: each simulation replaces its key, so nothing else can write
/// with it.
async fn screen(
    connect: &Connect,
    account: Id<Account>,
    location_id: Id<Location>,
    kind: ScreenType,
    name: &str,
) -> Result<Screen, Error> {
    let screens = connect.account(account).await?.screens;
    let is_wanted = |screen: &Screen| {
        let is_of_type = screen.location_id == location_id && screen.kind == kind;
        is_of_type && !is_simulated(&screen.name)
    };
    if let Some(screen) = screens.into_iter().find(is_wanted) {
        return Ok(screen);
    }
    let screen = NewScreen {
        location_id,
        kind,
        name: name.into(),
    };
    connect.create_screen(account, screen).await
}

/// Puts the menu on sale at a location without products.
async fn stock_shelves(
    connect: &Connect,
    account: Id<Account>,
    location: Id<Location>,
) -> Result<(), Error> {
    let at = connect.authorize_owner(account, location, account).await?;
    let products = connect.location(&at).products();
    let found = products.list(&ProductQuery::default()).await?;
    if found.data.is_empty() {
        let menu: Vec<ProductInput> = MENU.iter().map(product).collect();
        for items in menu.chunks(MAX_PRODUCTS_PER_BATCH) {
            products.batch(ProductBatch::new(items.to_vec())).await?;
        }
    }
    Ok(())
}

fn product(article: &Article) -> ProductInput {
    let (code, category, name, price_cents, vat) = *article;
    ProductInput {
        external_id: Field::Value(code.into()),
        category_name: Field::Value(category.into()),
        price_cents: Field::Value(price_cents),
        vat_rate: Field::Value(VatRate::percent(vat)),
        ..ProductInput::named(name)
    }
}
