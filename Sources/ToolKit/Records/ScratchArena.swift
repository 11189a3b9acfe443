import RealmEngine

/// Memory for the values of a record that have to be decoded: unescaped text, base64.
///
/// Pointers are valid until `reset`, which keeps one block for the next record.
package final class ScratchArena {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0
    /// Buffer for decoding base64, whose size is not known in advance.
    var decoded = ByteBuffer(capacity: 64)
    /// Size above which a block is freed instead of kept for the next record.
    private static let retainedCapacity = 1 << 20

    package init(capacity: Int = 4096) {
        self.capacity = capacity
        block = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        block.deallocate()
        for old in blocks { old.deallocate() }
    }

    /// Allocates `count` bytes, aligned to 8 bytes and followed by eight more readable bytes.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 8 + 7) & ~7
        if size > capacity - used { replaceBlock(atLeast: size) }
        defer { used += size }
        return block + used
    }

    /// Frees all allocations.
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
