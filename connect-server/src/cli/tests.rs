//! Tests of the command line.

use connect_core::storage::redb::RedbOptions as EmbeddedOptions;

use super::*;

/// Reads the flags of `serve`.
pub(crate) fn serve(flags: &[&str]) -> Result<Options, clap::Error> {
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
    assert_eq!(images.place, Some(ImagePlace::Folder("/srv/images".into())));
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
    let refused = serve(&["--images", "s3://AKIA:word@shop/images"]);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("s3://BUCKET/PREFIX"), "{refused}");
    assert!(!refused.contains("word"), "{refused}");
}

#[test]
fn switches_that_exclude_each_other_are_refused() {
    let check = |words: &str| {
        let words = ["connect-server"].into_iter().chain(words.split(' '));
        Arguments::try_parse_from(words)?.check()
    };
    let tls = "--tls-cert chain.pem --tls-key key.pem";
    for (words, is_good) in [
        ("serve --insecure-http", true),
        (&format!("serve {tls}"), true),
        ("serve --trusted-proxy 10.0.0.7", true),
        (&format!("serve {tls} --insecure-http"), false),
        ("config --trusted-proxy 10.0.0.7 --insecure-http", false),
        ("serve --deliveries", true),
        ("demo --no-deliveries", true),
        ("demo --deliveries --no-deliveries", false),
    ] {
        let checked = check(words);
        assert_eq!(checked.is_ok(), is_good, "{words}");
        if let Err(error) = checked {
            assert!(error.to_string().contains("cannot be used with"), "{error}");
        }
    }
}

#[test]
fn limits_and_files_are_those_of_the_flags() {
    let flags = "--token-limit 1 --account-limit 2 --ip-limit 3 --anonymous-limit 4 \
                 --tls-cert chain.pem --tls-key key.pem";
    let options = serve(&flags.split_whitespace().collect::<Vec<_>>()).unwrap();
    let limits = RateLimits {
        token: 1,
        account: 2,
        address: 3,
        anonymous: 4,
    };
    assert_eq!(options.limits(), limits);
    let tls = options.tls().unwrap();
    assert_eq!(tls.certificates, PathBuf::from("chain.pem"));
    assert_eq!(tls.key, PathBuf::from("key.pem"));
    assert!(serve(&[]).unwrap().tls().is_none());
}

#[test]
fn a_store_has_the_memory_and_the_connections_of_the_flags() {
    let flags = "--cache 3 --scrub-rate 5 --database-connections 10 --database-pooler";
    let options = serve(&flags.split_whitespace().collect::<Vec<_>>()).unwrap();
    let first_rows = vec![(b"key"[..].into(), b"row"[..].into())];
    let embedded = options.store.embedded(first_rows.clone());
    assert_eq!(embedded.cache_bytes, 3 << 20);
    assert_eq!(embedded.scrub_rate, 5 << 20);
    let default = serve(&[]).unwrap().store.embedded(Vec::new());
    assert_eq!(default.scrub_rate, 1 << 20);
    assert_eq!(default.scrub_rate, EmbeddedOptions::default().scrub_rate);
    assert_eq!(embedded.first_rows, first_rows);
    let database = options.store.postgres();
    assert_eq!((database.readers, database.writers), (5, 5));
    assert!(!database.prepares);
}

#[test]
fn files_lie_beside_the_store() {
    let redb = StorageChoice::Redb("/var/lib/shop".into());
    for (path, expected) in [
        (redb.clock(), "/var/lib/shop.clock.json"),
        (redb.backup_lock(), "/var/lib/shop.backup.lock"),
        (redb.images(), "/var/lib/images"),
    ] {
        assert_eq!(path, Some(expected.into()));
    }
    // Servers of one database each have a folder of images.
    let database = "--data /var/lib/connect --storage postgres://db/shop";
    let options = serve(&database.split(' ').collect::<Vec<_>>()).unwrap();
    let images = options.image_place(&options.store.choice().unwrap());
    let folder = "/var/lib/connect/images";
    assert_eq!(images, ImagePlace::Folder(folder.into()));
}

/// Metrics need a token elsewhere.
#[test]
fn the_owners_address_is_private_on_this_machine_without_a_way_in() {
    for (flags, is_here, is_private) in [
        (&[][..], true, true),
        (&["--admin-listen", "[::1]:8081"], true, true),
        (&["--admin-listen", "0.0.0.0:8081"], false, false),
        (&["--trusted-proxy", "10.0.0.7"], true, false),
        (&["--admin-url", "https://shop.example"], true, false),
    ] {
        let options = serve(flags).unwrap();
        let found = (options.admin_is_here(), options.admin_is_private());
        assert_eq!(found, (is_here, is_private), "{flags:?}");
    }
}

#[test]
fn the_store_of_another_user_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let own = StorageChoice::Redb(folder.path().into());
    assert!(own.check_owner().is_ok());
    // Only root can give a folder away; to others, the root folder is one of another user.
    let other = match std::os::unix::fs::chown(folder.path(), Some(65_534), None) {
        Ok(()) => own,
        Err(_) => StorageChoice::Redb("/".into()),
    };
    let refused = other.check_owner().unwrap_err().to_string();
    assert!(
        refused.ends_with("run connect-server as that user"),
        "{refused}"
    );
}

#[test]
fn a_store_that_cannot_be_read_is_not_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for (path, why) in [
        (folder.path().join("none"), "there is no store in"),
        (file, "cannot be read"),
    ] {
        let refused = StorageChoice::Redb(path).check_exists().unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}
