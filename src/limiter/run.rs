//! [`Limiter::run`]: sweeping on tokio's timer.

use std::pin::pin;

use tokio::time::{MissedTickBehavior, interval};

use super::Limiter;
use crate::catalogue::Catalogue;

impl<C: Catalogue> Limiter<C> {
    /// Sweeps every `sweep_interval` until `shutdown` is ready. No limit depends on it; it keeps the fingerprints of
    /// idle keys out of memory.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tollgate::{Class, Config, Limiter};
    ///
    /// let limiter = Limiter::<Class>::new(&Config::default())?;
    /// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    /// let sweeping = tokio::spawn({
    ///     let limiter = limiter.clone();
    ///     async move { limiter.run(stopped).await }
    /// });
    /// drop(stop);
    /// sweeping.await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(&self, shutdown: impl Future) {
        let mut shutdown = pin!(shutdown);
        let mut ticks = interval(self.engine.sweep_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick is immediate.
        ticks.tick().await;
        loop {
            tokio::select! {
                biased;
                _ = &mut shutdown => return,
                _ = ticks.tick() => {
                    self.sweep();
                }
            }
        }
    }
}
