//! What a `.wasm` says about itself, read before anything is compiled.

use wasmparser::{Encoding, Parser, Payload};

use crate::census::{Census, Ended, Excess};
use crate::manifest::{LARGEST, SECTION};

/// Names at a component's surface; the worlds have some dozens.
const NAMES: usize = 1_000;

/// Names at a component's surface.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) imports: Vec<String>,
    pub(crate) exports: Vec<String>,
    /// The outermost manifest section. Rust's linker can only put one into the core module inside.
    pub(crate) manifest: Option<Vec<u8>>,
}

/// Why bytes are not a component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotWebAssembly,
    CoreModule,
    Truncated,
    Broken(String),
    /// It is made of more than a component may be.
    TooMuch(String),
}

impl Outline {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.len() < 8
            && b"\0asm".starts_with(&bytes[..bytes.len().min(4)])
            && !bytes.is_empty()
        {
            return Err(Fault::Truncated);
        }
        if !bytes.starts_with(b"\0asm") {
            return Err(Fault::NotWebAssembly);
        }
        let mut outline = Self::default();
        let mut census = Census::default();
        let mut manifest_depth = usize::MAX;
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(|error| fault(&error, bytes.len()))?;
            if let (Payload::Version { encoding, .. }, 0) = (&payload, depth)
                && *encoding == Encoding::Module
            {
                return Err(Fault::CoreModule);
            }
            census.take(&payload).map_err(|ended| match ended {
                Ended::Excess(Excess::Missing(what)) => {
                    Fault::Broken(Excess::Missing(what).to_string())
                }
                Ended::Excess(excess) => Fault::TooMuch(excess.to_string()),
                Ended::Broken(error) => fault(&error, bytes.len()),
            })?;
            match payload {
                // Sections that the parser hands over whole are read here; nested ones follow as payloads.
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        let import = import.map_err(|error| fault(&error, bytes.len()))?;
                        keep(&mut outline.imports, import.name.name, "imports")?;
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        let export = export.map_err(|error| fault(&error, bytes.len()))?;
                        keep(&mut outline.exports, export.name.name, "exports")?;
                    }
                }
                Payload::CustomSection(section)
                    if section.name() == SECTION && depth < manifest_depth =>
                {
                    let size = section.data().len();
                    if size > LARGEST {
                        return Err(Fault::TooMuch(format!(
                            "its manifest has {size} bytes, more than {LARGEST}"
                        )));
                    }
                    outline.manifest = Some(section.data().to_vec());
                    manifest_depth = depth;
                }
                _ => {}
            }
        }
        Ok(outline)
    }
}

fn keep(names: &mut Vec<String>, name: &str, what: &str) -> Result<(), Fault> {
    if names.len() == NAMES {
        return Err(Fault::TooMuch(format!("it has more than {NAMES} {what}")));
    }
    names.push(name.to_owned());
    Ok(())
}

fn fault(error: &wasmparser::BinaryReaderError, length: usize) -> Fault {
    let text = error.message();
    if text.contains("unexpected end")
        || text.contains("unexpected EOF")
        || error.offset() >= length
    {
        return Fault::Truncated;
    }
    Fault::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_bytes_are_not() {
        let component = b"\0asm\x0d\0\x01\0";
        assert!(Outline::read(component).unwrap().exports.is_empty());
        assert_eq!(
            Outline::read(b"\0asm\x01\0\0\0").unwrap_err(),
            Fault::CoreModule
        );
        assert_eq!(Outline::read(b"\0as").unwrap_err(), Fault::Truncated);
        assert_eq!(Outline::read(b"").unwrap_err(), Fault::NotWebAssembly);
        assert_eq!(
            Outline::read(b"#!/usr/bin/env python").unwrap_err(),
            Fault::NotWebAssembly
        );
        // A custom section that says it is longer than the file.
        assert_eq!(
            Outline::read(b"\0asm\x0d\0\x01\0\x00\x7f\x01a").unwrap_err(),
            Fault::Truncated
        );
    }

    #[test]
    fn finds_the_manifest() {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        let body = [
            &[u8::try_from(SECTION.len()).unwrap()],
            SECTION.as_bytes(),
            b"schema = 1",
        ]
        .concat();
        bytes.extend([0, u8::try_from(body.len()).unwrap()]);
        bytes.extend(body);
        assert_eq!(
            Outline::read(&bytes).unwrap().manifest.unwrap(),
            b"schema = 1"
        );
    }
}
