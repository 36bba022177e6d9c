//! What a file is: any first bytes.
#![no_main]
use gclog::{LogKind, looks_like_gc_log};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let kind = LogKind::detect(data);
    let readable = !matches!(kind, LogKind::NotAGcLog(_));
    assert_eq!(looks_like_gc_log(data), readable);
    if let LogKind::NotAGcLog(why) = kind {
        assert!(!why.to_string().is_empty());
    }
    let line = data.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let stamp = gclog::stamp_of(line);
    assert_eq!(stamp.earlier(std::time::Duration::ZERO), stamp);
});
