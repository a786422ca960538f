//! Points, sizes and boxes on the screen.

use serde::{Deserialize, Serialize};

/// A pixel of the screen; written as `[x, y]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "[i32; 2]")
)]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
pub struct Point {
    /// From the left edge.
    pub x: i32,
    /// From the upper edge.
    pub y: i32,
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Self { x, y }
    }
}

impl From<Point> for (i32, i32) {
    fn from(point: Point) -> Self {
        (point.x, point.y)
    }
}

/// Width and height in pixels; written as `[width, height]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "[u32; 2]")
)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl From<(u32, u32)> for Size {
    fn from((width, height): (u32, u32)) -> Self {
        Self { width, height }
    }
}

impl From<Size> for (u32, u32) {
    fn from(size: Size) -> Self {
        (size.width, size.height)
    }
}

/// A box on the screen; written as `[x, y, width, height]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "(i32, i32, u32, u32)")
)]
#[serde(from = "(i32, i32, u32, u32)", into = "(i32, i32, u32, u32)")]
pub struct Rect {
    /// The upper left corner.
    pub origin: Point,
    /// Width and height.
    pub size: Size,
}

impl From<(i32, i32, u32, u32)> for Rect {
    fn from((x, y, width, height): (i32, i32, u32, u32)) -> Self {
        Self {
            origin: Point { x, y },
            size: Size { width, height },
        }
    }
}

impl From<Rect> for (i32, i32, u32, u32) {
    fn from(Rect { origin, size }: Rect) -> Self {
        (origin.x, origin.y, size.width, size.height)
    }
}
