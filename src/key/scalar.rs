//! Scalars as components of keys.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Component, KeySink, ToKey};

impl ToKey for str {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Text, self.as_bytes());
    }
}

impl ToKey for String {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        self.as_str().write_key(sink);
    }
}

impl<T: ToKey + ToOwned + ?Sized> ToKey for Cow<'_, T> {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (**self).write_key(sink);
    }
}

impl<T: ToKey + ?Sized> ToKey for Box<T> {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (**self).write_key(sink);
    }
}

impl<T: ToKey + ?Sized> ToKey for Rc<T> {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (**self).write_key(sink);
    }
}

impl<T: ToKey + ?Sized> ToKey for Arc<T> {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (**self).write_key(sink);
    }
}

impl ToKey for [u8] {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Bytes, self);
    }
}

impl<const N: usize> ToKey for [u8; N] {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Bytes, self);
    }
}

impl ToKey for bool {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Bool, &[u8::from(*self)]);
    }
}

impl ToKey for char {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Char, &u32::from(*self).to_be_bytes());
    }
}

/// Every not a number is one key, and so are both zeros.
impl ToKey for f64 {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        let canonical = if self.is_nan() { Self::NAN } else { *self + 0.0 };
        sink.component(Component::Float, &canonical.to_bits().to_be_bytes());
    }
}

impl ToKey for f32 {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        f64::from(*self).write_key(sink);
    }
}

impl ToKey for Ipv4Addr {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Ipv4, &self.octets());
    }
}

impl ToKey for Ipv6Addr {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Ipv6, &self.octets());
    }
}

impl ToKey for IpAddr {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match self {
            Self::V4(address) => address.write_key(sink),
            Self::V6(address) => address.write_key(sink),
        }
    }
}

#[cfg(feature = "uuid")]
impl ToKey for uuid::Uuid {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        sink.component(Component::Uuid, self.as_bytes());
    }
}

/// To the nanosecond. A date of any library is a key as its seconds, its days or its text.
impl ToKey for SystemTime {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        // A duration's nanoseconds have 94 bits, so one more at the bottom says which side of 1970 it is.
        let distance = match self.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos() << 1,
            Err(before) => before.duration().as_nanos() << 1 | 1,
        };
        sink.component(Component::Time, &distance.to_be_bytes());
    }
}

impl<T: ToKey> ToKey for Option<T> {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match self {
            None => sink.component(Component::Absent, &[]),
            Some(value) => value.write_key(sink),
        }
    }
}

/// Eight bytes where they suffice, so that the type of an integer does not matter.
#[inline]
fn integer<S: KeySink>(sink: &mut S, kind: Component, magnitude: u128) {
    match u64::try_from(magnitude) {
        Ok(short) => sink.component(kind, &short.to_be_bytes()),
        Err(_) => sink.component(kind, &magnitude.to_be_bytes()),
    }
}

impl ToKey for u128 {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        integer(sink, Component::Unsigned, *self);
    }
}

impl ToKey for i128 {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match u128::try_from(*self) {
            Ok(magnitude) => integer(sink, Component::Unsigned, magnitude),
            Err(_) => integer(sink, Component::Negative, (!*self).unsigned_abs()),
        }
    }
}

macro_rules! integers {
    ($widest:ty: $($integer:ty),*) => {$(
        impl ToKey for $integer {
            #[inline]
            fn write_key<S: KeySink>(&self, sink: &mut S) {
                <$widest>::from(*self).write_key(sink);
            }
        }
    )*};
}

integers!(u128: u8, u16, u32, u64);
integers!(i128: i8, i16, i32, i64);

impl ToKey for usize {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (*self as u128).write_key(sink);
    }
}

impl ToKey for isize {
    #[inline]
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        (*self as i128).write_key(sink);
    }
}
