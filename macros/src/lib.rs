//! The attribute and routing macros of tollgate.
