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
        let mut arguments = headers(&architecture).map(|it| format!("-I{it}")).to_vec();
        arguments
            .extend(["-mcpu=v3", "-Wall", "-Werror", "-Wno-unused-function"].map(str::to_owned));
        SkeletonBuilder::new()
            .source("src/bpf/pause.bpf.c")
            .obj(out.join("pause.bpf.o"))
            .clang_args(arguments)
            .build()
            .unwrap_or_else(|error| panic!("the BPF program does not compile: {error:#}"));
    }

    /// Where Debian and its children keep `asm/*.h`, with the target's system call numbers: those
    /// of the system, and those of `linux-libc-dev-ARCH-cross`. Elsewhere they are in /usr/include
    /// and these directories do not exist, which clang does not mind.
    fn headers(architecture: &str) -> [String; 2] {
        [
            format!("/usr/include/{architecture}-linux-gnu"),
            format!("/usr/{architecture}-linux-gnu/include"),
        ]
    }
}
