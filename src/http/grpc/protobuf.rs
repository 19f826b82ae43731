//! [`Message`]: as much of the wire format of Protocol Buffers as one message needs.

/// A message under construction.
pub(super) struct Message(Vec<u8>);

/// The wire types of integers and of everything that has a length.
const VARINT: u64 = 0;
const LENGTH: u64 = 2;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Message {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds an integer.
    pub(super) fn integer(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value);
        self
    }

    /// Adds a text, bytes, or a message.
    pub(super) fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The message as the value of a binary header, without padding.
    pub(super) fn base64(&self) -> String {
        let mut text = String::with_capacity(self.0.len().div_ceil(3) * 4);
        for group in self.0.chunks(3) {
            let bits = group
                .iter()
                .enumerate()
                .fold(0, |bits, (index, byte)| bits | u32::from(*byte) << (16 - 8 * index));
            // One byte more than it has is what a group takes of characters.
            let characters =
                (0..=group.len()).map(|index| (bits >> (18 - 6 * index)) as usize % 64);
            text.extend(characters.filter_map(|index| BASE64.get(index)).copied().map(char::from));
        }
        text
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                self.0.push(low);
                return;
            }
            self.0.push(low | 0x80);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn integers_take_a_byte_for_seven_bits() {
        let cases: [(u64, &[u8]); 4] =
            [(0, b"\x08\x00"), (127, b"\x08\x7f"), (128, b"\x08\x80\x01"), (300, b"\x08\xac\x02")];
        for (value, expected) in cases {
            assert_eq!(Message::new().integer(1, value).as_bytes(), expected, "{value}");
        }
    }

    #[test]
    fn base64_is_the_one_of_rfc_4648_without_padding() {
        // The test vectors of its section 10.
        for (plain, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(Message(plain.into()).base64(), text);
        }
        assert_eq!(Message(vec![0xff, 0xfe, 0xfd]).base64(), "//79");
    }
}
