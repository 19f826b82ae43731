#![deny(warnings, missing_docs)]
//! x
use axum::Router;
use axum::extract::{FromRef, Path, State};
use axum::routing::{get, post};
use tollgate::http::Gate;
use tollgate::{Action, Class, rate_limited};

#[derive(Clone)]
struct App { gate: Gate, db: Db }
#[derive(Clone)]
struct Db;
impl FromRef<App> for Gate { fn from_ref(app: &App) -> Self { app.gate.clone() } }
impl FromRef<App> for Db { fn from_ref(app: &App) -> Self { app.db.clone() } }

#[rate_limited(Class::Read)]
async fn list(State(_db): State<Db>, Path(channel): Path<String>, body: String) -> Result<String, String> {
    let list = 1;
    Ok(format!("{channel} {body} {list}"))
}

#[rate_limited(Action::MessageList, cost = 3)]
async fn nothing() -> &'static str { "x" }

#[rate_limited(default)]
async fn defaulted(_: State<Db>) {}

#[rate_limited(exempt = "no")]
async fn exempt(_: State<Db>) {}

fn main() {
    let app = App { gate: Gate::builder(tollgate::http::stand_in::Limiter::new(&tollgate::Config::default()).unwrap()).build().unwrap(), db: Db };
    let router: Router = Router::new()
        .route("/", post(list).get(nothing))
        .route("/a", get(defaulted)).route("/b", get(exempt))
        .with_state(app);
    let _ = router;
}
