//! Attaches to places in the JVM's library: another probe there is set here, through `Kernel::probe`, which
//! looks for probes of others.
//!
//! The kernel gets the very file and offsets in it. libbpf would find them too, but by reading the
//! file with a C library, and the user of the JVM can write anything into that file.
use super::{
    super::{
        Function, Site, Target,
        load::{SYMBOLS, USDT},
    },
    Kernel,
};
use libbpf_rs::{ProgramAttachType, ProgramMut, UprobeMultiOpts, UprobeOpts};
use std::os::fd::AsRawFd;

impl Kernel {
    pub(super) fn attach_usdt(
        &mut self,
        target: &Target,
        sites: &[Vec<Site>; USDT.len()],
    ) -> Result<(), String> {
        let (pid, libjvm) = place(target)?;
        for ((program, ..), sites) in USDT.into_iter().zip(sites) {
            self.attach_sites(target, program, pid, &libjvm, sites)?;
        }
        Ok(())
    }

    /// All places of one probe at once where the kernel can do that (Linux 6.6), which is what libbpf
    /// has asked it before it loaded the program.
    fn attach_sites(
        &mut self,
        target: &Target,
        program: &str,
        pid: i32,
        libjvm: &str,
        sites: &[Site],
    ) -> Result<(), String> {
        let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
        let at_once = |it: &ProgramMut<'_>| {
            let semaphores = sites.iter().map(|it| size(it.semaphore));
            let has_semaphores = sites.iter().any(|it| it.semaphore != 0);
            let options = UprobeMultiOpts {
                offsets: sites.iter().map(|it| size(it.offset)).collect(),
                ref_ctr_offsets: semaphores.filter(|_| has_semaphores).collect(),
                cookies: sites.iter().map(|it| it.argument).collect(),
                ..UprobeMultiOpts::default()
            };
            it.attach_uprobe_multi_with_opts(pid, libjvm, "", options)
        };
        let found = self.object.progs_mut().find(|it| it.name() == program);
        let kind = found.map(|it| it.attach_type());
        if matches!(kind, Some(ProgramAttachType::TraceUprobeMulti)) {
            return self.probe(target, program, at_once);
        }
        for site in sites {
            let options = UprobeOpts {
                ref_ctr_offset: size(site.semaphore),
                cookie: site.argument,
                ..UprobeOpts::default()
            };
            let attach = |it: &ProgramMut<'_>| {
                it.attach_uprobe_with_opts(pid, libjvm, size(site.offset), options)
            };
            self.probe(target, program, attach)?;
        }
        Ok(())
    }

    pub(super) fn attach_symbols(
        &mut self,
        target: &Target,
        functions: &[(Function, u64)],
    ) -> Result<(), String> {
        let (pid, libjvm) = place(target)?;
        for (program, wanted) in SYMBOLS {
            let offset = functions.iter().find(|(function, _)| *function == wanted);
            let offset = offset.and_then(|(_, offset)| usize::try_from(*offset).ok());
            let offset = offset.ok_or("the symbol table lacks a function")?;
            self.probe(target, program, |it| it.attach_uprobe(false, pid, &libjvm, offset))?;
        }
        Ok(())
    }
}

/// The process and its library, as a name that no change of names reaches: the kernel follows it to
/// the very file that is open here.
fn place(target: &Target) -> Result<(i32, String), String> {
    let libjvm = target.libjvm.as_ref().map_err(Clone::clone)?;
    let pid = i32::try_from(target.pid).unwrap_or(i32::MAX);
    Ok((pid, format!("/proc/self/fd/{}", libjvm.as_raw_fd())))
}
