import Glibc

/// A temporary file without a name to which pages of private memory move: they stay readable and
/// writable where they are, but the system may take their memory back.
///
/// Used by one thread at a time. Its pages keep what they hold when it is gone.
final class PageFile {
    private let descriptor: Int32
    private let directory: String
    private var size = 0

    /// Creates the file in `directory`. Throws `output` when that is impossible.
    init(in directory: String) throws(RealmError) {
        descriptor = try temporaryDescriptor(in: directory)
        self.directory = directory
    }

    deinit { close(descriptor) }

    /// Moves the `count` bytes at `start`, whole pages both. Throws `output` when the disk is full;
    /// the bytes are where they were then.
    func take(_ start: UnsafeMutableRawPointer, _ count: Int) throws(RealmError) {
        guard count > 0 else { return }
        try File.writeAll(
            UnsafeRawBufferPointer(start: start, count: count), to: descriptor, directory)
        // Later changes become private memory again, so that they need no room on the disk.
        let placed = mmap(
            start, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor,
            off_t(size))
        guard placed != MAP_FAILED else {
            throw systemError("mmap", directory, errno: errno, kind: .output)
        }
        size += count
    }
}
