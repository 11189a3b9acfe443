import Glibc

/// Memory of this process.
enum ResidentMemory {
    /// Number of bytes of mapped file pages that are in memory; nil if the system does not report
    /// it.
    static var filePages: Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return nil }
            // The third number in `/proc/self/statm` is the number of pages.
            var (field, pages) = (0, 0)
            for byte in bytes[..<count] {
                if byte == UInt8(ascii: " ") {
                    if field == 2 { return pages * AddressSpace.pageSize }
                    field += 1
                } else if field == 2, case UInt8(ascii: "0")...UInt8(ascii: "9") = byte {
                    pages = pages &* 10 &+ Int(byte - UInt8(ascii: "0"))
                }
            }
            return nil
        }
    }
}
