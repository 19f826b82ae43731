#![deny(warnings, clippy::pedantic)]
//! Guarded functions that a macro writes, or that stand on one line.

use std::pin::Pin;

use async_trait::async_trait;
use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

type Answer<T> = Result<T, NotAdmitted<Class>>;

struct Reports(Limiter);

#[rustfmt::skip]
impl Reports {
    #[rate_limited(Class::Export, limiter = self.0, key = id)]
    async fn one(&self, id: u64) -> Answer<u64> { Ok(id) }

    #[rate_limited(Class::Export, limiter = self.0, key = id)]
    fn boxed(&self, id: u64) -> Pin<Box<dyn Future<Output = Answer<u64>> + Send + '_>> { Box::pin(async move { Ok(id) }) }
}

#[async_trait]
trait Export {
    async fn export(&self, id: u64) -> Answer<u64>;
}

#[rustfmt::skip]
#[async_trait]
impl Export for Reports {
    #[rate_limited(Class::Export, limiter = self.0, key = id)]
    async fn export(&self, id: u64) -> Answer<u64> { Ok(id) }
}

/// An item stands before the statements of the function, as it was written.
#[rate_limited(Class::Export, limiter = limiter, key = BATCH)]
async fn batch(limiter: &Limiter) -> Answer<u64> {
    const SIZE: u64 = 3;
    Ok(SIZE + BATCH)
}

const BATCH: u64 = 1;

macro_rules! guarded {
    ($name:ident, $class:path, $limiter:expr, $key:expr, $answer:ty, $body:block) => {
        #[rate_limited($class, limiter = $limiter, key = $key)]
        async fn $name(_: &Reports) -> Answer<$answer> $body
    };
}

guarded!(written, Class::Export, { Limiter::new(&Default::default()).unwrap() }, (1_u8, "x"), u8, { Ok(1) });

fn main() {
    fn calls(reports: &Reports) {
        drop((reports.one(1), reports.boxed(1), reports.export(1), batch(&reports.0), written(reports)));
    }
    let _: fn(&Reports) = calls;
}
