//! The line between a process and the one aside.
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, BorrowedFd, OwnedFd},
    io::Errno,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
};
use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    time::Duration,
};

/// One end of a line that keeps messages apart.
#[derive(Debug)]
pub(crate) struct Channel(pub(super) OwnedFd);

impl Channel {
    /// Sends a message, with a descriptor if one is given.
    pub(crate) fn send(&self, message: &[u8], with: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let with = with.map(|it| [it]);
        if let Some(with) = &with {
            control.push(SendAncillaryMessage::ScmRights(with));
        }
        let sent = rustix::io::retry_on_intr(|| {
            sendmsg(&self.0, &[IoSlice::new(message)], &mut control, SendFlags::NOSIGNAL)
        });
        sent.map(drop).map_err(io::Error::from)
    }

    /// Waits for a message; 0 bytes where the other end is gone.
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::io::retry_on_intr(|| {
            let into = &mut [IoSliceMut::new(buffer)];
            recvmsg(&self.0, into, &mut control, RecvFlags::CMSG_CLOEXEC)
        })?;
        if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
            return Err(Errno::MSGSIZE.into());
        }
        let with = control.drain().find_map(|it| match it {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        Ok((received.bytes, with))
    }

    /// Whether there is a message, or never will be one, within `time`.
    pub(crate) fn is_ready(&self, time: Duration) -> bool {
        let timeout = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        let mut ready = [PollFd::new(&self.0, PollFlags::IN)];
        matches!(poll(&mut ready, Some(&timeout)), Ok(1..))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
