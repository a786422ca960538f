//! The lower of the two ways to write a policy: one call that owns the whole episode.

use serde::de::DeserializeOwned;

use crate::{Brief, Interrupted, PolicyError, Session, settings};

/// A policy that runs its own loop. Most policies are simpler as a [`StepPolicy`](crate::StepPolicy), which
/// implements this trait; implement it directly to react to keyframes, sentences and model completions as they come.
///
/// One instance of the component lives for one episode, so state may be kept in local variables of `run`. What the policy
/// is called and which channels it asks for stands in its `plugin.toml`.
///
/// ```
/// use dynacu_sdk::settings::NoSettings;
/// use dynacu_sdk::{Action, Event, Interrupted, Policy, Session};
///
/// /// Presses Enter whenever somebody has said something.
/// struct Obedient;
///
/// impl Policy for Obedient {
///     type Settings = NoSettings;
///
///     fn run(session: &mut Session, _settings: NoSettings) -> Result<(), Interrupted> {
///         session.subscribe(true);
///         loop {
///             if let Some(Event::Sentence(_)) = session.next(None)? {
///                 session.act(vec![Action::key("Return")])?;
///             }
///         }
///     }
/// }
///
/// dynacu_sdk::export_policy!(Obedient);
/// # fn main() {}
/// ```
pub trait Policy {
    /// The policy's table of the run configuration; [`NoSettings`](crate::settings::NoSettings) where it has none.
    type Settings: DeserializeOwned;

    /// Plays one episode.
    ///
    /// Return within 2 s once the session reports a stop cause: `?` does. A return before that ends the episode, which
    /// is then scored as it stands.
    ///
    /// # Errors
    ///
    /// [`PolicyError::GaveUp`] when it cannot go on, [`PolicyError::ModelRefused`] and [`PolicyError::ModelMalformed`]
    /// when that is the model's doing, [`PolicyError::Settings`] for settings that do not go with the brief or the model.
    fn run(session: &mut Session, settings: Self::Settings) -> Result<(), Interrupted>;
}

/// What the component's export `run` does.
#[doc(hidden)]
pub fn play<P: Policy>(brief: Brief, settings: &str) -> Result<(), PolicyError> {
    let settings = settings::parse(settings).map_err(PolicyError::Settings)?;
    match P::run(&mut Session::new(brief), settings) {
        Ok(()) => Ok(()),
        Err(interrupted) => interrupted.outcome(),
    }
}
