import Glibc

/// A temporary file without a name to which pages of private memory move: they stay readable and
/// writable where they are, but the system may take their memory back.
///
/// Used by one thread at a time. Its pages keep what they hold when it is gone.
final class PageFile {
    private let file: File
    private var size = 0

    /// Creates the file in `directory`. Throws `output` when that is impossible.
    init(in directory: String) throws(RealmError) {
        try Confidence.check()
        file = File(adopting: try temporaryDescriptor(in: directory), path: directory)
    }

    /// Moves the `count` bytes at `start`, whole pages both. Throws `output` when the disk is full;
    /// the bytes are where they were then.
    func take(_ start: UnsafeMutableRawPointer, _ count: Int) throws(RealmError) {
        guard count > 0 else { return }
        try file.writeAll(UnsafeRawBufferPointer(start: start, count: count))
        // Later changes become private memory again, so that they need no room on the disk.
        let placed = mmap(
            start, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file.descriptor,
            off_t(size))
        guard placed != MAP_FAILED else {
            throw systemError("mmap", file.path, errno: errno, kind: .output)
        }
        size += count
    }
}
