//! From the types that are generated out of the WIT packages to these, and back.

/// Writes the conversions between this crate's types and those that a binding generator made of the WIT packages.
///
/// Host and SDK each generate their own, with the same names and shapes; the macro is given the paths of the generated
/// modules. Every match is exhaustive and without a wildcard: a case that is added to the WIT package or here stops the
/// build at each side that does not know it.
#[macro_export]
macro_rules! wit_conversions {
    (action: { $($action:tt)+ }, observation: { $($observation:tt)+ }) => {
        const _: () = {
            use $($action)+ as wit;
            use $($observation)+ as seen;

            impl From<seen::Point> for $crate::Point {
                fn from(point: seen::Point) -> Self {
                    Self { x: point.x, y: point.y }
                }
            }

            impl From<$crate::Point> for seen::Point {
                fn from(point: $crate::Point) -> Self {
                    Self { x: point.x, y: point.y }
                }
            }

            impl From<wit::MouseButton> for $crate::MouseButton {
                fn from(button: wit::MouseButton) -> Self {
                    match button {
                        wit::MouseButton::Left => Self::Left,
                        wit::MouseButton::Middle => Self::Middle,
                        wit::MouseButton::Right => Self::Right,
                    }
                }
            }

            impl From<$crate::MouseButton> for wit::MouseButton {
                fn from(button: $crate::MouseButton) -> Self {
                    match button {
                        $crate::MouseButton::Left => Self::Left,
                        $crate::MouseButton::Middle => Self::Middle,
                        $crate::MouseButton::Right => Self::Right,
                    }
                }
            }

            impl From<wit::ScrollDirection> for $crate::ScrollDirection {
                fn from(direction: wit::ScrollDirection) -> Self {
                    match direction {
                        wit::ScrollDirection::Up => Self::Up,
                        wit::ScrollDirection::Down => Self::Down,
                        wit::ScrollDirection::Left => Self::Left,
                        wit::ScrollDirection::Right => Self::Right,
                    }
                }
            }

            impl From<$crate::ScrollDirection> for wit::ScrollDirection {
                fn from(direction: $crate::ScrollDirection) -> Self {
                    match direction {
                        $crate::ScrollDirection::Up => Self::Up,
                        $crate::ScrollDirection::Down => Self::Down,
                        $crate::ScrollDirection::Left => Self::Left,
                        $crate::ScrollDirection::Right => Self::Right,
                    }
                }
            }

            impl From<wit::Action> for $crate::Action {
                fn from(action: wit::Action) -> Self {
                    match action {
                        wit::Action::Click(click) => Self::Click {
                            at: click.at.into(),
                            button: click.button.into(),
                            count: click.count,
                        },
                        wit::Action::Drag(drag) => Self::Drag {
                            start: drag.start.into(),
                            end: drag.end.into(),
                        },
                        wit::Action::Move(to) => Self::Move { to: to.into() },
                        wit::Action::Type(text) => Self::Type { text },
                        wit::Action::Key(combo) => Self::Key { combo },
                        wit::Action::Scroll(scroll) => Self::Scroll {
                            at: scroll.at.map(Into::into),
                            direction: scroll.direction.into(),
                            amount: scroll.amount,
                        },
                        wit::Action::Speak(text) => Self::Speak { text },
                        wit::Action::Wait(time) => Self::Wait { ms: time.milliseconds },
                        wit::Action::Done => Self::Done,
                    }
                }
            }

            impl From<wit::ActionError> for $crate::ActionError {
                fn from(error: wit::ActionError) -> Self {
                    match error {
                        wit::ActionError::OffScreen(at) => Self::OffScreen { at: at.into() },
                        wit::ActionError::UnknownKey(key) => Self::UnknownKey { key },
                        wit::ActionError::ForbiddenKey(combo) => Self::ForbiddenKey { combo },
                        wit::ActionError::NotGranted(what) => Self::NotGranted { what },
                        wit::ActionError::Invalid(reason) => Self::Invalid { reason },
                        wit::ActionError::Cancelled => Self::Cancelled,
                        wit::ActionError::Other(reason) => Self::Other { reason },
                    }
                }
            }

            impl From<$crate::ActionError> for wit::ActionError {
                fn from(error: $crate::ActionError) -> Self {
                    match error {
                        $crate::ActionError::OffScreen { at } => Self::OffScreen(at.into()),
                        $crate::ActionError::UnknownKey { key } => Self::UnknownKey(key),
                        $crate::ActionError::ForbiddenKey { combo } => Self::ForbiddenKey(combo),
                        $crate::ActionError::NotGranted { what } => Self::NotGranted(what),
                        $crate::ActionError::Invalid { reason } => Self::Invalid(reason),
                        $crate::ActionError::Cancelled => Self::Cancelled,
                        $crate::ActionError::Other { reason } => Self::Other(reason),
                    }
                }
            }
        };
    };
}
