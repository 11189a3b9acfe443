import Glibc
import Synchronization

/// The bytes of a small companion file that processes share, mapped at an address that stays when
/// the file grows.
///
/// Failures are not errors: the caller does without the file.
final class SharedFileMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let capacity: Int
    private let visibleSize: Atomic<Int>

    /// Opens the file `name` in `directory` and maps at most `capacity` bytes of it. Creates
    /// directory and file with the database's `permissions`; if these are nil, both must exist.
    /// Returns nil on failure.
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
        // The mapping extends past the end of the file, so that it covers the file when that grows.
        guard let status = try? FileStatus(opened, name),
            let range = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0),
            range != MAP_FAILED
        else {
            close(opened)
            return nil
        }
        base = range
        self.capacity = capacity
        // Whole pages only: another process may extend the file, and bytes of the last page past
        // the end of the file belong to no process until then.
        let page = AddressSpace.pageSize
        visibleSize = Atomic(min(status.size, capacity) / page * page)
    }

    deinit {
        munmap(base, capacity)
        close(descriptor)
    }

    /// Number of bytes that may be accessed.
    var size: Int { visibleSize.load(ordering: .acquiring) }

    /// Extends the file by at least one page with allocated space, so that no store can fail;
    /// returns false on failure. Called by one thread of a process at a time.
    func grow() -> Bool {
        let wanted = size + AddressSpace.pageSize
        guard wanted <= capacity else { return false }
        // Does not shrink a file that another process has extended.
        guard allocateSpace(descriptor, count: wanted) == 0 else { return false }
        visibleSize.store(wanted, ordering: .releasing)
        return true
    }
}
