//! No secret comes into the trail, and no personal value.

use std::net::IpAddr;

use connect_core::{NewWebhook, ScreenType, UserChange, WebhookChange, wire::EventType};

use crate::{
    faulty::rows,
    properties::shop::{Backend, Shop},
    shop::screen,
    stored::family::{TRAIL, TRAIL_ANCHOR},
};

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

#[tokio::test]
async fn no_secret_is_in_an_entry() {
    let shop = Shop::open(Backend::Memory).await;
    let (connect, account) = (&shop.connect, shop.at.account().id);
    let mut secrets = vec![
        "owner@bakery.example".to_owned(),
        "noor@bakery.example".to_owned(),
    ];
    let user = connect.users(account).await.unwrap()[0].0.id;
    let change = UserChange {
        name: Some("Noor de Wit".into()),
        email: Some("noor@bakery.example".into()),
        ..UserChange::default()
    };
    connect.change_user(account, user, change).await.unwrap();
    secrets.push("Noor".to_owned());
    // Sign-in: invitation, passwords, sessions.
    let password = ["correct horse battery 1", "correct horse battery 2"];
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect
        .accept_invitation(invitation.expose(), password[0])
        .await;
    let session = accepted.unwrap().secret;
    let owner = connect.session(session.expose()).await.unwrap();
    connect
        .change_password(&owner, password[0], password[1])
        .await
        .unwrap();
    let signed_in = connect
        .sign_in(HERE, "noor@bakery.example", password[1])
        .await;
    let other = signed_in.unwrap().secret;
    connect.sign_out(&owner).await.unwrap();
    secrets.extend(password.map(str::to_owned));
    secrets.extend([invitation, session, other].map(|secret| secret.expose().to_owned()));
    // Tokens, screens, webhooks.
    screen(connect, &shop.at, ScreenType::Pos, "Till").await;
    let id = connect.screens(account).await.unwrap()[0].0.id;
    secrets.push(
        connect
            .roll_screen_key(account, id)
            .await
            .unwrap()
            .expose()
            .to_owned(),
    );
    let issued = connect.create_full_token(account, "Sync").await.unwrap();
    connect
        .revoke_token(account, issued.token.id)
        .await
        .unwrap();
    secrets.push(issued.secret.expose().to_owned());
    let new = NewWebhook {
        url: "https://hooks.example/in?key=hunter2".into(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    let issued = connect.create_webhook(account, new).await.unwrap();
    let change = WebhookChange {
        url: Some("https://hooks.example/in?key=hunter3".into()),
        ..WebhookChange::default()
    };
    let webhook = issued.webhook.id;
    connect
        .change_webhook(account, webhook, change)
        .await
        .unwrap();
    let rolled = connect.roll_webhook_secret(account, webhook).await.unwrap();
    secrets.extend([issued.secret, rolled.secret].map(|secret| secret.expose().to_owned()));
    secrets.push("hunter".to_owned());

    let rows = rows(&*shop.storage).await;
    // Hashes and digests, wherever they are stored.
    for (key, row) in &rows {
        if let Ok(row) = serde_json::from_slice::<serde_json::Value>(row) {
            for hidden in ["/password", "/digest"] {
                secrets.extend(
                    row.pointer(hidden)
                        .and_then(|value| value.as_str())
                        .map(str::to_owned),
                );
            }
        }
        if key.len() == 16 + 1 + 32 {
            secrets.push(hex_of(&key[17..]));
        }
    }
    assert!(secrets.len() >= 18, "{}", secrets.len());
    let trail = rows
        .iter()
        .filter(|(key, _)| matches!(key[16], TRAIL | TRAIL_ANCHOR));
    let trail: Vec<String> = trail
        .map(|(_, row)| String::from_utf8(row.to_vec()).unwrap())
        .collect();
    let text = trail.join("\n");
    for secret in &secrets {
        assert!(!text.contains(secret.as_str()), "{secret}: {text}");
    }
    // What happened is there all the same.
    for told in [
        r#""object":"session""#,
        r#""object":"invitation""#,
        r#""hidden":["password"]"#,
        r#""action":"roll""#,
        r#""hidden":["url"]"#,
        r#""hidden":["name","email"]"#,
        r#""object":"screen key""#,
        "https://hooks.example/in\"",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
