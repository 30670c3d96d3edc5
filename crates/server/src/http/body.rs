//! Bodies: read within limits, dropped within limits, and sent piece by piece.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use scathe_api::problem::{NOT_JSON, Problem};

use crate::http::problem::not_json_type;

/// How much more of a body that is too large is read (and dropped), so that the caller, who is still
/// sending, gets to read the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;
/// How long that may take.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Reads a body that is declared as JSON and no larger than allowed.
pub async fn read_json(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Problem> {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" {
        return Err(not_json_type());
    }
    // What says from the start that it is too large is not asked for.
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared <= limit {
        match Limited::new(&mut body, limit).collect().await {
            Ok(read) => return Ok(read.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {}
            Err(error) => return Err(Problem::new(&NOT_JSON, format!("The body broke off: {error}."))),
        }
    }
    if !headers.contains_key(header::EXPECT) {
        // Too late or too much: then the answer comes while the caller still sends.
        let _ = tokio::time::timeout(DRAIN_TIME, drain(body, DRAIN_LIMIT)).await;
    }
    Err(Problem::too_large(limit))
}

/// Drops a body of at most `limit` bytes whose request is answered without it, so that the connection stays
/// of use. One that is larger ends it.
pub async fn drop_body(body: Body, limit: usize) {
    let _ = tokio::time::timeout(DRAIN_TIME, drain(body, limit)).await;
}

/// Reads on, within bounds, and drops what it reads.
async fn drain(mut body: Body, mut left: usize) {
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// A body that is sent piece by piece, so that whoever compresses or sends it gives way in between, and
/// its end means that nearly all of it is sent.
pub struct Pieces(pub Bytes);

/// The largest piece, in bytes.
const PIECE: usize = 64 * 1024;

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(PIECE);
        let piece = self.0.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.0.len()).unwrap_or(u64::MAX))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
}
