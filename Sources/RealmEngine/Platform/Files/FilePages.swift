import Glibc

/// Zeroed memory in a temporary file without a name, to which the system writes what it has no room for.
final class FilePages {
    let start: UnsafeMutableRawPointer
    private let size: Int

    /// Nil where `directory` cannot have such a file, or has no room for `size` bytes.
    init?(_ size: Int, in directory: String) {
        guard let descriptor = try? temporaryDescriptor(in: directory) else { return nil }
        defer { close(descriptor) }
        // A page for which the disk has no room ends the process.
        guard posix_fallocate(descriptor, 0, off_t(size)) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else { return nil }
        (self.start, self.size) = (start, size)
    }

    deinit { munmap(start, size) }
}
