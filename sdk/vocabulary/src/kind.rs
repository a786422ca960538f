//! The kinds of actions, and the one list of their names.

use std::fmt;

use crate::action::Action;

macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident = $name:literal,)+) => {
        /// An action without its details. Tools for models, the record and the documents use the same names.
        ///
        /// Whatever differs by kind matches over this without a wildcard, so that a new kind does not compile until every
        /// place knows it. What no compiler reads is tested against [`ALL`](Self::ALL).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ActionKind {
            $($(#[$doc])+ $kind,)+
        }

        impl ActionKind {
            /// All there are, in the order in which models are offered them.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// As tools and records have it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

kinds! {
    /// Presses a mouse button at a point.
    Click = "click",
    /// Moves the pointer.
    Move = "move",
    /// Drags with the left button.
    Drag = "drag",
    /// Types text into whatever has the focus.
    Type = "type",
    /// Presses one chord.
    Key = "key",
    /// Turns the wheel.
    Scroll = "scroll",
    /// Speaks into the microphone.
    Speak = "speak",
    /// Waits.
    Wait = "wait",
    /// Says that the task is finished.
    Done = "done",
}

impl ActionKind {
    /// The kind of exactly this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Action {
    /// What it is, without its details.
    #[must_use]
    pub const fn kind(&self) -> ActionKind {
        match self {
            Self::Click { .. } => ActionKind::Click,
            Self::Drag { .. } => ActionKind::Drag,
            Self::Move { .. } => ActionKind::Move,
            Self::Type { .. } => ActionKind::Type,
            Self::Key { .. } => ActionKind::Key,
            Self::Scroll { .. } => ActionKind::Scroll,
            Self::Speak { .. } => ActionKind::Speak,
            Self::Wait { .. } => ActionKind::Wait,
            Self::Done => ActionKind::Done,
        }
    }
}
