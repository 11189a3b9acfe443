import Glibc
import RealmEngine

/// The error of a system call that failed in a tool. Read `errno` right after the call.
@inline(never)
package func systemFailure(
    _ kind: RealmError.Kind, _ doing: String, errno code: Int32, file: String? = nil
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
        file: file)
}

/// Repeats a call that a signal interrupted.
package func retryingInterrupts(_ body: () -> Int) -> Int {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}
