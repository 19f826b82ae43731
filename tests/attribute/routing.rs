//! Our own routers do what axum's do.

use axum::body::Body;
use axum::handler::Handler;
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use axum::routing::MethodFilter;
use tollgate::axum::routing::{
    MethodRouter, Router, any, connect, delete, get, head, on, options, patch, post, put, trace,
};
use tollgate::{Class, rate_limited};
use tower::{ServiceExt as _, service_fn};

use super::{App, limit, to};

#[rate_limited(Class::Read)]
async fn read() -> &'static str {
    "read"
}

#[rate_limited(Class::Write)]
async fn write() -> &'static str {
    "write"
}

#[rate_limited(exempt = "tells that there is nothing")]
async fn nothing() -> (StatusCode, &'static str) {
    (StatusCode::IM_A_TEAPOT, "nothing")
}

fn request(method: Method, path: &str) -> Request<Body> {
    let mut request = to(path);
    *request.method_mut() = method;
    request
}

async fn answer(router: &Router, method: Method, path: &str) -> Response {
    router.clone().oneshot(request(method, path)).await.expect("a router answers")
}

/// Whose limit the answer tells of, or its status when it tells of none.
async fn limited_by(router: &Router, method: Method, path: &str) -> String {
    let response = answer(router, method, path).await;
    match limit(&response) {
        Some(limit) => limit.split('"').nth(1).expect("a name in quotes").to_owned(),
        None => response.status().as_u16().to_string(),
    }
}

#[tokio::test]
async fn each_function_routes_its_method_and_no_other() {
    type Make = fn(MethodRouter<App>) -> MethodRouter<App>;
    let cases: [(Method, MethodRouter<App>, Make); 9] = [
        (Method::CONNECT, connect(read), |routes| routes.connect(read)),
        (Method::DELETE, delete(read), |routes| routes.delete(read)),
        (Method::GET, get(read), |routes| routes.get(read)),
        (Method::HEAD, head(read), |routes| routes.head(read)),
        (Method::OPTIONS, options(read), |routes| routes.options(read)),
        (Method::PATCH, patch(read), |routes| routes.patch(read)),
        (Method::POST, post(read), |routes| routes.post(read)),
        (Method::PUT, put(read), |routes| routes.put(read)),
        (Method::TRACE, trace(read), |routes| routes.trace(read)),
    ];
    let methods = cases.each_ref().map(|(method, ..)| method.clone());
    for (method, function, chained) in cases {
        let chained = chained(MethodRouter::new());
        for routes in [function, chained] {
            let router = Router::new().route("/", routes).with_state(App::new());
            for asked in &methods {
                let both = method == Method::GET && asked == Method::HEAD;
                let expected = if method == asked || both { "rl.read" } else { "405" };
                assert_eq!(limited_by(&router, asked.clone(), "/").await, expected, "{method}");
            }
        }
    }
}

#[tokio::test]
async fn handlers_of_one_path_have_limits_of_their_own() {
    let paths = get(read).on(MethodFilter::POST, write).fallback(nothing);
    let router = Router::new().route("/", paths).with_state(App::new());
    assert_eq!(limited_by(&router, Method::GET, "/").await, "rl.read");
    assert_eq!(limited_by(&router, Method::POST, "/").await, "rl.write");
    assert_eq!(limited_by(&router, Method::PUT, "/").await, "418");
}

#[tokio::test]
async fn any_and_on_route_as_they_do_in_axum() {
    let router = Router::new()
        .route("/any", any(read))
        .route("/on", on(MethodFilter::PUT.or(MethodFilter::PATCH), write))
        .with_state(App::new());
    for method in [Method::GET, Method::DELETE, Method::OPTIONS] {
        assert_eq!(limited_by(&router, method, "/any").await, "rl.read");
    }
    assert_eq!(limited_by(&router, Method::PUT, "/on").await, "rl.write");
    assert_eq!(limited_by(&router, Method::PATCH, "/on").await, "rl.write");
    assert_eq!(limited_by(&router, Method::GET, "/on").await, "405");
}

#[tokio::test]
async fn routers_nest_merge_and_fall_back() {
    let router = Router::new()
        .nest("/v1", Router::new().route("/read", get(read)))
        .merge(Router::new().route("/write", get(write).merge(options(read))))
        .fallback(nothing)
        .method_not_allowed_fallback(nothing)
        .with_state(App::new());
    assert_eq!(limited_by(&router, Method::GET, "/v1/read").await, "rl.read");
    assert_eq!(limited_by(&router, Method::GET, "/write").await, "rl.write");
    assert_eq!(limited_by(&router, Method::OPTIONS, "/write").await, "rl.read");
    assert_eq!(limited_by(&router, Method::GET, "/elsewhere").await, "418");
    assert_eq!(limited_by(&router, Method::PUT, "/write").await, "418");
}

#[tokio::test]
async fn what_declares_nothing_is_mounted_by_name() {
    let service =
        service_fn(|_| async { Ok::<_, std::convert::Infallible>(Response::new(Body::empty())) });
    let router = Router::new()
        .route_service("/service", service)
        .nest_service("/nested", service)
        .merge(Router::unchecked(
            axum::Router::new().route("/plain", axum::routing::get(|| async {})),
        ))
        .route("/path", MethodRouter::unchecked(axum::routing::get(|| async {})))
        .fallback_service(service)
        .with_state(App::new());
    for path in ["/service", "/nested/x", "/plain", "/path", "/elsewhere"] {
        assert_eq!(limited_by(&router, Method::GET, path).await, "200");
    }
}

#[tokio::test]
async fn layers_wrap_the_check() {
    let mark = || {
        axum::middleware::map_response(|mut response: Response| async move {
            response.headers_mut().append("x-mark", "1".parse().expect("a value"));
            response
        })
    };
    let router = Router::new()
        .route("/", get(read).layer(mark()).route_layer(mark()))
        .route_layer(mark())
        .layer(mark())
        .with_state(App::new());
    let response = answer(&router, Method::GET, "/").await;
    assert_eq!(response.headers().get_all("x-mark").iter().count(), 4);
    assert!(limit(&response).is_some());
    let response = answer(&router, Method::GET, "/elsewhere").await;
    assert_eq!(response.headers().get_all("x-mark").iter().count(), 1);
}

#[tokio::test]
async fn a_layer_on_a_handler_leaves_its_declaration() {
    let layered = Handler::layer(read, tower::layer::util::Identity::new());
    let router = Router::new().route("/", get(layered)).with_state(App::new());
    assert_eq!(limited_by(&router, Method::GET, "/").await, "rl.read");
}

#[tokio::test]
async fn a_preflight_that_nobody_declared_to_handle_costs_nothing() {
    let preflight = |path| {
        let mut request = request(Method::OPTIONS, path);
        let headers = request.headers_mut();
        headers.insert("origin", "http://localhost:3000".parse().expect("a value"));
        headers.insert("access-control-request-method", "POST".parse().expect("a value"));
        request
    };
    let routes = Router::new()
        .route("/read", get(read))
        .route("/both", get(write).options(write))
        .with_state(App::new());
    for _ in 0..3 {
        let response = routes.clone().oneshot(preflight("/read")).await.expect("an answer");
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(limit(&response), None);
    }
    let response = answer(&routes, Method::GET, "/read").await;
    assert_eq!(limit(&response), Some("\"rl.read\";r=119;t=1"));
    // A declared handler of `OPTIONS` is limited as it says.
    let response = routes.clone().oneshot(preflight("/both")).await.expect("an answer");
    assert_eq!(limit(&response), Some("\"rl.write\";r=29;t=1"));
}
