//! The cost of a synchronous replica, and the time until it has taken over.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use connect_core::storage::postgres::testing::{Cluster, TestDatabase};
use tokio::runtime::Runtime;

use crate::{
    measure::{self, Cost},
    scale::Scale,
    shop,
    singles::{self, Inserts},
    world,
};

/// Measures durable inserts and creates without a replica and with one that commits wait for, in turns;
/// then the first server ends, and the replica takes its place.
pub fn beside_none(runtime: &Runtime, scale: Scale) {
    let Some(first) = Cluster::start(true) else {
        return;
    };
    let database = TestDatabase::on(first.config());
    let inserts = runtime.block_on(Inserts::on(&database.address(), 32));
    let storage = runtime.block_on(world::storage(&database.address()));
    let shop = runtime.block_on(shop::open(Arc::new(storage), 1));
    let Some(replica) = first.replica() else {
        return;
    };
    println!("\nThe floor is the same while commits wait for no replica.\n");
    measure::head();
    let wait = |does_wait| {
        first.wait_for_replicas(does_wait);
        // The server takes the setting a moment later.
        std::thread::sleep(Duration::from_millis(300));
    };
    let compare = |name: &str, run: &dyn Fn() -> Cost| {
        let reach = measure::Reach::Wall(0.0);
        let with = |does_wait| {
            wait(does_wait);
            run()
        };
        measure::compare(name, reach, scale.rounds, || with(false), || with(true));
    };
    let few = scale.singles / 8;
    compare("one insert after another, waiting for a replica", &|| {
        inserts.run_alone(runtime, few)
    });
    compare("inserts by 32 writers, waiting for a replica", &|| {
        inserts.run(runtime, scale.singles / 32)
    });
    let made = std::cell::Cell::new(0);
    compare("one create after another, waiting for a replica", &|| {
        let start = made.replace(made.get() + few);
        measure::timed(few, || {
            runtime.block_on(async {
                for number in start..start + few {
                    singles::create(&shop.connect, &shop.locations[0], number).await;
                }
            });
        })
    });
    drop((inserts, shop));
    runtime.block_on(fail_over(&first, &database, &replica));
}

/// Ends the first server while a store works, and prints how long it is until the store's next write.
async fn fail_over(first: &Cluster, database: &TestDatabase, replica: &Cluster) {
    let port = |cluster: &Cluster| cluster.config().get_ports()[0];
    let one = format!("127.0.0.1:{}", port(first));
    let both = format!("{one},127.0.0.1:{}", port(replica));
    let address = database.address().replace(&one, &both);
    let address = format!("{address}&target_session_attrs=read-write&connect_timeout=2");
    let shop = shop::open(Arc::new(world::storage(&address).await), 1).await;
    let at = &shop.locations[0];
    first.crash().unwrap();
    let crashed = Instant::now();
    replica.promote();
    let promoted = crashed.elapsed();
    let body = || shop::batch(0..1, 100);
    let mut refused = 0;
    let written = loop {
        let request = connect_core::Request::json(body());
        let here = shop.connect.location(at);
        match here
            .json::<connect_core::wire::Product>()
            .batch(request)
            .await
        {
            Ok(_) => break crashed.elapsed(),
            Err(_) => refused += 1,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    println!(
        "\n| after the first server was killed | ms |\n|---|---|\n\
         | the replica is promoted | {:.0} |\n\
         | the first write of a running store is done, after {refused} that failed | {:.0} |",
        promoted.as_secs_f64() * 1e3,
        written.as_secs_f64() * 1e3,
    );
}
