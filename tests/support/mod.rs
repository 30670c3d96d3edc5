//! The service as the tests call it: in process, and over HTTP.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use axum::ServiceExt as _;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use http_body_util::BodyExt;
use jsonschema::Validator;
use scathe_server::config::Config;
use scathe_server::{App, Scathe, Service, app, router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// The top of the project.
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of one of the project's files.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = top().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below a folder whose name ends so, in order.
pub fn files(folder: impl AsRef<Path>, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The configuration that a service has without flags, with these instead.
pub fn config(arguments: &[&str]) -> Config {
    use clap::Parser;
    let line = ["scathe", "--listen", "127.0.0.1:0"].iter().chain(arguments);
    scathe_server::config::Cli::try_parse_from(line).unwrap().config
}

/// The games and their documents.
pub static APP: LazyLock<Arc<App>> = LazyLock::new(|| Arc::new(app().unwrap()));

static ROUTER: LazyLock<Scathe> = LazyLock::new(|| service(&[]));

/// A service with these flags.
pub fn service(arguments: &[&str]) -> Scathe {
    router(Service::new(APP.clone(), config(arguments), None).unwrap())
}

/// The OpenAPI document.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_slice(APP.document()).unwrap());

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The id of the problem, if it is one.
    pub fn problem(&self) -> Option<String> {
        let declared = self.headers.get("content-type").is_some_and(|kind| kind == "application/problem+json");
        declared.then(|| self.json()["type"].as_str().unwrap().trim_start_matches("/problems/").to_owned())
    }

    /// The pointers of the faults.
    pub fn pointers(&self) -> Vec<String> {
        let body = self.json();
        let errors = body["errors"].as_array().into_iter().flatten();
        errors.map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    }
}

fn answer(status: u16, headers: &axum::http::HeaderMap, body: Vec<u8>) -> Answer {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    Answer { status, headers: headers.collect(), body }
}

/// Sends a request in process.
pub fn send(method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
    send_to(&*ROUTER, method, path, headers, body)
}

/// What answers requests in process.
pub trait Answers:
    tower::Service<Request<Body>, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> Answers for S where
    S: tower::Service<Request<Body>, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

/// Sends a request in process to a service of another configuration.
pub fn send_to(
    service: &impl Answers,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.into()).unwrap();
    RUNTIME.block_on(async {
        let (parts, body) = service.clone().oneshot(request).await.unwrap().into_parts();
        answer(parts.status.as_u16(), &parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
    })
}

/// Posts JSON in process.
pub fn post(path: &str, body: &Value) -> Answer {
    send("POST", path, &[("content-type", "application/json")], body.to_string())
}

/// Reads a page in process.
pub fn get(path: &str) -> Answer {
    send("GET", path, &[], Body::empty())
}

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = RUNTIME.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    RUNTIME.spawn(async { axum::serve(listener, ROUTER.clone().into_make_service()).await.unwrap() });
    address
});

static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap()
});

/// Where the service listens.
pub fn url(path: &str) -> String {
    format!("http://{}{path}", *ADDRESS)
}

/// Sends a request over HTTP.
pub fn over_http(method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<reqwest::Body>) -> Answer {
    let mut request = CLIENT.request(method.parse().unwrap(), url(path)).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    RUNTIME.block_on(async {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        answer(status, &headers, response.bytes().await.unwrap().to_vec())
    })
}

/// A request of a case or of an action's example, ready to be sent.
#[derive(Clone, Debug)]
pub struct Asked {
    pub verb: String,
    pub body: Value,
}

/// The example of every action, as the document shows it.
pub fn examples() -> Vec<Asked> {
    let mut examples = Vec::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let asked = item.pointer("/post/requestBody/content/application~1json/examples").and_then(Value::as_object);
        let of_a_game = |example: &&Value| example["value"]["ruleset"].is_string();
        for example in asked.into_iter().flatten().map(|(_, example)| example).filter(of_a_game) {
            examples.push(Asked { verb: path.trim_start_matches('/').to_owned(), body: example["value"].clone() });
        }
    }
    examples
}

/// Whether `found` has all that `wanted` says: members of objects, entries of lists one by one. The
/// text `null!` stands for null.
pub fn contains(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| contains(found, wanted)))
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| contains(found, wanted))
        }
        (Value::Null, Value::String(text)) => text == "null!",
        (found, wanted) => found == wanted,
    }
}

/// Compares a file of the project with what it should hold; `UPDATE=1` rewrites it.
pub fn pin(path: &str, expected: &str) {
    let file = top().join(path);
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, expected).unwrap();
        return;
    }
    let pinned = fs::read_to_string(&file).unwrap_or_default();
    if pinned != expected {
        let line = pinned.lines().zip(expected.lines()).position(|(old, new)| old != new);
        let at = line.unwrap_or_else(|| pinned.lines().count().min(expected.lines().count()));
        panic!(
            "{path} is stale from line {}:\n  pinned: {:?}\n  now:    {:?}\nRun the tests with UPDATE=1 to rewrite it, and review the diff.",
            at + 1,
            pinned.lines().nth(at),
            expected.lines().nth(at),
        );
    }
}

static VALIDATORS: LazyLock<Mutex<BTreeMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// A validator of one of the document's schemas.
pub fn schema(name: &str) -> Arc<Validator> {
    let mut known = VALIDATORS.lock().unwrap();
    let make = || {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}"), "components": DOCUMENT["components"] });
        Arc::new(jsonschema::draft202012::new(&schema).unwrap())
    };
    known.entry(name.to_owned()).or_insert_with(make).clone()
}

/// The names of the request's and the reply's schema of a verb in a game.
pub fn schema_names(verb: &str, ruleset: &str) -> (String, String) {
    let operation = &DOCUMENT["paths"][format!("/{verb}")]["post"];
    let name = |schema: &Value| {
        let mapped = schema["discriminator"]["mapping"][ruleset].as_str();
        let path = mapped.or_else(|| schema["$ref"].as_str()).unwrap_or_else(|| panic!("{verb} {ruleset}: {schema}"));
        path.rsplit('/').next().unwrap().to_owned()
    };
    let content = |part: &Value| name(&part["content"]["application/json"]["schema"]);
    (content(&operation["requestBody"]), content(&operation["responses"]["200"]))
}
