import Glibc
import Synchronization

/// The bytes of a small companion file that processes share. They are mapped at an address that
/// does not change when the file grows.
///
/// A failure is no error: the caller then works without the file.
final class SharedFileMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let capacity: Int
    private let visibleSize: Atomic<Int>

    /// Opens the file `name` in `directory` and maps at most `capacity` bytes of it. Returns nil on
    /// failure.
    ///
    /// - Parameter permissions: returns the permissions of the database, with which a missing
    ///   directory or file is created. If this parameter is nil, nothing is created, and both must
    ///   exist.
    init?(
        _ name: String, directory: String, creating permissions: (() -> FilePermissions)?,
        capacity: Int
    ) {
        var opened = CompanionFile.descriptor(name, in: directory, O_RDWR, creating: permissions)
        if opened == nil, errno == ENOENT, let permissions {
            permissions().ofSideDirectory.makeDirectory(directory)
            opened = CompanionFile.descriptor(name, in: directory, O_RDWR, creating: permissions)
        }
        guard let opened else { return nil }
        descriptor = opened
        // The mapping extends beyond the end of the file, so that it includes the bytes by which
        // the file grows.
        guard let status = try? FileStatus(opened, name),
            let range = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0),
            range != MAP_FAILED
        else {
            close(opened)
            return nil
        }
        base = range
        self.capacity = capacity
        // Use whole pages only: another process may be extending the file within its last page.
        let page = AddressSpace.pageSize
        visibleSize = Atomic(min(status.size, capacity) / page * page)
    }

    deinit {
        munmap(base, capacity)
        close(descriptor)
    }

    /// Number of bytes of the file that this process may access.
    var size: Int { visibleSize.load(ordering: .acquiring) }

    /// Extends the file by at least one page. Disk space is allocated, so that a store to the page
    /// cannot fail. Returns false on failure. Only one thread of a process may call this at a time.
    func grow() -> Bool {
        let wanted = size + AddressSpace.pageSize
        guard wanted <= capacity else { return false }
        // If another process has extended the file further, this does not shorten it.
        guard allocateSpace(descriptor, count: wanted) == 0 else { return false }
        visibleSize.store(wanted, ordering: .releasing)
        return true
    }
}
