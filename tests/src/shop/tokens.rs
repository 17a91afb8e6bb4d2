//! Tokens of all kinds, and screens.

use std::net::IpAddr;

use connect_core::{
    Access, Account, Grant, IssuedToken, NewToken, Screen, ScreenType, Token,
    wire::{Id, Location, Scope, Timestamp},
};

use super::{Shop, setup};

/// Every scope there is.
pub fn everything() -> Vec<Scope> {
    Scope::KNOWN.to_vec()
}

impl Shop {
    /// A token with these scopes at one location.
    pub async fn token_for(&self, location: Id<Location>, scopes: &[Scope]) -> String {
        self.issue(location, scopes, None)
            .await
            .secret
            .expose()
            .to_owned()
    }

    /// A token for everything here, refused from `at` on.
    pub async fn token_until(&self, at: Timestamp) -> String {
        self.issue(self.here, &everything(), Some(at))
            .await
            .secret
            .expose()
            .to_owned()
    }

    /// A token for everything here, with the ID to revoke it.
    pub async fn revocable_token(&self) -> (String, Id<Token>) {
        let issued = self.issue(self.here, &everything(), None).await;
        (issued.secret.expose().to_owned(), issued.token.id)
    }

    /// The access of a new screen here, by its key.
    pub async fn screen(&self, kind: ScreenType, name: &str) -> Access {
        self.screen_at(self.here, kind, name).await
    }

    /// The access of a new screen at a location, by its key.
    pub async fn screen_at(&self, location: Id<Location>, kind: ScreenType, name: &str) -> Access {
        let keyed = self.keyed_screen(self.account, location, kind, name);
        let (key, address) = (keyed.await.1, IpAddr::from([127, 0, 0, 1]));
        let access = self.connect.authenticate_screen(address, Some(&key));
        access.await.expect("a screen is let in by its key")
    }

    /// Revokes a token.
    pub async fn revoke(&self, token: Id<Token>) {
        self.connect
            .revoke_token(self.account, token)
            .await
            .expect("the token");
    }

    /// A location of another account, and a token for everything there.
    /// Without a screen, the API is not available to the account.
    pub async fn stranger(&self, with_screen: bool) -> (Id<Location>, String) {
        let account = setup::account(&self.connect).await;
        let location = setup::location(&self.connect, account, "Elsewhere").await;
        if with_screen {
            setup::screen(
                &self.connect,
                account,
                location,
                ScreenType::OrderKiosk,
                "Kiosk",
            )
            .await;
        }
        let token = setup::full_token(&self.connect, account, "Everything").await;
        (location, token)
    }

    /// The key of a new screen at a location of any account.
    pub async fn screen_key(&self, location: Id<Location>, kind: ScreenType) -> String {
        let accounts = self.connect.account_ids().await.expect("the accounts");
        for id in accounts {
            let account = self.connect.account(id).await.expect("an account");
            if account.locations.iter().any(|at| at.id == location) {
                return self.keyed_screen(id, location, kind, "Screen").await.1;
            }
        }
        panic!("no account has the location {location}")
    }

    /// A new screen of an account, and the value of its key.
    pub(super) async fn keyed_screen(
        &self,
        account: Id<Account>,
        location_id: Id<Location>,
        kind: ScreenType,
        name: &str,
    ) -> (Id<Screen>, String) {
        setup::screen(&self.connect, account, location_id, kind, name).await
    }

    async fn issue(
        &self,
        location: Id<Location>,
        scopes: &[Scope],
        expires_at: Option<Timestamp>,
    ) -> IssuedToken {
        let grants = vec![Grant {
            location_id: location,
            scopes: scopes.to_vec(),
        }];
        let new = NewToken {
            name: "Till software".to_owned(),
            expires_at,
            grants,
        };
        self.connect
            .create_token(self.account, new)
            .await
            .expect("a token")
    }
}
