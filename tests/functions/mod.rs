//! Functions and methods that declare their limit.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::oneshot::{self, Receiver};
use tollgate::clock::ManualClock;
use tollgate::decision::NotAdmitted;
use tollgate::{Action, Class, Config, Key, Limiter, ToKey, rate_limited};

/// The error of the functions here.
#[derive(Debug, PartialEq)]
enum ExportError {
    Busy(Option<Duration>),
    Failed,
    Unservable,
}

impl From<NotAdmitted<Class>> for ExportError {
    fn from(error: NotAdmitted<Class>) -> Self {
        match error {
            NotAdmitted::QuotaExceeded(decision) => Self::Busy(decision.retry_after()),
            _ => Self::Unservable,
        }
    }
}

/// What a refusal says of a bucket of `rl.export`: 6 tokens a minute, of which `tokens` are missing.
fn busy(tokens: u64) -> ExportError {
    ExportError::Busy(Some(Duration::from_secs(10 * tokens)))
}

/// Full buckets, and a clock that stands.
fn limiter() -> Limiter {
    Limiter::with_clock(&Config::default(), ManualClock::new()).expect("the catalogue's limits")
}

struct Report {
    id: String,
}

impl Report {
    fn new(id: &str) -> Self {
        Self { id: id.to_owned() }
    }
}

struct Reports {
    limiter: Limiter,
    made: Cell<u32>,
}

impl Reports {
    fn new() -> Self {
        Self { limiter: limiter(), made: Cell::new(0) }
    }

    #[rate_limited(Class::Export, limiter = self.limiter, key = (tenant, report.id))]
    async fn export(&self, tenant: u64, report: Report) -> Result<String, ExportError> {
        self.made.set(self.made.get() + 1);
        if report.id == "broken" { Err(ExportError::Failed) } else { Ok(report.id) }
    }

    #[rate_limited(Class::Export, limiter = self.limiter, key = tenant, cost = 2)]
    async fn export_twice<T>(&self, tenant: T) -> Result<usize, ExportError>
    where
        T: AsRef<str> + ToKey,
    {
        Ok(tenant.as_ref().len())
    }
}

#[tokio::test]
async fn a_call_runs_while_its_key_has_tokens() {
    let reports = Reports::new();
    for _ in 0..2 {
        assert_eq!(reports.export(1, Report::new("a")).await, Ok("a".to_owned()));
    }
    assert_eq!(reports.export(1, Report::new("a")).await, Err(busy(1)));
    assert_eq!(reports.made.get(), 2, "a refused call does not run");
    assert_eq!(reports.export(1, Report::new("b")).await, Ok("b".to_owned()));
    assert_eq!(reports.export(2, Report::new("a")).await, Ok("a".to_owned()));
}

#[tokio::test]
async fn an_error_of_the_function_is_its_own_and_costs_as_much() {
    let reports = Reports::new();
    for _ in 0..2 {
        let failed = reports.export(1, Report::new("broken")).await;
        assert_eq!(failed, Err(ExportError::Failed));
    }
    assert_eq!(reports.export(1, Report::new("broken")).await, Err(busy(1)));
}

#[tokio::test]
async fn a_call_takes_its_cost() {
    let reports = Reports::new();
    assert_eq!(reports.export_twice("alice").await, Ok(5));
    assert_eq!(reports.export_twice("alice".to_owned()).await, Err(busy(2)));
}

#[rate_limited(Action::MessageSend, limiter = limiter, key = Key::global())]
async fn send(limiter: &Arc<Limiter>) -> Result<(), NotAdmitted<Class>> {
    Ok(())
}

#[tokio::test]
async fn a_free_function_takes_the_class_of_its_action() {
    let limiter = Arc::new(limiter());
    let mut sent = 0;
    let refused = loop {
        match send(&limiter).await {
            Ok(()) => sent += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(sent, Class::Message.limits().capacity());
    let NotAdmitted::QuotaExceeded(decision) = refused else { panic!("{refused}") };
    assert_eq!(decision.class(), Class::Message);
}

#[rate_limited(Class::Typing, limiter = limiter, key = connection)]
async fn typing(limiter: &Limiter, connection: u64) -> Result<(), ExportError> {
    Ok(())
}

#[tokio::test]
async fn a_function_may_use_a_class_of_the_gateway() {
    let limiter = limiter();
    for _ in 0..Class::Typing.limits().capacity() {
        assert_eq!(typing(&limiter, 7).await, Ok(()));
    }
    assert!(typing(&limiter, 7).await.is_err());
    assert_eq!(typing(&limiter, 8).await, Ok(()));
}

#[rate_limited(Class::Export, limiter = limiter, key = **name)]
async fn by_cell(limiter: &Limiter, name: Rc<String>) -> Result<Rc<String>, ExportError> {
    Ok(name)
}

fn sends<T: Send>(value: T) -> T {
    value
}

#[rate_limited(Class::Export, limiter = limiter, key = number.get())]
async fn by_number(limiter: &Limiter, number: Cell<u64>) -> Result<(), ExportError> {
    std::future::ready(()).await;
    number.set(2);
    Ok(())
}

#[tokio::test]
async fn a_component_of_the_key_need_not_be_sync() {
    let limiter = limiter();
    let call = sends(by_number(&limiter, Cell::new(1)));
    assert_eq!(call.await, Ok(()));
    assert!(by_cell(&limiter, Rc::new("a".to_owned())).await.is_ok());
}

#[async_trait]
trait Exporter: Sync {
    async fn export(&self, tenant: u64, report: Report) -> Result<String, ExportError>;

    #[rate_limited(Class::Import, limiter = self.limiter(), key = tenant)]
    async fn import(&self, tenant: u64) -> Result<(), ExportError> {
        std::future::ready(()).await;
        Ok(())
    }

    fn limiter(&self) -> &Limiter;
}

#[async_trait]
impl Exporter for Limiter {
    #[rate_limited(Class::Export, limiter = *self, key = (tenant, id))]
    async fn export(&self, tenant: u64, Report { id }: Report) -> Result<String, ExportError> {
        std::future::ready(()).await;
        Ok(id)
    }

    fn limiter(&self) -> &Limiter {
        self
    }
}

#[tokio::test]
async fn methods_that_async_trait_has_rewritten_are_limited_too() {
    let exporter: Box<dyn Exporter> = Box::new(limiter());
    for _ in 0..2 {
        assert_eq!(exporter.export(1, Report::new("a")).await, Ok("a".to_owned()));
        assert_eq!(exporter.import(1).await, Ok(()));
    }
    assert_eq!(exporter.export(1, Report::new("a")).await, Err(busy(1)));
    assert_eq!(exporter.export(1, Report::new("b")).await, Ok("b".to_owned()));
    assert_eq!(exporter.import(1).await, Err(busy(1)));
}

#[rate_limited(Class::Export, limiter = limiter, key = name)]
#[tracing::instrument(skip(limiter))]
async fn traced_beneath(limiter: &Limiter, name: &str) -> Result<(), ExportError> {
    Ok(())
}

#[tracing::instrument(skip(limiter))]
#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn traced_above(limiter: &Limiter, name: &str) -> Result<(), ExportError> {
    Ok(())
}

#[tokio::test]
async fn other_attributes_stand_on_either_side() {
    let limiter = limiter();
    assert_eq!(traced_beneath(&limiter, "a").await, Ok(()));
    assert_eq!(traced_above(&limiter, "a").await, Ok(()));
    assert_eq!(traced_beneath(&limiter, "a").await, Err(busy(1)));
    assert_eq!(traced_above(&limiter, "a").await, Err(busy(1)));
}

#[tokio::test]
async fn a_call_that_is_never_polled_takes_nothing() {
    let reports = Reports::new();
    for _ in 0..3 {
        drop(reports.export(1, Report::new("a")));
    }
    for _ in 0..2 {
        assert!(reports.export(1, Report::new("a")).await.is_ok());
    }
}

#[rate_limited(Class::Export, limiter = limiter, key = tenant)]
async fn wait(limiter: Limiter, tenant: u64, end: Receiver<()>) -> Result<(), ExportError> {
    drop(limiter);
    end.await.map_err(|_| ExportError::Failed)
}

#[tokio::test]
async fn closing_waits_for_the_bodies_that_run() {
    let limiter = limiter();
    let mut context = Context::from_waker(Waker::noop());
    let (finish, end) = oneshot::channel();
    let mut first = Box::pin(wait(limiter.clone(), 1, end));
    let (_never, end) = oneshot::channel();
    let mut second = Box::pin(wait(limiter.clone(), 1, end));
    for running in [&mut first, &mut second] {
        assert!(running.as_mut().poll(&mut context).is_pending());
    }
    // A refused call has ended.
    assert_eq!(wait(limiter.clone(), 1, oneshot::channel().1).await, Err(busy(1)));

    let mut closing = Box::pin(limiter.close());
    assert!(closing.as_mut().poll(&mut context).is_pending());
    assert_eq!(
        wait(limiter.clone(), 2, oneshot::channel().1).await,
        Err(ExportError::Unservable),
        "a closed limiter lets no other in"
    );
    finish.send(()).expect("the call waits for it");
    assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    assert!(closing.as_mut().poll(&mut context).is_pending());
    // One that is dropped has ended too.
    drop(second);
    assert_eq!(closing.as_mut().poll(&mut context), Poll::Ready(Ok(())));
}
