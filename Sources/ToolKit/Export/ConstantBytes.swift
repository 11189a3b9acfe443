import RealmEngine

/// Constant pieces of output, made once per export: each is a pointer and a length, so that a row
/// costs no reference counting.
final class ConstantBytes: @unchecked Sendable {
    struct Piece {
        let start: UnsafeRawPointer
        let count: Int
    }

    private let memory: UnsafeMutableRawPointer
    private let pieces: [(offset: Int, count: Int)]

    /// Copies what `fill` appends; each call of its argument ends a piece.
    init(_ texts: [[UInt8]]) {
        let all = texts.flatMap { $0 }
        memory = .allocate(byteCount: max(1, all.count), alignment: 8)
        all.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                memory.copyMemory(from: base, byteCount: bytes.count)
            }
        }
        var offset = 0
        pieces = texts.map { text in
            defer { offset += text.count }
            return (offset, text.count)
        }
    }

    deinit { memory.deallocate() }

    /// Piece `i`; valid as long as this object.
    subscript(i: Int) -> Piece {
        Piece(start: UnsafeRawPointer(memory + pieces[i].offset), count: pieces[i].count)
    }
}

extension ByteBuffer {
    @inline(__always)
    mutating func append(_ piece: ConstantBytes.Piece) { append(piece.start, piece.count) }
}
