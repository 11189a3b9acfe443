import Glibc

/// A growable array of bytes with one owner, for building text and JSON without `String`.
///
/// Appending costs a comparison and a copy. Not thread-safe.
package struct ByteBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var end: Int
    @usableFromInline var capacity: Int

    package init(capacity: Int = 1 << 16) {
        self.capacity = max(64, capacity)
        start = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
        end = 0
    }

    deinit { start.deallocate() }

    @inlinable package var count: Int { end }

    /// All bytes. Valid until the next append.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: end)
    }

    @inlinable package mutating func removeAll() { end = 0 }

    /// Keeps the first `count` bytes and removes the others.
    @inlinable package mutating func truncate(to count: Int) {
        precondition(count <= end)
        end = count
    }

    /// Returns the address of room for `extra` bytes after the last one. The caller fills it and
    /// then calls `advance(by:)`.
    @inlinable @inline(__always)
    package mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
        if end &+ extra > capacity { grow(extra) }
        return start + end
    }

    @inlinable @inline(__always) package mutating func advance(by written: Int) { end &+= written }

    @usableFromInline @inline(never)
    mutating func grow(_ extra: Int) {
        let wanted = max(capacity * 2, end + extra)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        fresh.copyMemory(from: start, byteCount: end)
        start.deallocate()
        start = fresh
        capacity = wanted
    }

    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
        end &+= 1
    }

    @inlinable @inline(__always)
    package mutating func append(_ base: UnsafeRawPointer, _ count: Int) {
        reserve(count).copyMemory(from: base, byteCount: count)
        end &+= count
    }

    @inlinable package mutating func append(_ view: ByteView) { append(view.base, view.count) }

    @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { append(base, bytes.count) }
    }

    @inlinable @inline(__always)
    package mutating func append(_ text: StaticString) {
        append(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    /// Appends a text. String literals select the faster overload for `StaticString`: this overload
    /// is marked as disfavoured.
    @_disfavoredOverload
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    package var string: String { String(decoding: bytes, as: UTF8.self) }
}
