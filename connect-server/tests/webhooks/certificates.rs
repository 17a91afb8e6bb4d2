//! Certificates of endpoints.

use connect_server::{networks::Networks, webhooks::WebhookClient};
use tokio::{io::AsyncWriteExt as _, net::TcpListener};

use super::{PATIENCE, Told, authority::Authority, send, settings};

#[tokio::test]
async fn a_certificate_has_to_be_trusted_valid_and_for_the_host() {
    let (known, unknown) = (Authority::new(), Authority::new());
    let mut settings = settings(Networks::loopback());
    settings.names = Told::new(&[&["127.0.0.1"]]);
    settings.authorities = vec![known.certificate()];
    let client = WebhookClient::with(settings, PATIENCE).unwrap();
    for (authority, host, until, expected) in [
        (&known, "hooks.example", 4000, Ok(200)),
        (&known, "hooks.example", 2021, Err("has expired")),
        (&known, "other.example", 4000, Err("another host name")),
        (&unknown, "hooks.example", 4000, Err("is not trusted")),
    ] {
        let endpoint = authority.endpoint(host, until).await;
        let url = format!("https://hooks.example:{}/", endpoint.address.port());
        match (send(&client, &url).await, expected) {
            (Ok(status), Ok(expected)) if status == expected => {}
            (Err(said), Err(expected)) if said.contains(expected) => {}
            (sent, expected) => panic!("{sent:?} instead of {expected:?}"),
        }
        assert_eq!(endpoint.requests(), usize::from(expected.is_ok()));
    }
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", plain.local_addr().unwrap());
    let speaks_first = async {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"220 this is no TLS\r\n").await.unwrap();
        stream
    };
    let (failed, _stream) = tokio::join!(send(&client, &url), speaks_first);
    let failed = failed.unwrap_err();
    assert!(failed.contains("TLS failed"), "{failed}");
}
