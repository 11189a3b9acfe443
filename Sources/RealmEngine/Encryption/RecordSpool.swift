/// Stores records that are made in one order and read in another. Few records stay in memory; more
/// are stored in a temporary file, which is encrypted if the database is.
///
/// Confined to one thread.
package final class RecordSpool {
    private let memory: Int
    private let directory: String
    private let isConfidential: Bool
    private var held: ByteBuffer
    private var file: SpillFile?
    private var bytes: SpilledBytes?
    /// Size of all records in bytes, including the size field before each record.
    private var size = 0

    private static let headSize = 8
    /// Number of bytes that are appended to the file at a time.
    private static let part = 1 << 16

    /// - Parameter memory: maximum number of bytes to keep in memory; with more, all records are
    ///   moved to a file.
    package init(memory: Int, directory: String, isConfidential: Bool) {
        self.memory = memory
        self.directory = directory
        self.isConfidential = isConfidential
        held = ByteBuffer(capacity: min(memory, Self.part))
    }

    /// Appends a record and returns its offset. Throws `output` if the disk is full.
    package func append(_ record: UnsafeRawBufferPointer) throws(RealmError) -> Int {
        let offset = size
        size += Self.headSize + record.count
        if file == nil, size > memory {
            file = try SpillFile(in: directory, isConfidential: isConfidential)
            try write(held.bytes)
            held = ByteBuffer(capacity: 64)
        }
        var count = record.count
        try withUnsafeBytes(of: &count) { (count) throws(RealmError) in try write(count) }
        try write(record)
        return offset
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(RealmError) {
        guard let file else { return held.append(bytes) }
        for start in stride(from: 0, to: bytes.count, by: Self.part) {
            try file.append(bytes.baseAddress! + start, min(Self.part, bytes.count - start))
        }
    }

    /// Appends the record stored at `offset` to `out` and returns the offset of the next record.
    /// After the first call, no record may be added to the spool.
    package func copy(_ offset: Int, to out: inout ByteBuffer) throws(RealmError) -> Int {
        var count = 0
        try withUnsafeMutableBytes(of: &count) { (count) throws(RealmError) in
            try read(offset, Self.headSize, to: count.baseAddress!)
        }
        try read(offset + Self.headSize, count, to: out.reserve(count))
        out.advance(by: count)
        return offset + Self.headSize + count
    }

    private func read(
        _ offset: Int, _ count: Int, to room: UnsafeMutableRawPointer
    ) throws(RealmError) {
        var found = UnsafeRawPointer(room)
        if let file {
            let bytes = if let bytes { bytes } else { try file.mapped() }
            self.bytes = bytes
            found = bytes.bytes(at: offset, count, room)
        } else {
            found = held.bytes.baseAddress! + offset
        }
        if found != UnsafeRawPointer(room) { room.copyMemory(from: found, byteCount: count) }
    }
}
