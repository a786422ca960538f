//! Bodies of replies, whole or cut.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use thiserror::Error;

/// The service's error closes the connection.
#[derive(Debug, Error)]
#[error("the connection is cut, as the script wants it")]
pub(crate) struct Severed;

/// A body that may end too early: it announces its whole length and breaks off in the middle.
pub(crate) struct Payload {
    left: Option<Bytes>,
    announced: u64,
    cut: bool,
    /// What was given has had its turn to be sent.
    flushed: bool,
}

impl Payload {
    pub(crate) fn new(body: Vec<u8>, cut: bool) -> Self {
        let announced = body.len() as u64;
        let mut bytes = Bytes::from(body);
        if cut {
            bytes.truncate(bytes.len() / 2);
        }
        Self {
            left: Some(bytes),
            announced,
            cut,
            flushed: false,
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Severed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Severed>>> {
        match self.left.take() {
            Some(bytes) if !bytes.is_empty() => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // An error would throw away what is not yet on its way.
            _ if self.cut && !self.flushed => {
                self.flushed = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            _ if self.cut => Poll::Ready(Some(Err(Severed))),
            _ => Poll::Ready(None),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.announced)
    }
}
