import RealmEngine

/// Cache of rendered links, by object key. Useful because many links reference few objects.
///
/// Direct-mapped: each key has one possible entry. A collision or a long rendering costs a look-up,
/// never a wrong result. Copies of this struct share the memory; the creator frees it.
struct LinkCache {
    private static let entries = 2048
    /// Size of an entry in bytes: 8 for the object key (plus 1), 1 for the length of the rendered
    /// text, and 55 for the text.
    ///
    /// Every key has exactly one possible entry. An empty entry contains a key that belongs to
    /// another entry, so that no look-up matches it.
    private static let entrySize = 64
    private static let maximumTextSize = entrySize - 9

    private let memory: UnsafeMutableRawPointer

    init() {
        let size = Self.entries * Self.entrySize
        memory = .allocate(byteCount: size, alignment: Self.entrySize)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        // A zeroed entry would match key -1, which a damaged list of backlinks may contain. Key -1
        // belongs to the last entry; so that entry gets the number of key 0, which belongs to the
        // first.
        entry(ObjectKey(-1)).storeBytes(of: 1, as: Int64.self)
    }

    func free() { memory.deallocate() }

    @inline(__always)
    private func entry(_ key: ObjectKey) -> UnsafeMutableRawPointer {
        memory + Int(truncatingIfNeeded: key.raw) & (Self.entries &- 1) &* Self.entrySize
    }

    /// Appends the cached rendering of a link to the object with `key`. Returns false if there is
    /// none.
    @inline(__always)
    func append(_ key: ObjectKey, to out: inout ByteBuffer) -> Bool {
        let entry = entry(key)
        guard entry.load(as: Int64.self) == key.raw &+ 1 else { return false }
        // Copying a fixed size is faster than copying the exact size.
        out.reserve(Self.entrySize).copyMemory(from: entry + 9, byteCount: Self.maximumTextSize)
        out.advance(by: Int(entry.load(fromByteOffset: 8, as: UInt8.self)))
        return true
    }

    /// Caches the bytes of `out` from `start` on as the rendering of a link to the object with
    /// `key`.
    func store(_ key: ObjectKey, _ out: borrowing ByteBuffer, from start: Int) {
        let count = out.count - start
        guard count <= Self.maximumTextSize else { return }
        let entry = entry(key)
        entry.storeBytes(of: key.raw &+ 1, as: Int64.self)
        entry.storeBytes(of: UInt8(count), toByteOffset: 8, as: UInt8.self)
        (entry + 9).copyMemory(from: out.bytes.baseAddress! + start, byteCount: count)
    }
}
