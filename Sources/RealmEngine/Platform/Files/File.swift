import CRealmSystem
import Glibc

/// An open file descriptor with one owner.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Takes ownership of `descriptor`.
    init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens the file at `path` for reading. Does not update the file's access time if the system
    /// permits that. Does not block if the file is a FIFO; the caller checks the kind of the file
    /// with `status`.
    ///
    /// - Parameter name: name of the file in messages; nil for its path.
    init(reading path: String, as name: String? = nil) throws(RealmError) {
        let noAccessTime: Int32 = 0o1000000  // O_NOATIME, hidden from Swift's view of fcntl.h
        var fd = Self.open(path, O_RDONLY | noAccessTime)
        if fd < 0, errno == EPERM { fd = Self.open(path, O_RDONLY) }
        guard fd >= 0 else { throw Self.failure(name ?? path, errno) }
        descriptor = fd
        self.path = name ?? path
    }

    /// Opens an existing file; does not block if it is a FIFO. Returns -1 with `errno` set on
    /// failure.
    static func open(_ path: String, _ flags: Int32) -> Int32 {
        let fd = retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644) }
        // The file has a lease, for example of a file server. The second call blocks until the
        // lease is released.
        guard fd < 0, errno == EWOULDBLOCK else { return fd }
        return retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC, 0o644) }
    }

    /// Makes the error for an `open` of a database that failed with `code`.
    static func failure(_ name: String, _ code: Int32) -> RealmError {
        // `open` fails with these codes for a socket and for some devices.
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

    /// Throws unless `status` describes a regular file.
    static func checkRegular(_ status: FileStatus, _ name: String) throws(RealmError) {
        if status.isDirectory { throw directory(name) }
        if !status.isRegular { throw notRegular(name) }
    }

    deinit { close(descriptor) }

    /// Copies all bytes that can be read from `source` to a temporary file without a name in
    /// `directory`.
    static func spooled(from source: Int32, directory: String) throws(RealmError) -> File {
        let file = File(
            adopting: try temporaryDescriptor(in: directory), path: "-")
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = retryingInterrupts { read(source, chunk, 1 << 18) }
            if count == 0 { return file }
            guard count > 0 else { throw systemError("read", "-", errno: errno) }
            let bytes = UnsafeRawBufferPointer(start: chunk, count: count)
            try writeWhole(file.descriptor, bytes, path: file.path)
        }
    }

    /// The flag `O_TMPFILE`, which Swift does not import from fcntl.h.
    static let unnamed: Int32 = 0o20_200_000

    /// Returns size, identity and kind of the file.
    func status() throws(RealmError) -> FileStatus { try FileStatus(descriptor, path) }
}

/// Creates a file without a name in `directory`. Only this process can read it. The file is freed
/// when the descriptor is closed, which the caller must do. Throws `output` on failure.
package func temporaryDescriptor(in directory: String) throws(RealmError) -> Int32 {
    let made = retryingInterrupts {
        open(directory, O_RDWR | O_CLOEXEC | O_EXCL | File.unnamed, 0o600)
    }
    if made >= 0 { return made }
    // If O_TMPFILE is not supported, the file has a name until it is unlinked below.
    var template = Array("\(directory)/realm-XXXXXX".utf8CString)
    let fd = mkstemp(&template)
    guard fd >= 0 else { throw systemError("mkstemp", directory, errno: errno, kind: .output) }
    unlink(template)
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
    return fd
}

/// Creates a file in memory without a path, for bytes that must not reach a disk. Throws `output`
/// on failure.
package func memoryDescriptor() throws(RealmError) -> Int32 {
    let closesOnExec: UInt32 = 1
    let made = makeMemoryFile("realm", closesOnExec)
    guard made >= 0 else { throw systemError("memfd_create", nil, errno: errno, kind: .output) }
    return made
}

// Swift does not import this function from `mman.h`.
@_silgen_name("memfd_create")
private func makeMemoryFile(_ name: UnsafePointer<CChar>, _ flags: UInt32) -> Int32

/// Writes all of `bytes`, in several calls if necessary. Throws `output`.
///
/// - Parameters:
///   - offset: offset in the file; nil for the current position of the descriptor.
///   - path: name of the file in messages.
func writeWhole(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int? = nil, path: String
) throws(RealmError) {
    var done = 0
    while done < bytes.count {
        let (start, count) = (bytes.baseAddress! + done, bytes.count - done)
        let written = retryingInterrupts {
            guard let offset else { return write(descriptor, start, count) }
            return pwrite(descriptor, start, count, off_t(offset + done))
        }
        guard written > 0 else {
            // A call that writes nothing does not set `errno`.
            let code = written == 0 ? ENOSPC : errno
            throw systemError(
                offset == nil ? "write" : "pwrite", path, errno: code, kind: .output)
        }
        done += written
    }
}

/// Allocates disk space for `count` bytes of a file from `offset` on, and extends the file if it is
/// shorter. Returns 0 or an error number, as `posix_fallocate` does.
func allocateSpace(_ descriptor: Int32, at offset: Int = 0, count: Int) -> Int32 {
    repeatingInterrupted { posix_fallocate(descriptor, off_t(offset), off_t(count)) }
}

/// Sets the size of a file to `size` bytes. Throws `output`; `path` is the file's name in messages.
func setSize(_ descriptor: Int32, _ size: Int, path: String) throws(RealmError) {
    guard retryingInterrupts({ ftruncate(descriptor, off_t(size)) }) == 0 else {
        throw systemError("ftruncate", path, errno: errno, kind: .output)
    }
}

/// A file descriptor that is closed when the last reference to this object is released.
final class OwnedDescriptor: Sendable {
    let number: Int32

    /// Duplicates the descriptor `other`. Both descriptors refer to the same open file description.
    init(duplicating other: Int32, path: String) throws(RealmError) {
        number = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw systemError("fcntl", path, errno: errno) }
    }

    deinit { close(number) }

    /// Returns the current size of the file in bytes.
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

    /// The identity of the file at `path`; nil if there is none.
    init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.identity
    }
}

/// Size, identity and kind of a file. Uses `statx` without times: if a file's times are read, as
/// `fstat` does, Linux updates them at the next write, and the next sync must store them.
struct FileStatus: Sendable {
    let size: Int
    let identity: FileIdentity
    /// Number of hard links: 0 for a file that was removed.
    let names: Int
    let isRegular: Bool
    let isDirectory: Bool

    /// The status of an open file; `path` is the file's name in messages.
    init(_ descriptor: Int32, _ path: String) throws(RealmError) {
        var found = realm_file_status()
        guard realm_file_status(descriptor, "", &found) == 0 else {
            throw systemError("statx", path, errno: errno)
        }
        self.init(found)
    }

    /// The status of the file at `path`; symbolic links are followed. Nil if there is no file.
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
