//! Tuples of components. The empty tuple is the global key.

use super::{KeySink, ToKey};

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: ToKey),*> ToKey for ($($name,)*) {
            #[inline]
            #[expect(non_snake_case, reason = "the type parameters name the components")]
            fn write_key<S: KeySink>(&self, sink: &mut S) {
                let ($($name,)*) = self;
                $($name.write_key(sink);)*
            }
        }
    };
}

impl ToKey for () {
    #[inline]
    fn write_key<S: KeySink>(&self, _: &mut S) {}
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
