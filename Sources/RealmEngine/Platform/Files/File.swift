import CRealmSystem
import Glibc

/// An open file descriptor with one owner.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Takes over `descriptor`.
    init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens the file at `path` for reading, leaving the access time alone where the system permits
    /// it. Of a FIFO nobody is waited for: what the file is, `status` tells.
    ///
    /// - Parameter name: what to call it in messages, when that is not its path.
    init(reading path: String, as name: String? = nil) throws(RealmError) {
        let noAccessTime: Int32 = 0o1000000  // O_NOATIME, hidden from Swift's view of fcntl.h
        var fd = Self.open(path, O_RDONLY | noAccessTime)
        if fd < 0, errno == EPERM { fd = Self.open(path, O_RDONLY) }
        guard fd >= 0 else { throw Self.failure(name ?? path, errno) }
        descriptor = fd
        self.path = name ?? path
    }

    /// Opens what is there without waiting for another process; -1 with `errno` set on failure.
    static func open(_ path: String, _ flags: Int32) -> Int32 {
        let fd = retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644) }
        // A file server is asked to let go of the file, which takes it a moment.
        guard fd < 0, errno == EWOULDBLOCK else { return fd }
        return retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC, 0o644) }
    }

    /// Why a database could not be opened.
    static func failure(_ name: String, _ code: Int32) -> RealmError {
        // What a socket answers, and some devices.
        if code == ENXIO || code == ENODEV { return notRegular(name) }
        if code == EISDIR { return directory(name) }
        return systemError("open", name, errno: code)
    }

    static func notRegular(_ name: String) -> RealmError {
        RealmError(
            .input, code: "FileOperationFailed", reason: "not-a-file", "is not a regular file",
            file: name, hint: "use - to read standard input")
    }

    private static func directory(_ name: String) -> RealmError {
        RealmError(
            .input, code: "FileOperationFailed", reason: "directory", "is a directory",
            file: name)
    }

    /// Throws unless it is a regular file.
    static func checkRegular(_ status: FileStatus, _ name: String) throws(RealmError) {
        if status.isDirectory { throw directory(name) }
        if !status.isRegular { throw notRegular(name) }
    }

    deinit { close(descriptor) }

    /// Copies everything readable from `source` into an unlinked temporary file in `directory`.
    static func spooled(from source: Int32, directory: String) throws(RealmError) -> File {
        let file = File(
            adopting: try temporaryDescriptor(in: directory), path: "-")
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = retryingInterrupts { read(source, chunk, 1 << 18) }
            if count == 0 { return file }
            guard count > 0 else { throw systemError("read", "-", errno: errno) }
            try file.writeAll(UnsafeRawBufferPointer(start: chunk, count: count))
        }
    }

    /// Writes all bytes at the current position.
    func writeAll(_ bytes: UnsafeRawBufferPointer) throws(RealmError) {
        try Self.writeAll(bytes, to: descriptor, path)
    }

    static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String
    ) throws(RealmError) {
        var at = 0
        while at < bytes.count {
            let count = retryingInterrupts {
                write(descriptor, bytes.baseAddress! + at, bytes.count - at)
            }
            guard count > 0 else {
                throw systemError("write", path, errno: errno, kind: .output)
            }
            at += count
        }
    }

    /// `O_TMPFILE`, hidden from Swift's view of fcntl.h.
    static let unnamed: Int32 = 0o20_200_000

    /// Size, identity and kind as `fstat` tells.
    func status() throws(RealmError) -> FileStatus { try FileStatus(descriptor, path) }
}

/// A new file in `directory` without a name, which nobody else may read: its bytes vanish with the
/// descriptor, which the caller closes. Throws `output` when it cannot be made.
package func temporaryDescriptor(in directory: String) throws(RealmError) -> Int32 {
    let made = retryingInterrupts {
        open(directory, O_RDWR | O_CLOEXEC | O_EXCL | File.unnamed, 0o600)
    }
    if made >= 0 { return made }
    // Where files have to have a name, it is taken away at once.
    var template = Array("\(directory)/realm-XXXXXX".utf8CString)
    let fd = mkstemp(&template)
    guard fd >= 0 else { throw systemError("mkstemp", directory, errno: errno, kind: .output) }
    unlink(template)
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
    return fd
}

/// A file without a name that is nothing but memory, for what no disk may see. Throws `output`.
package func memoryDescriptor() throws(RealmError) -> Int32 {
    let closesOnExec: UInt32 = 1
    let made = makeMemoryFile("realm", closesOnExec)
    guard made >= 0 else { throw systemError("memfd_create", nil, errno: errno, kind: .output) }
    return made
}

// Hidden from Swift's view of `mman.h`.
@_silgen_name("memfd_create")
private func makeMemoryFile(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Int32

/// Writes all of `bytes`, in as many calls as that takes. Throws `output`; `path` is for messages.
func writeWhole(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int, path: String
) throws(RealmError) {
    var done = 0
    while done < bytes.count {
        let count = retryingInterrupts {
            pwrite(
                descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
        }
        guard count > 0 else {
            throw systemError("pwrite", path, errno: count == 0 ? ENOSPC : errno, kind: .output)
        }
        done += count
    }
}

/// A descriptor with an owner that lives on the heap.
final class OwnedDescriptor: Sendable {
    let number: Int32

    /// A second descriptor of the same open file description.
    init(duplicating other: Int32, path: String) throws(RealmError) {
        number = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw systemError("fcntl", path, errno: errno) }
    }

    deinit { close(number) }

    /// Bytes the file has now.
    func size(path: String) throws(RealmError) -> Int { try FileStatus(number, path).size }
}

/// Device and inode of a file.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Of the file that has the name `path` now; nil when there is none.
    init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.identity
    }
}

/// What a file is. Looking at it costs the next commit nothing. `fstat` would, for it sees times too, and
/// Linux has a file whose times were seen note a new one, which a sync then has to write.
struct FileStatus: Sendable {
    let size: Int
    let identity: FileIdentity
    /// Hard links: 0 for a file that was removed.
    let names: Int
    let isRegular: Bool
    let isDirectory: Bool

    /// Of an open file; `path` is for messages.
    init(_ descriptor: Int32, _ path: String) throws(RealmError) {
        var found = realm_file_status()
        guard realm_file_status(descriptor, "", &found) == 0 else {
            throw systemError("statx", path, errno: errno)
        }
        self.init(found)
    }

    /// Of the file that has the name `path` now, or that a link of this name leads to; nil when there
    /// is none.
    init?(path: String) {
        var found = realm_file_status()
        guard !path.isEmpty, realm_file_status(AT_FDCWD, path, &found) == 0 else { return nil }
        self.init(found)
    }

    private init(_ found: realm_file_status) {
        size = Int(found.size)
        identity = FileIdentity(device: found.device, inode: found.inode)
        names = Int(found.names)
        isRegular = found.mode & S_IFMT == S_IFREG
        isDirectory = found.mode & S_IFMT == S_IFDIR
    }
}
