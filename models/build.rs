//! The modules that are included from the library take their atomics from loom.

fn main() {
    println!("cargo::rustc-cfg=loom");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"tsc\"))");
}
