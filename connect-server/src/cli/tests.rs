//! Tests of the command line.

use super::*;

fn serve(flags: &[&str]) -> Result<Options, clap::Error> {
    let words = ["connect-server", "serve"].iter().chain(flags);
    match Arguments::try_parse_from(words)?.command {
        Command::Serve(options) => Ok(options),
        other => panic!("{other:?}"),
    }
}

#[test]
fn deliveries_are_made_every_minute_and_every_second_in_the_demo() {
    let default = serve(&[]).unwrap().webhooks;
    assert_eq!(default.interval(false), Duration::from_secs(60));
    assert_eq!(default.interval(true), Duration::from_secs(1));
    let set = serve(&["--delivery-interval", "5"]).unwrap().webhooks;
    assert_eq!(set.interval(false), Duration::from_secs(5));
    assert_eq!(set.interval(true), Duration::from_secs(5));
    assert!(serve(&["--delivery-interval", "0"]).is_err());
}

#[test]
fn requests_to_one_host_are_limited() {
    for (flags, expected) in [
        (&[][..], Some((20, 100))),
        (
            &["--webhook-host-requests=3", "--webhook-host-rate=4"],
            Some((3, 4)),
        ),
        (&["--webhook-host-requests=0"], None),
        (&["--webhook-host-rate=0"], None),
    ] {
        let limits = serve(flags)
            .ok()
            .map(|options| options.webhooks.host_limits());
        let limits = limits.map(|limits| (limits.at_a_time, limits.a_second));
        assert_eq!(limits, expected, "{flags:?}");
    }
}

#[test]
fn the_password_of_the_mail_server_is_never_shown() {
    let url = "smtps://user:word@mail.example";
    let from = "The Shop <shop@example.com>";
    let mail = serve(&["--smtp-url", url, "--mail-from", from])
        .unwrap()
        .mail;
    assert!(mail.mailer().unwrap().is_some());
    assert!(!format!("{mail:?}").contains("word"), "{mail:?}");
    let wrong = ["--smtp-url", "user:word@mail.example", "--mail-from", from];
    let refused = serve(&wrong).unwrap().mail.mailer().unwrap_err();
    assert!(!refused.to_string().contains("word"), "{refused}");
    for wrong in [
        &["--smtp-url", url][..],
        &["--smtp-url", url, "--mail-from", "nobody"],
    ] {
        let refused = serve(wrong).unwrap_err().to_string();
        assert!(refused.contains("--mail-from"), "{refused}");
        assert!(!refused.contains("word"), "{refused}");
    }
    assert!(serve(&[]).unwrap().mail.mailer().unwrap().is_none());
}

#[test]
fn images_are_taken_as_the_flags_say() {
    let plain = serve(&["--storage", "redb:/var/lib/connect/store"]).unwrap();
    assert_eq!(plain.images.deadline(), DEFAULT_DEADLINE);
    assert_eq!(plain.images.allow_networks, None);
    let beside = plain.store.choice().unwrap().images();
    assert_eq!(beside, Some("/var/lib/connect/images".into()));
    assert_eq!(StorageChoice::Memory.images(), None);

    let flags = "--images /srv/images --image-timeout 5 --public-url https://shop.example/ \
                 --allow-networks 127.0.0.0/8,::1/128";
    let flags: Vec<_> = flags.split_whitespace().collect();
    let images = serve(&flags).unwrap().images;
    assert_eq!(images.folder, Some("/srv/images".into()));
    assert_eq!(images.deadline(), Duration::from_secs(5));
    assert_eq!(images.allow_networks, Some(Networks::loopback()));
    let public = images.public_url.unwrap().to_string();
    assert_eq!(public, "https://shop.example");
    for wrong in [
        ["--allow-networks", "localhost"],
        ["--allow-networks", "10.0.0.0/33"],
        ["--public-url", "shop.example"],
        ["--image-timeout", "0"],
    ] {
        assert!(serve(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn plain_http_for_everybody_is_no_second_way() {
    let check = |flags: &str| {
        let words = ["connect-server", "serve"].into_iter();
        Arguments::try_parse_from(words.chain(flags.split_whitespace()))?.check()
    };
    let tls = "--tls-cert chain.pem --tls-key key.pem";
    for (flags, is_good) in [
        ("--insecure-http", true),
        (tls, true),
        ("--trusted-proxy 10.0.0.7", true),
        (&format!("{tls} --insecure-http"), false),
        ("--trusted-proxy 10.0.0.7 --insecure-http", false),
    ] {
        let checked = check(flags);
        assert_eq!(checked.is_ok(), is_good, "{flags}");
        if let Err(error) = checked {
            assert!(error.to_string().contains("cannot be used with"), "{error}");
        }
    }
}
