//! What a script is told of a request: the same for every provider.

use serde::Serialize;

/// A request in neutral form, after it was checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NeutralRequest {
    pub model: String,
    /// Every text of the request, in order: system, messages, tool results.
    pub texts: Vec<String>,
    pub images: usize,
    /// Width and height of each picture.
    pub sizes: Vec<(u32, u32)>,
    pub audio: usize,
    /// Function tools by name.
    pub tools: Vec<String>,
    /// The provider's own computer-use tool, by its type.
    pub native: Option<String>,
    /// What the answer may have at most.
    pub max_tokens: Option<u64>,
}

impl NeutralRequest {
    /// All text, a line break between two.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts.join("\n")
    }

    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|known| known == tool) || self.words_offer(tool)
    }

    /// No tool was declared, but the text tells the model to answer with a JSON object that names an action.
    pub fn in_words(&self) -> bool {
        self.tools.is_empty() && self.native.is_none()
    }

    fn words_offer(&self, tool: &str) -> bool {
        let object = format!("{{\"action\": \"{tool}\"");
        self.in_words() && self.texts.iter().any(|text| text.contains(&object))
    }

    pub fn add_text(&mut self, text: &str) {
        self.texts.push(text.to_owned());
    }

    pub fn add_picture(&mut self, picture: crate::media::Picture) {
        self.images += 1;
        self.sizes.push((picture.width, picture.height));
    }

    /// A plain estimate: four characters a token, and the pictures as the provider counts them.
    pub fn input_tokens(&self, of_picture: impl Fn(u32, u32) -> u64) -> u64 {
        let characters: usize = self.texts.iter().map(String::len).sum();
        let pictures: u64 = self.sizes.iter().map(|(w, h)| of_picture(*w, *h)).sum();
        characters as u64 / 4 + 250 * self.tools.len() as u64 + pictures
    }
}
