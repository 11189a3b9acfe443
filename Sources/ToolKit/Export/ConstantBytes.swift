import RealmEngine

/// Constant pieces of output in one allocation. A piece consists of a pointer and a length, so
/// appending a piece to each row costs no reference counting.
package final class ConstantBytes: @unchecked Sendable {
    package struct Piece {
        package let start: UnsafeRawPointer
        package let count: Int
    }

    private let memory: UnsafeMutableRawPointer
    private let ranges: [Range<Int>]

    package init(_ texts: [[UInt8]]) {
        var ranges: [Range<Int>] = []
        var end = 0
        for text in texts {
            ranges.append(end..<end + text.count)
            end += text.count
        }
        memory = .allocate(byteCount: max(1, end), alignment: 8)
        for (text, range) in zip(texts, ranges) {
            (memory + range.lowerBound).copyMemory(from: text, byteCount: text.count)
        }
        self.ranges = ranges
    }

    deinit { memory.deallocate() }

    /// Returns piece `i`, which is valid as long as this object exists.
    package subscript(i: Int) -> Piece {
        Piece(start: UnsafeRawPointer(memory + ranges[i].lowerBound), count: ranges[i].count)
    }
}

extension ByteBuffer {
    @inline(__always)
    package mutating func append(_ piece: ConstantBytes.Piece) { append(piece.start, piece.count) }
}
