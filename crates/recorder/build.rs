//! Compiles the C program of the kernel side with clang.
//!
//! Its object is included in the library, so that no compiler is needed to run the program.

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    #[cfg(feature = "bpf")]
    bpf::build();
}

#[cfg(feature = "bpf")]
mod bpf {
    use libbpf_rs::{Linker, libbpf_sys::API_HEADERS};
    use std::{
        env,
        error::Error,
        fs,
        path::{Path, PathBuf},
        process::Command,
    };

    const SOURCE: &str = "src/bpf/pause.bpf.c";

    pub(super) fn build() {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
        compile(&out, &architecture)
            .unwrap_or_else(|error| panic!("the BPF program does not compile: {error}"));
    }

    #[allow(clippy::disallowed_methods, reason = "cargo waits for this program and its children")]
    fn compile(out: &Path, architecture: &str) -> Result<(), Box<dyn Error>> {
        let (headers, compiled) = (out.join("headers"), out.join("pause.compiled.o"));
        fs::create_dir_all(headers.join("bpf"))?;
        for (name, text) in API_HEADERS {
            fs::write(headers.join("bpf").join(name), text)?;
        }
        let mut clang = Command::new("clang");
        clang.args(system_headers(architecture).map(|it| format!("-I{it}")));
        clang.arg("-I").arg(headers).arg(format!("-D__TARGET_ARCH_{}", in_kernel(architecture)));
        // No program of the kernel has a guard for its stack.
        clang.args([
            "-mcpu=v3",
            "-Wall",
            "-Werror",
            "-Wno-unused-function",
            "-fno-stack-protector",
        ]);
        // Types (BTF) come with debugging information.
        clang.args(["-g", "-O2", "-target", "bpf", "-c", SOURCE, "-o"]).arg(&compiled);
        let ended = clang.output().map_err(|error| format!("clang: {error}"))?;
        if !ended.status.success() {
            return Err(String::from_utf8_lossy(&ended.stderr).into());
        }
        // Linking leaves out the rest of that information, most of the file.
        let mut linker = Linker::new(out.join("pause.bpf.o"))?;
        linker.add_file(compiled)?;
        Ok(linker.link()?)
    }

    /// The name of an architecture in the kernel's sources (`arch/`), which libbpf's headers know.
    fn in_kernel(architecture: &str) -> &str {
        match architecture {
            "x86_64" => "x86",
            "aarch64" => "arm64",
            other => other,
        }
    }

    /// Where Debian and its children keep `asm/*.h`, with the target's system call numbers: those
    /// of the system, and those of `linux-libc-dev-ARCH-cross`. Elsewhere they are in /usr/include
    /// and these directories do not exist, which clang does not mind.
    fn system_headers(architecture: &str) -> [String; 2] {
        [
            format!("/usr/include/{architecture}-linux-gnu"),
            format!("/usr/{architecture}-linux-gnu/include"),
        ]
    }
}
