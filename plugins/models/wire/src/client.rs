//! The one exchange of a call.

use dynacu_sdk::model::ModelError;
use dynacu_sdk::{blobs, http, logging};

use crate::{Answer, Draft, Media, Outcome, fault};

/// The episode's own blobs.
pub const MEDIA: Media<'static> = Media(&blobs::stat);

/// Sends a draft as a JSON POST and reads the answer. Notes of both go to the log.
///
/// # Errors
/// What [`fault::exchange`] makes of a broken exchange, and what `read` makes of the answer.
pub fn post(
    url: String,
    headers: &[(&str, &str)],
    draft: Draft,
    read: impl FnOnce(&http::Response) -> Outcome,
) -> Result<dynacu_sdk::model::Response, ModelError> {
    for note in &draft.notes {
        logging::info(note);
    }
    // The call's own deadline is the host's.
    let request = headers.iter().fold(
        http::Request::post(url, &draft.body),
        |request, (name, value)| request.with_header(*name, *value),
    );
    let reply = http::send(&request).map_err(fault::exchange)?;
    let Answer { response, notes } = read(&reply)?;
    for note in &notes {
        logging::info(note);
    }
    Ok(response)
}
