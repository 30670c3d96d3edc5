//! What the rule books and the wire promise, checked in process and over HTTP.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must fail")]

mod batch;
mod cases;
mod golden;
mod http;
mod laws;
mod layers;
mod limits;
mod odds;
mod openapi;
mod properties;
mod readme;
mod support;
