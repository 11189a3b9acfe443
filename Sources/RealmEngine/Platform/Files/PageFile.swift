import Glibc

/// A temporary file without a name, to which pages of private memory can be moved. The pages remain
/// readable and writable at their addresses, but the system can evict them.
///
/// Used by one thread at a time. The pages remain valid after `deinit`.
final class PageFile {
    private let descriptor: Int32
    private let directory: String
    private var size = 0

    /// Creates the temporary file in `directory`. Throws `output` on failure.
    init(in directory: String) throws(RealmError) {
        descriptor = try temporaryDescriptor(in: directory)
        self.directory = directory
    }

    deinit { close(descriptor) }

    /// Moves the `count` bytes at `start` to the file. Both must be multiples of the page size.
    /// Throws `output` if the disk is full; the bytes are unchanged then.
    func take(_ start: UnsafeMutableRawPointer, _ count: Int) throws(RealmError) {
        guard count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        try writeWhole(descriptor, bytes, path: directory)
        // Because of MAP_PRIVATE, a page that is changed later becomes private memory again. It is
        // then not written to the file, so that no change can fail for lack of disk space.
        let placed = mmap(
            start, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor,
            off_t(size))
        guard placed != MAP_FAILED else {
            throw systemError("mmap", directory, errno: errno, kind: .output)
        }
        size += count
    }
}
