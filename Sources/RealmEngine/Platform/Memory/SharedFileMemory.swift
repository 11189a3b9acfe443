import Glibc
import Synchronization

/// The bytes of a small side file that processes share, at one address however it grows.
///
/// Whatever goes wrong with such a file is nobody's error: there is none, then.
final class SharedFileMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    private let descriptor: Int32
    private let capacity: Int
    private let visibleSize: Atomic<Int>

    /// Opens the file `name` in `directory`. Who is to use a database, as `permissions` say, makes
    /// both; without, they must be there. At most `capacity` bytes of the file are ever looked at.
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
        // Far beyond its end: what the file grows by is there then.
        guard let status = try? FileStatus(opened, name),
            let range = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0),
            range != MAP_FAILED
        else {
            close(opened)
            return nil
        }
        base = range
        self.capacity = capacity
        // Only whole pages: behind the end of the file, the last page is nobody's.
        let page = AddressSpace.pageSize
        visibleSize = Atomic(min(status.size, capacity) / page * page)
    }

    deinit {
        munmap(base, capacity)
        close(descriptor)
    }

    /// Bytes that may be looked at.
    var size: Int { visibleSize.load(ordering: .acquiring) }

    /// Makes the file at least one page longer, its space allocated so that no store can fail; false
    /// when that is impossible. One thread of a process at a time.
    func grow() -> Bool {
        let wanted = size + AddressSpace.pageSize
        guard wanted <= capacity else { return false }
        // Never makes a file shorter that another process made longer.
        guard posix_fallocate(descriptor, 0, off_t(wanted)) == 0 else { return false }
        visibleSize.store(wanted, ordering: .releasing)
        return true
    }
}
