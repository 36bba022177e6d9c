//! Compiles the C program of the kernel side with clang.
//!
//! Its object is included in the library, so that whoever runs the program needs no compiler.

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    #[cfg(feature = "bpf")]
    bpf::build();
}

#[cfg(feature = "bpf")]
mod bpf {
    use libbpf_cargo::SkeletonBuilder;
    use std::{env, path::PathBuf};

    pub(super) fn build() {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
        let include = format!("-I/usr/include/{}", multiarch(&architecture));
        SkeletonBuilder::new()
            .source("src/bpf/pause.bpf.c")
            .obj(out.join("pause.bpf.o"))
            .clang_args([include.as_str(), "-mcpu=v3", "-Wall", "-Werror", "-Wno-unused-function"])
            .build()
            .unwrap_or_else(|error| panic!("the BPF program does not compile: {error:#}"));
    }

    /// Where Debian and its children keep `asm/*.h`, which `usdt.bpf.h` needs. Elsewhere they are
    /// in /usr/include and this directory does not exist, which clang does not mind.
    fn multiarch(architecture: &str) -> String {
        format!("{architecture}-linux-gnu")
    }
}
