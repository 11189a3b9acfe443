import RealmEngine

/// Memory for what has to be rewritten while a record is read: unescaped text, decoded base64.
///
/// Pointers stay valid until `reset`, which keeps one block for the next record.
package final class ScratchArena {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var block: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0
    /// Where base64 is decoded before its size is known.
    var decoded = ByteBuffer(capacity: 64)
    /// Above this a block is not kept for the next record.
    private static let keptCapacity = 1 << 20

    package init(capacity: Int = 4096) {
        self.capacity = capacity
        block = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        block.deallocate()
        for old in blocks { old.deallocate() }
    }

    /// `count` bytes, 8-byte aligned, with eight more behind them that may be read.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 8 + 7) & ~7
        if size > capacity - used { replaceBlock(atLeast: size) }
        defer { used += size }
        return block + used
    }

    /// Forgets everything.
    @inline(__always)
    package func reset() {
        if used > 0 { forget() }
    }

    private func forget() {
        used = 0
        for old in blocks { old.deallocate() }
        blocks.removeAll(keepingCapacity: true)
        guard capacity > Self.keptCapacity else { return }
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
