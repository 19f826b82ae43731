//! [`Text`]: a message put together at compile time.

/// Room for the ids and paths of some sixty actions; what does not fit is left out.
const ROOM: usize = 4096;

const MORE: &str = " and more";

/// A text of limited length.
#[derive(Clone, Copy)]
pub(super) struct Text {
    bytes: [u8; ROOM],
    length: usize,
    full: bool,
}

impl Text {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0, full: false }
    }

    /// Adds a part, or says once that there is more.
    pub(super) const fn push(self, part: &str) -> Self {
        if self.full {
            return self;
        }
        if self.length + part.len() + MORE.len() > ROOM {
            return Self { full: true, ..self.append(MORE.as_bytes()) };
        }
        self.append(part.as_bytes())
    }

    const fn append(mut self, part: &[u8]) -> Self {
        let (_, mut free) = self.bytes.split_at_mut(self.length);
        let mut rest = part;
        while let (Some((byte, others)), Some((place, places))) =
            (rest.split_first(), free.split_first_mut())
        {
            *place = *byte;
            (rest, free) = (others, places);
        }
        self.length += part.len();
        self
    }

    pub(super) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("a text is made of whole texts"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MORE, ROOM, Text};

    #[test]
    fn parts_follow_each_other() {
        assert_eq!(Text::new().push("é").push("").push("b").as_str(), "éb");
    }

    #[test]
    fn what_does_not_fit_is_said_to_be_more() {
        let long = "x".repeat(ROOM / 2);
        let text = Text::new().push(&long).push(&long).push("y");
        assert_eq!(text.as_str(), format!("{long}{MORE}"));
        let most = "x".repeat(ROOM - MORE.len());
        let text = Text::new().push(&most);
        assert_eq!(text.as_str(), most);
        assert_eq!(text.push("y").as_str(), format!("{most}{MORE}"));
    }
}
