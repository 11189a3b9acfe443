import RealmEngine

/// Memory for the decoded values of a record, such as text with escapes and base64.
///
/// Pointers are valid until `reset`, which keeps one block of memory for the next record.
package final class ScratchArena {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0
    /// Buffer for decoding base64. The size of the result is not known in advance.
    var decoded = ByteBuffer(capacity: 64)
    /// Size above which `reset` frees a block instead of keeping it.
    private static let retainedCapacity = 1 << 20
    /// Order of the bytes of the UUIDs that records contain (`--guid`).
    package var uuidOrder = UUIDOrder.standard

    package init(capacity: Int = 4096) {
        self.capacity = capacity
        block = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        block.deallocate()
        for old in blocks { old.deallocate() }
    }

    /// Allocates `count` bytes. They are aligned to 8 bytes, and eight more readable bytes follow
    /// them.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 8 + 7) & ~7
        if size > capacity - used { replaceBlock(atLeast: size) }
        defer { used += size }
        return block + used
    }

    /// Makes all pointers invalid and their memory available.
    @inline(__always)
    package func reset() {
        if used > 0 { forget() }
    }

    private func forget() {
        used = 0
        for old in blocks { old.deallocate() }
        blocks.removeAll(keepingCapacity: true)
        guard capacity > Self.retainedCapacity else { return }
        block.deallocate()
        capacity = 4096
        block = .allocate(byteCount: capacity, alignment: 16)
    }

    private func replaceBlock(atLeast size: Int) {
        blocks.append(block)
        capacity = max(capacity * 2, size)
        block = .allocate(byteCount: capacity, alignment: 16)
        used = 0
    }
}
