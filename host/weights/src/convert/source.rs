//! Reads a CTranslate2 Whisper model: named variables with their shapes.

use std::collections::HashMap;

use super::ConvertError;

/// One variable of the source file: dimensions and 16-bit floats.
pub(super) struct Variable<'a> {
    pub(super) shape: Vec<usize>,
    pub(super) halves: &'a [u8],
}

pub(super) struct Weights<'a> {
    variables: HashMap<String, Variable<'a>>,
}

impl<'a> Weights<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, ConvertError> {
        let mut input = Input { rest: bytes };
        let version = input.u32()?;
        if version != 6 {
            return ConvertError::of(format!("it has format version {version}, expected 6"));
        }
        let spec = input.name()?;
        if spec != "WhisperSpec" {
            return ConvertError::of(format!("it holds a {spec:?}, no Whisper model"));
        }
        input.u32()?;
        let count = input.u32()?;
        let mut variables = HashMap::new();
        for _ in 0..count {
            let name = input.name()?;
            let rank = input.take(1)?[0];
            let shape = (0..rank)
                .map(|_| Ok(input.u32()? as usize))
                .collect::<Result<Vec<_>, ConvertError>>()?;
            let kind = input.take(1)?[0];
            let length = input.u32()? as usize;
            let data = input.take(length)?;
            // Scalars (flags, head counts) have other types and are not needed.
            if rank == 0 || name.starts_with("decoder/alignment") {
                continue;
            }
            if kind != 4 {
                return ConvertError::of(format!(
                    "{name} has weights of type {kind}, expected 16-bit floating point (4)"
                ));
            }
            if shape.iter().product::<usize>() * 2 != length {
                return ConvertError::of(format!("{name} has a length unlike its shape"));
            }
            variables.insert(
                name,
                Variable {
                    shape,
                    halves: data,
                },
            );
        }
        Ok(Self { variables })
    }

    pub(super) fn get(&self, name: &str) -> Result<&Variable<'a>, ConvertError> {
        self.variables
            .get(name)
            .ok_or_else(|| ConvertError(format!("model.bin lacks {name}")))
    }

    pub(super) fn shape2(&self, name: &str) -> Result<(usize, usize), ConvertError> {
        match self.get(name)?.shape[..] {
            [rows, columns] => Ok((rows, columns)),
            _ => ConvertError::of(format!("{name} is not a matrix")),
        }
    }

    pub(super) fn layers(&self, part: &str) -> usize {
        (0..)
            .take_while(|i| {
                self.variables
                    .contains_key(&format!("{part}/layer_{i}/ffn/linear_0/weight"))
            })
            .count()
    }
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ConvertError> {
        let (head, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| ConvertError("model.bin ends too soon".to_owned()))?;
        self.rest = rest;
        Ok(head)
    }

    fn u32(&mut self) -> Result<u32, ConvertError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn name(&mut self) -> Result<String, ConvertError> {
        let bytes = self.take(2)?;
        let text = self.take(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))?;
        Ok(std::str::from_utf8(text)
            .map_err(|_| ConvertError("a name is not text".to_owned()))?
            .trim_end_matches('\0')
            .to_owned())
    }
}
