//! How series are told apart.

use maud::{Markup, PreEscaped, html};

/// A colour with a pattern for areas; the first six also have a marker and a dash for lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "a name is a colour and a pattern")]
pub enum Look {
    GreyPlain,
    BlueDiagonal,
    AmberDots,
    GreenStripes,
    PurpleGrid,
    TanCross,
    GreenPlain,
    GreyUpright,
    PurpleStripes,
    BlackCross,
    RustHatch,
    RedGrid,
}

impl Look {
    const ALL: [Look; 12] = [
        Look::GreyPlain,
        Look::BlueDiagonal,
        Look::AmberDots,
        Look::GreenStripes,
        Look::PurpleGrid,
        Look::TanCross,
        Look::GreenPlain,
        Look::GreyUpright,
        Look::PurpleStripes,
        Look::BlackCross,
        Look::RustHatch,
        Look::RedGrid,
    ];

    /// The look of the series at `index`. After six they begin again.
    #[must_use]
    pub fn of_series(index: usize) -> Look {
        Look::ALL[index % 6]
    }

    /// The class in `chart.css`.
    pub(super) fn class(self) -> &'static str {
        match self {
            Look::GreyPlain => "grey-plain",
            Look::BlueDiagonal => "blue-diagonal",
            Look::AmberDots => "amber-dots",
            Look::GreenStripes => "green-stripes",
            Look::PurpleGrid => "purple-grid",
            Look::TanCross => "tan-cross",
            Look::GreenPlain => "green-plain",
            Look::GreyUpright => "grey-upright",
            Look::PurpleStripes => "purple-stripes",
            Look::BlackCross => "black-cross",
            Look::RustHatch => "rust-hatch",
            Look::RedGrid => "red-grid",
        }
    }

    /// The value of a `fill` attribute.
    pub(super) fn fill(self) -> String {
        format!("url(#fill-{})", self.class())
    }

    /// The lines of its pattern.
    fn lines(self) -> &'static str {
        match self {
            Look::GreyPlain | Look::GreenPlain => "",
            Look::BlueDiagonal => "<path d='M0 8L8 0M-2 2L2 -2M6 10L10 6'/>",
            Look::AmberDots => "<circle cx='3' cy='3' r='1.4'/>",
            Look::GreenStripes | Look::PurpleStripes => "<path d='M0 4H8'/>",
            Look::PurpleGrid | Look::RedGrid => "<path d='M0 4H8M4 0V8'/>",
            Look::TanCross | Look::BlackCross => "<path d='M0 0L8 8M0 8L8 0'/>",
            Look::GreyUpright => "<path d='M4 0V8'/>",
            Look::RustHatch => "<path d='M0 0L8 8M-2 6L2 10M6 -2L10 2'/>",
        }
    }

    /// The outline of its marker, around the origin.
    fn outline(self) -> &'static str {
        match self {
            Look::GreyPlain => "M-6 -6H6V6H-6Z",
            Look::BlueDiagonal => "M0 -8L7 6H-7Z",
            Look::AmberDots => "M0 8L7 -6H-7Z",
            Look::GreenStripes => "M0 -8L8 0L0 8L-8 0Z",
            Look::PurpleGrid => "M-2 -7H2V-2H7V2H2V7H-2V2H-7V-2H-2Z",
            Look::TanCross
            | Look::GreenPlain
            | Look::GreyUpright
            | Look::PurpleStripes
            | Look::BlackCross
            | Look::RustHatch
            | Look::RedGrid => "M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0Z",
        }
    }

    pub(super) fn marker(self) -> Markup {
        html! { path class={"marker " (self.class())} d=(self.outline()) {} }
    }
}

/// The fills of all looks. A page or file needs them once.
#[must_use]
pub fn patterns() -> Markup {
    html! {
        svg aria-hidden="true" width="0" height="0" style="position:absolute" {
            defs {
                @for look in Look::ALL {
                    pattern id={"fill-" (look.class())} class={"pattern " (look.class())} width="8" height="8" patternUnits="userSpaceOnUse" {
                        rect width="8" height="8" {}
                        (PreEscaped(look.lines()))
                    }
                }
            }
        }
    }
}

/// What a legend shows of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// Its colour and pattern.
    Fill,
    /// Its marker.
    Marker,
    /// Its line.
    Stroke,
}

/// A sample for a legend, in a square of 18 units.
#[must_use]
pub fn swatch(look: Look, sample: Sample) -> Markup {
    html! {
        @match sample {
            Sample::Fill => rect .bar x="1" y="1" width="16" height="16" fill=(look.fill()) {},
            Sample::Marker => svg x="9" y="9" overflow="visible" { (look.marker()) },
            Sample::Stroke => polyline class={"series " (look.class())} points="0,9 18,9" {},
        }
    }
}
