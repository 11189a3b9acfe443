import Glibc

/// Makes the error for a failed system call. The caller must read `errno` directly after the call.
@inline(never)
func systemError(
    _ call: StaticString, _ path: String?, errno code: Int32, kind: RealmError.Kind = .input
) -> RealmError {
    let isLimited = code == ENOMEM && AddressSpace.limit != nil
    return systemFailure(
        kind, "\(call) failed", errno: code, file: path,
        hint: isLimited
            ? "addresses are limited (ulimit -v); a database takes several times its size" : nil)
}

/// Makes the error for a failed operation. `doing` describes the operation, such as `cannot
/// rename`.
@inline(never)
package func systemFailure(
    _ kind: RealmError.Kind, _ doing: String, errno code: Int32, file: String? = nil,
    hint: String? = nil
) -> RealmError {
    let name: (code: String, reason: String) =
        switch code {
        case ENOENT: ("FileNotFound", "missing")
        case EACCES, EPERM, EROFS: ("PermissionDenied", "permission")
        case ENOSPC, EDQUOT: ("OutOfDiskSpace", "disk-full")
        default: ("FileOperationFailed", "system")
        }
    return RealmError(
        kind, code: name.code, reason: name.reason, "\(doing): \(String(cString: strerror(code)))",
        file: file, hint: hint)
}

/// Calls `body`, a system call, again as long as a signal interrupts it.
@inline(__always)
package func retryingInterrupts<T: FixedWidthInteger & SignedInteger>(_ body: () -> T) -> T {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}

/// Calls `body` again as long as it returns `EINTR`, at most `limit` times. If the call starts from
/// the beginning each time, frequent signals could otherwise keep it from ever ending.
func repeatingInterrupted(limit: Int = 1000, _ body: () -> Int32) -> Int32 {
    for _ in 1..<limit {
        let code = body()
        if code != EINTR { return code }
    }
    return body()
}
