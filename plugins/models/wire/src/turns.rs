//! Conversations where neighbours of one role are one turn, and the results of calls come first in it.

use dynacu_sdk::http::Json;
use dynacu_sdk::model::{Message, ModelError, Part, Role, ToolCall};

use crate::history::{History, Kept, Results};
use crate::misplaced;

/// How a provider writes the parts of such a conversation.
pub trait Dialect {
    /// The protocol, in errors.
    const PROTOCOL: &'static str;
    /// The model's role.
    const MODEL: &'static str;
    /// The member that holds a turn's parts.
    const PARTS: &'static str;

    /// Text of either role.
    fn text(&self, text: &str) -> Json;

    /// A picture or a sound.
    ///
    /// # Errors
    /// There is no such blob, or the protocol has no place for it.
    fn medium(&self, part: &Part) -> Result<Json, ModelError>;

    /// A call that the model made with a function.
    fn call(&self, call: &ToolCall) -> Json;

    /// What a call brought; what has no place in it goes to the turn's other `parts`.
    ///
    /// # Errors
    /// There is no such blob.
    fn result(
        &self,
        result: &Results,
        history: &History,
        parts: &mut Vec<Json>,
    ) -> Result<Json, ModelError>;
}

struct Turn {
    role: &'static str,
    results: Vec<Json>,
    parts: Vec<Json>,
}

/// Writes a conversation, the system's messages left out.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for a part that stands with the wrong role or has no place in the protocol.
pub fn turns<D: Dialect>(dialect: &D, messages: &[Message]) -> Result<Vec<Json>, ModelError> {
    let history = History::of(messages)?;
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        let role = match message.role {
            Role::System => continue,
            Role::User | Role::Tool => "user",
            Role::Assistant => D::MODEL,
        };
        let mut turn = match turns.pop_if(|turn| turn.role == role) {
            Some(turn) => turn,
            None => Turn {
                role,
                results: Vec::new(),
                parts: Vec::new(),
            },
        };
        write(dialect, message, role == D::MODEL, &history, &mut turn)?;
        turns.push(turn);
    }
    Ok(turns
        .into_iter()
        .filter(|turn| !turn.results.is_empty() || !turn.parts.is_empty())
        .map(|mut turn| {
            turn.results.append(&mut turn.parts);
            Json::object(vec![
                ("role", turn.role.into()),
                (D::PARTS, Json::Array(turn.results)),
            ])
        })
        .collect())
}

fn write<D: Dialect>(
    dialect: &D,
    message: &Message,
    by_model: bool,
    history: &History,
    turn: &mut Turn,
) -> Result<(), ModelError> {
    let mut results = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => turn.parts.push(dialect.text(text)),
            Part::Image(_) | Part::Audio(_) if !by_model => turn.parts.push(dialect.medium(part)?),
            // One that is kept in the provider's own form stands there as that.
            Part::ToolCall(call) if by_model => {
                if history.kept(&call.id).is_none() {
                    turn.parts.push(dialect.call(call));
                }
            }
            Part::Opaque(opaque) if by_model => turn.parts.push(Kept::read(opaque)?.part.into()),
            Part::ToolResult(result) if !by_model => results.push(result),
            Part::Image(_) => return Err(misplaced(D::PROTOCOL, "picture")),
            Part::Audio(_) => return Err(misplaced(D::PROTOCOL, "sound")),
            Part::ToolCall(_) => return Err(misplaced(D::PROTOCOL, "tool call")),
            Part::Opaque(_) => return Err(misplaced(D::PROTOCOL, "part of its own")),
            Part::ToolResult(_) => return Err(misplaced(D::PROTOCOL, "tool result")),
        }
    }
    for result in history.grouped(&results) {
        let written = dialect.result(&result, history, &mut turn.parts)?;
        turn.results.push(written);
    }
    Ok(())
}
