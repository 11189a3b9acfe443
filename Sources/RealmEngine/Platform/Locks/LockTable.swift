import Glibc

/// The kernel's table of file locks, `/proc/locks`. Used to find the locks of one file.
struct LockTable {
    /// Text of the inode number in a line of `/proc/locks`: a colon, the number, and a space.
    private let inode: String
    /// Text of the device and inode numbers in a line of `/proc/locks`, such as `08:02:1234`
    /// between two spaces.
    private let name: String

    init(_ file: FileIdentity) {
        inode = ":\(file.inode) "
        name = " \(Self.hex(file.major)):\(Self.hex(file.minor))\(inode)"
    }

    private static func hex(_ number: UInt64) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    /// Whether a `flock` in `/proc/locks` is a lock of the file.
    enum Match: Comparable {
        case none
        /// The lock is on a file with the same inode number and another device number. It may be a
        /// lock of this file: some file systems show another device in `/proc/locks`.
        case inode
        case file
    }

    /// Returns how a line of `/proc/locks` matches the file of this `LockTable`: by device and
    /// inode number, by the inode number only, or not at all. Only lines about a `flock` can match.
    func match(_ line: UnsafePointer<CChar>) -> Match {
        if strstr(line, "FLOCK") == nil || strstr(line, inode) == nil { return .none }
        return strstr(line, name) == nil ? .inode : .file
    }

    /// Whether any process holds a `flock` on a file. Also true if this is uncertain: if
    /// `/proc/locks` cannot be read, or if it contains the inode number with a device that may be
    /// the file's device under another number.
    static func hasLock(on file: FileIdentity, at path: String) -> Bool {
        guard let stream = fopen("/proc/locks", "re") else { return true }
        defer { fclose(stream) }
        let table = LockTable(file)
        let match: Match = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { line in
            let line = line.baseAddress!
            var best = Match.none
            while best != .file, fgets(line, 256, stream) != nil {
                best = max(best, table.match(line))
            }
            return best
        }
        return match == .file || (match == .inode && !showsDevice(of: file, at: path))
    }

    /// File systems for whose files `/proc/locks` may show the device of the underlying file
    /// system.
    private static let stacked: Set<Substring> = [
        "aufs", "ecryptfs", "overlay", "shiftfs", "unionfs",
    ]

    /// Whether `/proc/locks` shows locks of the file with the same device that `stat` returns. True
    /// if that device is also the mount's device. False, for instance, for the subvolumes of btrfs,
    /// which have their own devices.
    static func showsDevice(of file: FileIdentity, at path: String) -> Bool {
        let pathOnly: Int32 = 0o10_000_000  // O_PATH, hidden from Swift's view of fcntl.h
        let descriptor = retryingInterrupts { open(path, pathOnly | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let facts = fields(of: "/proc/self/fdinfo/\(descriptor)")
        guard let id = facts.first(where: { $0.first == "mnt_id:" })?.last,
            let mount = fields(of: "/proc/self/mountinfo").first(where: { $0.first == id }),
            mount.count > 2, mount[2] == "\(file.major):\(file.minor)",
            let type = mount.drop(while: { $0 != "-" }).dropFirst().first
        else { return false }
        return !stacked.contains(type)
    }

    /// Returns the words of each line of a file in `/proc`; an empty array if the file cannot be
    /// read.
    private static func fields(of path: String) -> [[Substring]] {
        guard let stream = fopen(path, "re") else { return [] }
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        var lines: [[Substring]] = []
        while getline(&line, &size, stream) > 0, let line {
            lines.append(String(cString: line).split { $0 == " " || $0 == "\t" || $0 == "\n" })
        }
        return lines
    }
}

extension FileIdentity {
    /// Major number of the device.
    fileprivate var major: UInt64 { device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000 }
    /// Minor number of the device.
    fileprivate var minor: UInt64 { device & 0xFF | device >> 12 & 0xFFFF_FF00 }
}
