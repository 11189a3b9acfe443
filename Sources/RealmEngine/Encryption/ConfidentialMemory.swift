import Glibc

/// Zeroed memory for keys and decrypted bytes. It is left out of core dumps.
enum ConfidentialMemory {
    /// Allocates `size` bytes, which the caller must free with `free`. Throws `internal` if out of
    /// memory.
    ///
    /// - Parameter path: the file that the memory is for, for error messages.
    static func make(_ size: Int, _ path: String? = nil) throws(RealmError)
        -> UnsafeMutableRawPointer
    {
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw systemError("mmap", path, errno: errno)
        }
        madvise(memory, size, Mapping.noDump)
        return memory
    }

    static func free(_ memory: UnsafeMutableRawPointer, _ size: Int) { munmap(memory, size) }
}
