import Glibc

/// Memory pages for large buffers.
enum LargeMemory {
    /// Minimum size in bytes of a buffer for which huge pages are requested.
    private static let minimumSize = 4 << 20
    private static let pageSize = 4096

    /// Requests huge pages for a new buffer that will be written completely. The first use of each
    /// 2 MiB then causes only one page fault. Does nothing for smaller buffers. Systems without
    /// huge pages ignore the request.
    @inline(__always)
    static func requestHugePages(_ start: UnsafeMutableRawPointer, _ size: Int) {
        if size >= minimumSize { advise(start, size) }
    }

    @inline(never)
    private static func advise(_ start: UnsafeMutableRawPointer, _ size: Int) {
        let address = Int(bitPattern: start)
        let skipped = ((address + pageSize - 1) & ~(pageSize - 1)) - address
        madvise(start + skipped, (size - skipped) & ~(pageSize - 1), MADV_HUGEPAGE)
    }
}
