//! [`Input`]: the bytes of a case, taken piece by piece.

/// What is left of the bytes of a case. Where they end, numbers are 0 and texts are empty.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    /// A number below `end`, from one byte.
    pub fn below(&mut self, end: u8) -> u8 {
        self.byte() % end
    }

    /// A number of any magnitude: a byte that says in how many bytes it follows.
    pub fn number(&mut self) -> u64 {
        let length = usize::from(self.below(9));
        self.bytes(length).iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// At most `most` bytes: one that says how many, and as many as there are.
    pub fn some_bytes(&mut self, most: u8) -> &'a [u8] {
        let length = usize::from(self.byte()) % (usize::from(most) + 1);
        self.bytes(length)
    }

    fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
