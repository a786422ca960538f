//! The little of Protocol Buffers that it takes to change an ONNX file or to write one.

/// A field that holds bytes: a text, a message, packed numbers.
pub(crate) fn bytes(number: u64, inside: &[u8]) -> Vec<u8> {
    const LENGTH_DELIMITED: u64 = 2;
    let mut field = varint(number << 3 | LENGTH_DELIMITED);
    field.extend(varint(inside.len() as u64));
    field.extend(inside);
    field
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut written = Vec::new();
    while value >= 0x80 {
        written.push(value as u8 | 0x80);
        value >>= 7;
    }
    written.push(value as u8);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_says() {
        // The two examples of the format's own description.
        assert_eq!(varint(150), [0x96, 0x01]);
        assert_eq!(
            bytes(2, b"testing"),
            [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]
        );
    }
}
