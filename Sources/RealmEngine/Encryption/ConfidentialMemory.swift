import Glibc

/// Memory for keys and decrypted bytes, zeroed, which no core dump shows.
enum ConfidentialMemory {
    /// `size` bytes, to be given back by `free`. Throws `internal` without memory.
    ///
    /// - Parameter path: the file it is for.
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
