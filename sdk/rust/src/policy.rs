//! The lower of the two ways to write a policy: one call that owns the whole episode.

use crate::{PolicyDescriptor, PolicyError, Session};

/// A policy that runs its own loop. Most policies are simpler as a [`StepPolicy`](crate::StepPolicy), which
/// implements this trait; implement it directly to react to keyframes, sentences and model completions as they come.
///
/// One instance of the component lives for one episode, so state may be kept in local variables of `run`.
///
/// ```
/// use dynacu_sdk::{Action, Channels, Event, Policy, PolicyDescriptor, PolicyError, Session};
///
/// /// Presses Enter whenever somebody has said something.
/// struct Obedient;
///
/// impl Policy for Obedient {
///     fn describe() -> PolicyDescriptor {
///         PolicyDescriptor::new("obedient", "0.1.0").with_channels(Channels::AUDIO)
///     }
///
///     fn run(session: &mut Session, _settings: &str) -> Result<(), PolicyError> {
///         session.subscribe(true);
///         loop {
///             match session.next(None) {
///                 Event::Sentence(_) if session.act(vec![Action::chord("Return")]).is_err() => {}
///                 Event::Stop(_) => return Ok(()),
///                 _ => {}
///             }
///         }
///     }
/// }
///
/// dynacu_sdk::export_policy!(Obedient);
/// # fn main() {}
/// ```
pub trait Policy {
    /// Name, version and the channels that the policy asks for.
    fn describe() -> PolicyDescriptor;

    /// Plays one episode. `settings` is the policy's table of the run configuration, as JSON.
    ///
    /// Return within 2 s once the session reports a stop cause. A return before that ends the episode, which is
    /// then scored as it stands.
    ///
    /// # Errors
    ///
    /// [`PolicyError::Settings`] for settings that it cannot use, [`PolicyError::GaveUp`] when it cannot go on,
    /// [`PolicyError::ModelRefused`] and [`PolicyError::ModelMalformed`] when that is the model's doing.
    fn run(session: &mut Session, settings: &str) -> Result<(), PolicyError>;
}
