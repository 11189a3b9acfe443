import Glibc

/// A temporary file without a name, for what a query cannot hold in memory: written from front to
/// back, then read through a mapping, whose pages the system takes back whenever it likes. For what an
/// encrypted database holds it is no file, but memory.
///
/// Confined to one thread.
final class SpillFile {
    private let descriptor: Int32
    private let memory: SpillMemory?
    private let directory: String
    private var buffer: ByteBuffer
    /// Bytes written so far.
    private(set) var size = 0

    private static let bufferSize = 1 << 18

    /// Creates the file in `directory`. Throws `output` when that is impossible.
    init(in directory: String, isConfidential: Bool) throws(RealmError) {
        self.directory = directory
        buffer = ByteBuffer(capacity: Self.bufferSize)
        memory =
            isConfidential
            ? try SpillMemory(directory: directory, isConfidential: true) : nil
        do throws(RealmError) {
            descriptor = memory == nil ? try temporaryDescriptor(in: directory) : -1
        } catch { throw error.aboutSpilling }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends `count` bytes, which are fewer than the buffer holds. Throws `output` when the disk
    /// is full.
    func append(_ base: UnsafeRawPointer, _ count: Int) throws(RealmError) {
        if buffer.count + count > Self.bufferSize { try flush() }
        buffer.append(base, count)
        size += count
    }

    /// Appends a number.
    func append(_ number: Int64) throws(RealmError) {
        if buffer.count + 8 > Self.bufferSize { try flush() }
        buffer.reserve(8).storeBytes(of: number, as: Int64.self)
        buffer.advance(by: 8)
        size += 8
    }

    private func flush() throws(RealmError) {
        do throws(RealmError) {
            let bytes = buffer.bytes
            if let memory, let base = bytes.baseAddress {
                try memory.append(base, bytes.count)
            } else {
                try File.writeAll(bytes, to: descriptor, directory)
            }
        } catch { throw error.aboutSpilling }
        buffer.removeAll()
    }

    /// Everything written, in memory as far as the system likes.
    func mapped() throws(RealmError) -> SpilledBytes {
        try flush()
        if let memory { return SpilledBytes(memory) }
        return try SpilledBytes(descriptor, size: size, directory)
    }
}

/// The bytes of a spill file. Immutable; lives as long as somebody holds it.
final class SpilledBytes: @unchecked Sendable {
    let base: UnsafeRawPointer
    let count: Int
    private let memory: SpillMemory?

    fileprivate init(_ memory: SpillMemory) {
        base = UnsafeRawPointer(memory.base)
        count = memory.count
        self.memory = memory
    }

    fileprivate init(_ descriptor: Int32, size: Int, _ directory: String) throws(RealmError) {
        count = size
        memory = nil
        guard size > 0 else {
            base = UnsafeRawPointer(bitPattern: 16)!
            return
        }
        let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            throw systemError("mmap", directory, errno: errno, kind: .output).aboutSpilling
        }
        base = UnsafeRawPointer(address)
    }

    deinit {
        if count > 0, memory == nil { munmap(UnsafeMutableRawPointer(mutating: base), count) }
    }
}

extension RealmError {
    /// With a hint where the bytes were to go.
    fileprivate var aboutSpilling: RealmError {
        RealmError(
            kind, code: code, reason: reason, message, file: file,
            hint: "a temporary file is needed for results larger than the memory allowed; another "
                + "directory for it, or more memory, helps")
    }
}
