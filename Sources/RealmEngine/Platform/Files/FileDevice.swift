import Glibc

/// A file opened for writing. Closes its descriptor when released.
final class FileDevice: StorageDevice {
    /// Path of the file; nil for a memory file and for a duplicated descriptor.
    let resolvedPath: DatabasePath?
    /// Name of the file for error messages.
    let path: String
    let descriptor: Int32
    /// Device and inode. Two paths with the same identity are the same file.
    let identity: FileIdentity
    private(set) var size: Int
    /// Number of syncs so far, for reports.
    private(set) var syncCount = 0
    private(set) var bytesWritten = 0
    /// Time spent in syncs so far, in nanoseconds.
    private(set) var syncNanoseconds = 0

    /// Whether opening the device creates the file.
    enum Creation: Sendable {
        case never
        case ifMissing
        /// Creates the file. Fails if it exists.
        case always
    }

    /// Opens the file at `path` for reading and writing, or creates it.
    convenience init(path: String, _ creation: Creation = .never) throws(RealmError) {
        try self.init(DatabasePath(path), creation)
    }

    init(_ resolvedPath: DatabasePath, _ creation: Creation = .never) throws(RealmError) {
        let creating =
            switch creation {
            case .never: Int32(0)
            case .ifMissing: O_CREAT
            case .always: O_CREAT | O_EXCL
            }
        let fd = File.open(resolvedPath.path, O_RDWR | creating)
        guard fd >= 0 else { throw File.failure(resolvedPath.name, errno) }
        do throws(RealmError) {
            let status = try FileStatus(fd, resolvedPath.name)
            try File.checkRegular(status, resolvedPath.name)
            (size, identity) = (status.size, status.identity)
        } catch {
            close(fd)
            throw error
        }
        self.resolvedPath = resolvedPath
        path = resolvedPath.name
        descriptor = fd
    }

    /// Creates a memory file of this process. It is freed when the last descriptor is closed.
    /// `name` is its name in messages.
    init(memory name: String) throws(RealmError) {
        descriptor = try memoryDescriptor()
        resolvedPath = nil
        path = name
        size = 0
        do throws(RealmError) { identity = try FileStatus(descriptor, name).identity } catch {
            close(descriptor)
            throw error
        }
    }

    /// Makes a device with a duplicate of the descriptor `other`.
    init(_ other: OwnedDescriptor, path: String) throws(RealmError) {
        descriptor = fcntl(other.number, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw systemError("fcntl", path, errno: errno) }
        resolvedPath = nil
        self.path = path
        do throws(RealmError) {
            let status = try FileStatus(descriptor, path)
            (size, identity) = (status.size, status.identity)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private func currentSize() throws(RealmError) -> Int {
        try FileStatus(descriptor, path).size
    }

    func grow(to wanted: Int) throws(RealmError) {
        // A file is never shortened during a session.
        if wanted <= size { return }
        // Another participant may have extended the file in the meantime.
        size = max(size, try currentSize())
        if wanted <= size { return }
        let code = allocateSpace(descriptor, at: size, count: wanted - size)
        if code != 0 {
            // If the file system cannot preallocate space, extend the file without allocating it.
            guard code == EOPNOTSUPP || code == EINVAL,
                retryingInterrupts({ ftruncate(descriptor, off_t(wanted)) }) == 0
            else { throw systemError("fallocate", path, errno: code, kind: .output) }
        }
        size = wanted
    }

    /// Shortens the file to `wanted` bytes. No other process may have the file mapped.
    func truncate(to wanted: Int) throws(RealmError) {
        try setSize(descriptor, wanted, path: path)
        size = wanted
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        try writeWhole(descriptor, bytes, at: offset, path: path)
        bytesWritten += bytes.count
    }

    func sync() throws(RealmError) {
        syncCount += 1
        let began = Self.nanoseconds()
        defer { syncNanoseconds += Self.nanoseconds() - began }
        guard retryingInterrupts({ fdatasync(descriptor) }) == 0 else {
            throw systemError("fdatasync", path, errno: errno, kind: .output)
        }
    }

    private static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
