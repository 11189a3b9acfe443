import CRealmSystem
import Glibc

/// What tells one database file from any other that had its name before or will have it: the file's
/// number and the moment it was made. A copy is another file, and so is a compacted one that took the
/// place of the first.
package enum FileFingerprint {
    /// 16 hexadecimal digits; nil when there is no such file.
    package static func text(path: String) -> String? {
        var inode: UInt64 = 0
        var seconds: Int64 = 0
        var nanoseconds: UInt32 = 0
        guard realm_file_birth(path, &inode, &seconds, &nanoseconds) == 0 else { return nil }
        let start: UInt64 = 0x9E37_79B9_7F4A_7C15
        var hash = start
        for word in [inode, UInt64(bitPattern: seconds), UInt64(nanoseconds)] {
            hash = ((hash ^ word) &+ start).mixed
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
