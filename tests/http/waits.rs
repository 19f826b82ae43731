//! The seconds that a refusal announces, from the limiter to the wire.

use std::sync::Arc;
use std::time::Duration;

use tollgate::clock::ManualClock;
use tollgate::{Caller, Class, Config};

use super::support::{EXPORT, admitted, builder_with, by, refused};

/// The `Retry-After` of a request that comes `after` the only token was taken, of which one comes every two seconds; and
/// that the request which comes as late as it says is admitted.
async fn announced(after: Duration) -> String {
    let config =
        Config::builder().class(Class::Export, |class| class.per_minute(30).burst(1)).build();
    let clock = Arc::<ManualClock>::default();
    let gate =
        builder_with(&config.expect("limits in range"), &clock).build().expect("no custom keys");
    let alice = by(Caller::principal("alice"));
    admitted(&gate, &EXPORT, &alice).await;
    clock.advance(after);
    let response = refused(&gate, &EXPORT, &alice).await;
    let wait = response.headers()["retry-after"].to_str().expect("digits").to_owned();
    clock.advance(Duration::from_secs(wait.parse().expect("whole seconds")));
    admitted(&gate, &EXPORT, &alice).await;
    wait
}

#[tokio::test]
async fn a_part_of_a_second_is_announced_as_a_whole_one() {
    // 900 ms, 493 ms and a microsecond are missing, then 1.95 s.
    assert_eq!(announced(Duration::from_millis(1_100)).await, "1");
    assert_eq!(announced(Duration::from_millis(1_507)).await, "1");
    assert_eq!(announced(Duration::from_micros(1_999_999)).await, "1");
    assert_eq!(announced(Duration::from_millis(50)).await, "2");
}

#[tokio::test]
async fn a_whole_number_of_seconds_is_announced_as_it_is() {
    assert_eq!(announced(Duration::ZERO).await, "2");
    assert_eq!(announced(Duration::from_secs(1)).await, "1");
}
