import RealmEngine

/// Rendered keys of link targets, found again by object key: many objects link to few.
///
/// Direct-mapped; a collision or a long key costs a look-up, never a wrong answer.
final class LinkCache {
    private static let entries = 4096
    /// Object key, length, and what was printed.
    private static let entrySize = 64
    private static let longest = entrySize - 9

    /// Made when the first key is kept.
    private var memory: UnsafeMutableRawPointer?

    deinit { memory?.deallocate() }

    @inline(__always)
    private static func offset(_ key: ObjectKey) -> Int {
        Int(truncatingIfNeeded: key.raw) & (entries - 1) &* entrySize
    }

    /// Appends what was kept for `key`; false when there is nothing.
    @inline(__always)
    func append(_ key: ObjectKey, to out: inout ByteBuffer) -> Bool {
        guard let memory else { return false }
        let entry = memory + Self.offset(key)
        guard entry.load(as: Int64.self) == key.raw else { return false }
        let place = out.reserve(Self.entrySize)
        place.copyMemory(from: entry + 9, byteCount: Self.longest)
        out.advance(by: Int(entry.load(fromByteOffset: 8, as: UInt8.self)))
        return true
    }

    /// Keeps what `out` holds from `start` on as the rendering of `key`.
    func keep(_ key: ObjectKey, _ out: borrowing ByteBuffer, from start: Int) {
        let count = out.count - start
        guard count <= Self.longest else { return }
        let memory = self.memory ?? Self.emptyMemory()
        self.memory = memory
        let entry = memory + Self.offset(key)
        entry.storeBytes(of: key.raw, as: Int64.self)
        entry.storeBytes(of: UInt8(count), toByteOffset: 8, as: UInt8.self)
        (entry + 9).copyMemory(from: out.bytes.baseAddress! + start, byteCount: count)
    }

    private static func emptyMemory() -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: entries * entrySize, alignment: entrySize)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: entries * entrySize)
        for i in 0..<entries {
            memory.storeBytes(of: -1, toByteOffset: i * entrySize, as: Int64.self)
        }
        return memory
    }
}
