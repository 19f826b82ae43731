//! Sweeping on tokio's timer.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::advance;

use super::{limiter, spend};

#[tokio::test(start_paused = true)]
async fn running_sweeps_every_interval_until_it_is_told_to_stop() {
    let (limiter, clock) = limiter(|config| config.sweep_interval(Duration::from_secs(5)));
    let (stop, stopped) = oneshot::channel::<()>();
    let sweeping = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.run(stopped).await }
    });
    yield_now().await;
    for _ in 0..3 {
        spend(&limiter, 1, "a");
        clock.advance(Duration::from_secs(60));
        advance(Duration::from_millis(4_999)).await;
        yield_now().await;
        advance(Duration::from_millis(1)).await;
        yield_now().await;
        assert_eq!(limiter.sweep(), 0);
    }
    stop.send(()).unwrap();
    sweeping.await.unwrap();
}
