import CRealmSystem
import Glibc

/// Hash of a database file's inode number and birth time. It differs from the fingerprint of any
/// earlier or later file of the same name, including copies and compacted files that replaced the
/// original.
package enum FileFingerprint {
    /// Returns the fingerprint of the file at `path`, a hash of its inode number and birth time, as
    /// 16 hexadecimal digits. Returns nil if there is no such file.
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
