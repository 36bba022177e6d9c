//! The process at the other end of a JVM's connections: it reads all that comes, and may stop now and then.
//! It is a JVM of the same JDK, as the workloads are at hand and only the crate `serve` opens sockets.
use crate::{
    Cleanup, Disturbance, LabError, Running, Stage, Takes,
    jvm::results,
    privilege,
    small_file::{last_line, read},
    stdout_reader::SlowReader,
    workloads::Workload,
};
use std::time::Duration;

/// Its heap, in MiB; it keeps nothing.
const HEAP_MIB: u32 = 32;

/// What it takes of the host.
pub(crate) const TAKES: Takes = Takes::Peer { mib: HEAP_MIB };

/// It listens within this, on any host that can run the lab.
const START_PATIENCE: Duration = Duration::from_secs(60);

/// A peer that listens.
#[derive(Debug)]
pub(crate) struct SocketPeer {
    running: Running,
    port: u64,
    /// What stops it, where something does.
    slow: Option<SlowReader>,
}

impl SocketPeer {
    /// Starts it on loopback and waits until it listens.
    ///
    /// # Errors
    /// [`LabError::Program`] with its last words where it ends before that.
    pub(crate) fn start(stage: &mut Stage<'_>) -> Result<SocketPeer, LabError> {
        stage.cleanup.needs(&TAKES)?;
        let (stdout, stderr) = (stage.fast.join("peer.out"), stage.fast.join("peer.err"));
        let mut command = spawn::command(stage.jdk.java());
        command.arg(format!("-Xmx{HEAP_MIB}m"));
        command.args(["-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp"]).arg(stage.classes);
        command.arg(Workload::SocketPeer.main_class()).current_dir(stage.fast);
        privilege::drop_all(&mut command);
        let mut running = Running::start(stage.cleanup, command, &stdout, &stderr)?;
        // Or the peer would be slow by itself where the JVM wants all CPUs.
        if let Some(isolation) = stage.isolation {
            isolation.admit(running.pid(), &[])?;
        }
        let wrong = |message| LabError::Program { program: "java (the peer)".into(), message };
        let port = stage.interrupt.wait(START_PATIENCE, || {
            if let Some(status) = running.ended()? {
                let message = last_line(&stderr).unwrap_or_else(|| status.to_string());
                return Err(wrong(message));
            }
            let said = results(&read(&stdout));
            Ok(said.get("ready").and_then(|_| said.get("port").copied()))
        })?;
        let seconds = START_PATIENCE.as_secs();
        let port = port.ok_or_else(|| wrong(format!("not listening after {seconds} s")))?;
        Ok(SocketPeer { running, port, slow: None })
    }

    /// The same, stopped for 2 s in every 3 from when the JVM runs.
    ///
    /// # Errors
    /// [`LabError::Program`] where it has ended.
    pub(crate) fn stopping(self) -> Result<SocketPeer, LabError> {
        let slow = Some(SlowReader::new(Some(self.running.pid()))?);
        Ok(SocketPeer { slow, ..self })
    }

    /// The port on loopback.
    pub(crate) fn port(&self) -> u64 {
        self.port
    }
}

impl Disturbance for SocketPeer {
    fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        if let Some(status) = self.running.ended()? {
            let message = status.to_string();
            return Err(LabError::Program { program: "java (the peer)".into(), message });
        }
        self.slow.as_mut().map_or(Ok(()), |it| it.keep_going(cleanup))
    }

    /// It goes on reading until the JVM has ended.
    fn stop(&mut self, patience: Duration) {
        if let Some(slow) = &mut self.slow {
            slow.stop(patience);
        }
    }
}
