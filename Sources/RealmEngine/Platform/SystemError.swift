import Glibc

/// The error of a failed system call. Read `errno` right after the call: pass it in.
@inline(never)
func systemError(
    _ call: StaticString, _ path: String?, errno code: Int32, kind: RealmError.Kind = .input
) -> RealmError {
    let text = String(cString: strerror(code))
    let name: (code: String, reason: String) =
        switch code {
        case ENOENT: ("FileNotFound", "missing")
        case EACCES, EPERM: ("PermissionDenied", "permission")
        case ENOSPC, EDQUOT: ("OutOfDiskSpace", "disk-full")
        default: ("FileOperationFailed", "system")
        }
    let isLimited = code == ENOMEM && AddressSpace.limit != nil
    return RealmError(
        kind, code: name.code, reason: name.reason, "\(call) failed: \(text)", file: path,
        hint: isLimited
            ? "addresses are limited (ulimit -v); a database takes several times its size" : nil)
}

/// Repeats a call that a signal interrupted.
@inline(__always)
func retryingInterrupts<T: FixedWidthInteger & SignedInteger>(_ body: () -> T) -> T {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}
