//! CTranslate2 Whisper weights → the ggml file that whisper.cpp reads, matrices in 8-bit blocks.
//!
//! The same input gives the same bytes on every machine (plain IEEE arithmetic, no `libm`), so the
//! result's hash can be locked.

use std::collections::HashMap;

use arithmetic::{f32_from_f16, mel_filters, quantise};
use source::Weights;

mod arithmetic;
mod source;

const MAGIC: u32 = 0x6767_6d6c;
/// Quantisation version 2 (thousands) and file type 7, "mostly 8-bit blocks".
const FILE_TYPE_Q8: i32 = 2007;
const AUDIO_CONTEXT: i32 = 1500;
const TEXT_CONTEXT: i32 = 448;
const HEAD_SIZE: usize = 64;
const MELS: usize = 80;
/// Bins of a 400-point FFT.
const FFT_BINS: usize = 201;
/// Weights that share one scale.
const BLOCK: usize = 32;

/// The source is not what was expected.
#[derive(Debug, thiserror::Error)]
#[error("cannot convert the weights: {0}")]
pub(crate) struct ConvertError(String);

impl ConvertError {
    fn of<T>(what: String) -> Result<T, Self> {
        Err(Self(what))
    }
}

/// Converts the content of `model.bin` and `vocabulary.txt` to a ggml file.
///
/// `multilingual` says which model is expected; a vocabulary of the other kind is an error, as is
/// anything but 16-bit floating point weights.
pub(crate) fn whisper_ggml(
    model_bin: &[u8],
    vocabulary: &[u8],
    multilingual: bool,
) -> Result<Vec<u8>, ConvertError> {
    let vocabulary = std::str::from_utf8(vocabulary)
        .map_err(|_| ConvertError("vocabulary.txt is not text".to_owned()))?;
    let weights = Weights::parse(model_bin)?;
    let tokens: Vec<&str> = vocabulary.split('\n').collect();
    let ordinary = tokens
        .iter()
        .position(|token| *token == "<|endoftext|>")
        .ok_or_else(|| ConvertError("vocabulary.txt has no <|endoftext|>".to_owned()))?;
    let (vocabulary_size, state) = weights.shape2("decoder/embeddings/weight")?;
    // whisper.cpp tells the two apart by this size alone.
    if (vocabulary_size >= 51865) != multilingual || ordinary != 50256 + usize::from(multilingual) {
        let kind = if multilingual {
            "a multilingual"
        } else {
            "an English"
        };
        return ConvertError::of(format!(
            "the vocabulary ({vocabulary_size} tokens, {ordinary} of them words) is not that of {kind} model"
        ));
    }

    let encoder_layers = weights.layers("encoder");
    let decoder_layers = weights.layers("decoder");
    let mut out = Out {
        bytes: Vec::with_capacity(model_bin.len() * 6 / 10),
    };
    out.bytes.extend(MAGIC.to_le_bytes());
    let heads = state / HEAD_SIZE;
    for size in [
        vocabulary_size,
        AUDIO_CONTEXT as usize,
        state,
        heads,
        encoder_layers,
    ] {
        out.int(size)?;
    }
    for size in [
        TEXT_CONTEXT as usize,
        state,
        heads,
        decoder_layers,
        MELS,
        FILE_TYPE_Q8 as usize,
    ] {
        out.int(size)?;
    }

    out.int(MELS)?;
    out.int(FFT_BINS)?;
    for value in mel_filters() {
        out.bytes.extend(value.to_le_bytes());
    }

    let bytes_of = token_bytes();
    out.int(ordinary)?;
    for token in &tokens[..ordinary] {
        let raw: Option<Vec<u8>> = token.chars().map(|c| bytes_of.get(&c).copied()).collect();
        let raw = raw.ok_or_else(|| {
            ConvertError(format!(
                "the token {token:?} has a character that stands for no byte"
            ))
        })?;
        out.int(raw.len())?;
        out.bytes.extend(raw);
    }

    let mut writer = Tensors {
        weights: &weights,
        out: &mut out,
    };
    writer.encoder(encoder_layers)?;
    writer.decoder(decoder_layers, state)?;
    Ok(out.bytes)
}

struct Out {
    bytes: Vec<u8>,
}

impl Out {
    fn int(&mut self, value: usize) -> Result<(), ConvertError> {
        let value =
            i32::try_from(value).map_err(|_| ConvertError("a size does not fit".to_owned()))?;
        self.bytes.extend(value.to_le_bytes());
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Kind {
    F32,
    F16,
    /// Blocks of 32: a 16-bit scale, then 32 signed bytes.
    Q8,
}

/// Writes tensors in ggml's names, renaming and slicing the source's.
struct Tensors<'a> {
    weights: &'a Weights<'a>,
    out: &'a mut Out,
}

impl Tensors<'_> {
    fn encoder(&mut self, layers: usize) -> Result<(), ConvertError> {
        self.whole(
            "encoder.positional_embedding",
            "encoder/position_encodings/encodings",
            Kind::F32,
        )?;
        for conv in ["conv1", "conv2"] {
            self.whole(
                &format!("encoder.{conv}.weight"),
                &format!("encoder/{conv}/weight"),
                Kind::F16,
            )?;
            let bias = self.weights.get(&format!("encoder/{conv}/bias"))?;
            // Added to a [time, channel] plane: one column.
            self.tensor(
                &format!("encoder.{conv}.bias"),
                &[bias.shape[0], 1],
                bias.halves,
                Kind::F32,
            )?;
        }
        self.norm("encoder.ln_post", "encoder/layer_norm")?;
        for i in 0..layers {
            self.block(
                &format!("encoder.blocks.{i}"),
                &format!("encoder/layer_{i}"),
            )?;
        }
        Ok(())
    }

    fn decoder(&mut self, layers: usize, state: usize) -> Result<(), ConvertError> {
        self.whole(
            "decoder.positional_embedding",
            "decoder/position_encodings/encodings",
            Kind::F32,
        )?;
        self.whole(
            "decoder.token_embedding.weight",
            "decoder/embeddings/weight",
            Kind::Q8,
        )?;
        self.norm("decoder.ln", "decoder/layer_norm")?;
        for i in 0..layers {
            let (to, from) = (format!("decoder.blocks.{i}"), format!("decoder/layer_{i}"));
            self.block(&to, &from)?;
            self.norm(
                &format!("{to}.cross_attn_ln"),
                &format!("{from}/attention/layer_norm"),
            )?;
            let (to, from) = (format!("{to}.cross_attn"), format!("{from}/attention"));
            self.rows(
                &format!("{to}.query"),
                &format!("{from}/linear_0"),
                0,
                state,
                true,
            )?;
            self.rows(
                &format!("{to}.key"),
                &format!("{from}/linear_1"),
                0,
                state,
                false,
            )?;
            self.rows(
                &format!("{to}.value"),
                &format!("{from}/linear_1"),
                state,
                state,
                true,
            )?;
            self.rows(
                &format!("{to}.out"),
                &format!("{from}/linear_2"),
                0,
                state,
                true,
            )?;
        }
        Ok(())
    }

    /// Self-attention and feed-forward, which both halves of the model have.
    fn block(&mut self, to: &str, from: &str) -> Result<(), ConvertError> {
        let (_, state) = self
            .weights
            .shape2(&format!("{from}/self_attention/linear_1/weight"))?;
        self.norm(
            &format!("{to}.attn_ln"),
            &format!("{from}/self_attention/layer_norm"),
        )?;
        let joined = format!("{from}/self_attention/linear_0");
        self.rows(&format!("{to}.attn.query"), &joined, 0, state, true)?;
        // The key's bias is zero in Whisper and has no place in ggml.
        self.rows(&format!("{to}.attn.key"), &joined, state, state, false)?;
        self.rows(&format!("{to}.attn.value"), &joined, 2 * state, state, true)?;
        self.rows(
            &format!("{to}.attn.out"),
            &format!("{from}/self_attention/linear_1"),
            0,
            state,
            true,
        )?;
        self.norm(&format!("{to}.mlp_ln"), &format!("{from}/ffn/layer_norm"))?;
        self.rows(
            &format!("{to}.mlp.0"),
            &format!("{from}/ffn/linear_0"),
            0,
            4 * state,
            true,
        )?;
        self.rows(
            &format!("{to}.mlp.2"),
            &format!("{from}/ffn/linear_1"),
            0,
            state,
            true,
        )
    }

    fn norm(&mut self, to: &str, from: &str) -> Result<(), ConvertError> {
        self.whole(&format!("{to}.weight"), &format!("{from}/gamma"), Kind::F32)?;
        self.whole(&format!("{to}.bias"), &format!("{from}/beta"), Kind::F32)
    }

    fn whole(&mut self, to: &str, from: &str, kind: Kind) -> Result<(), ConvertError> {
        let variable = self.weights.get(from)?;
        self.tensor(to, &variable.shape, variable.halves, kind)
    }

    /// Some rows of a linear layer, with the same rows of its bias.
    fn rows(
        &mut self,
        to: &str,
        from: &str,
        first: usize,
        count: usize,
        bias: bool,
    ) -> Result<(), ConvertError> {
        let name = format!("{from}/weight");
        let (rows, columns) = self.weights.shape2(&name)?;
        if first + count > rows {
            return ConvertError::of(format!(
                "{name} has {rows} rows, expected {}",
                first + count
            ));
        }
        let halves =
            &self.weights.get(&name)?.halves[first * columns * 2..(first + count) * columns * 2];
        self.tensor(&format!("{to}.weight"), &[count, columns], halves, Kind::Q8)?;
        if bias {
            let variable = self.weights.get(&format!("{from}/bias"))?;
            let halves = variable
                .halves
                .get(first * 2..(first + count) * 2)
                .ok_or_else(|| ConvertError(format!("{from}/bias is too short")))?;
            self.tensor(&format!("{to}.bias"), &[count], halves, Kind::F32)?;
        }
        Ok(())
    }

    fn tensor(
        &mut self,
        name: &str,
        shape: &[usize],
        halves: &[u8],
        kind: Kind,
    ) -> Result<(), ConvertError> {
        self.out.int(shape.len())?;
        self.out.int(name.len())?;
        self.out.int(match kind {
            Kind::F32 => 0,
            Kind::F16 => 1,
            Kind::Q8 => 8,
        })?;
        for size in shape.iter().rev() {
            self.out.int(*size)?;
        }
        let out = &mut self.out.bytes;
        out.extend(name.as_bytes());
        let values = halves
            .chunks_exact(2)
            .map(|half| f32_from_f16(u16::from_le_bytes([half[0], half[1]])));
        match kind {
            Kind::F16 => out.extend(halves),
            Kind::F32 => values.for_each(|value| out.extend(value.to_le_bytes())),
            Kind::Q8 => {
                let values: Vec<f32> = values.collect();
                if !values.len().is_multiple_of(BLOCK) {
                    return ConvertError::of(format!(
                        "{name} does not divide into blocks of {BLOCK}"
                    ));
                }
                for block in values.chunks_exact(BLOCK) {
                    quantise(block, out);
                }
            }
        }
        Ok(())
    }
}

/// The character that stands for each byte in the vocabulary, reversed.
fn token_bytes() -> HashMap<char, u8> {
    let mut moved = 0u32;
    (0..=255u8)
        .map(|byte| {
            let itself = matches!(byte, 33..=126 | 161..=172 | 174..=255);
            let code = if itself { u32::from(byte) } else { 256 + moved };
            moved += u32::from(!itself);
            (
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                byte,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_behind_their_stand_ins() {
        let bytes = token_bytes();
        assert_eq!(bytes.len(), 256);
        assert_eq!(bytes[&'Ġ'], b' ');
        assert_eq!(bytes[&'Ċ'], b'\n');
        assert_eq!(bytes[&'!'], b'!');
    }

    #[test]
    fn a_cut_file_is_an_error_that_says_so() {
        let mut file = 6u32.to_le_bytes().to_vec();
        file.extend(12u16.to_le_bytes());
        file.extend(b"WhisperSpec\0");
        file.extend(3u32.to_le_bytes());
        file.extend(1u32.to_le_bytes());
        let error = whisper_ggml(&file, b"a\n<|endoftext|>\n", true).unwrap_err();
        assert!(error.to_string().contains("ends too soon"), "{error}");
    }
}
