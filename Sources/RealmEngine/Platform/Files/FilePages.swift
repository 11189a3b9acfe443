import Glibc

/// Zeroed memory mapped from a temporary file without a name. The system can evict its pages to
/// that file.
final class FilePages {
    let start: UnsafeMutableRawPointer
    private let size: Int

    /// Maps `size` bytes of zeroed memory from a temporary file in `directory`. Returns nil if
    /// `directory` does not support files without a name, or has less than `size` bytes of free
    /// space.
    init?(_ size: Int, in directory: String) {
        guard let descriptor = try? temporaryDescriptor(in: directory) else { return nil }
        defer { close(descriptor) }
        // Allocate the disk space now: a store to a page without disk space would end the process.
        guard allocateSpace(descriptor, count: size) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else { return nil }
        (self.start, self.size) = (start, size)
    }

    deinit { munmap(start, size) }
}
