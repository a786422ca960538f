//! The noise page: what a gate keeps of a screen that never stands still and never says anything.

use serde_json::json;

use super::scene::Scene;

/// The page for so many seconds.
#[must_use]
pub fn scene(seconds: u32) -> Scene {
    Scene::new("noise", json!({ "length": seconds * 1000 }))
}
