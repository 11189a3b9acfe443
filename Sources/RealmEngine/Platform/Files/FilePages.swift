import Glibc

/// Zeroed memory mapped from a temporary file without a name. The system can evict its pages to
/// that file.
final class FilePages {
    let start: UnsafeMutableRawPointer
    private let size: Int

    /// Returns nil if `directory` does not support such a file or has less than `size` bytes free.
    init?(_ size: Int, in directory: String) {
        guard let descriptor = try? temporaryDescriptor(in: directory) else { return nil }
        defer { close(descriptor) }
        // Allocates the disk space now: without space, storing to a page would end the process.
        guard allocateSpace(descriptor, count: size) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else { return nil }
        (self.start, self.size) = (start, size)
    }

    deinit { munmap(start, size) }
}
