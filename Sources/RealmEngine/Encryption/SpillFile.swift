import Glibc

/// A temporary file without a name, for data of a query that would take too much memory. It is
/// written from start to end, and then read through a mapping, whose memory the system can free.
/// For an encrypted database, the file is encrypted with a key that only this process has.
///
/// Confined to one thread.
final class SpillFile {
    private let descriptor: Int32
    private let cipher: SpillCipher?
    private let directory: String
    private var buffer: ByteBuffer
    /// Number of bytes appended to the spill file so far.
    private(set) var size = 0
    /// Number of bytes that are already in the file; later ones are in the buffer.
    private var written = 0

    private static let bufferSize = 1 << 18

    /// Creates the file in `directory`. Throws `output` if that fails.
    init(in directory: String, isConfidential: Bool) throws(RealmError) {
        self.directory = directory
        buffer = ByteBuffer(capacity: Self.bufferSize)
        cipher = isConfidential ? try SpillCipher(capacity: Self.bufferSize) : nil
        do throws(RealmError) { descriptor = try temporaryDescriptor(in: directory) } catch {
            throw error.aboutSpilling
        }
    }

    deinit { close(descriptor) }

    /// Appends `count` bytes. `count` must be less than the size of the buffer. Throws `output` if
    /// the disk is full.
    func append(_ base: UnsafeRawPointer, _ count: Int) throws(RealmError) {
        if buffer.count + count > Self.bufferSize { try flush() }
        buffer.append(base, count)
        size += count
    }

    /// Appends a number to the file as 8 bytes.
    func append(_ number: Int64) throws(RealmError) {
        if buffer.count + 8 > Self.bufferSize { try flush() }
        buffer.reserve(8).storeBytes(of: number, as: Int64.self)
        buffer.advance(by: 8)
        size += 8
    }

    private func flush() throws(RealmError) {
        let whole = cipher == nil ? buffer.count : buffer.count & ~(SpillCipher.block - 1)
        guard whole > 0 else { return }
        let plain = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<whole])
        let bytes = cipher?.encrypted(plain, at: written) ?? plain
        do throws(RealmError) { try writeWhole(descriptor, bytes, path: directory) } catch {
            throw error.aboutSpilling
        }
        written += whole
        let (rest, count) = (buffer.bytes.baseAddress! + whole, buffer.count - whole)
        buffer.removeAll()
        buffer.append(rest, count)
    }

    /// Writes the rest of the buffer and returns the mapped bytes. Nothing may be appended
    /// afterwards.
    func mapped() throws(RealmError) -> SpilledBytes {
        if cipher != nil {
            while buffer.count % SpillCipher.block != 0 { buffer.append(0) }
        }
        try flush()
        return try SpilledBytes(descriptor, size: size, cipher, directory)
    }
}

/// The bytes of a spill file. Immutable; mapped as long as this object exists.
final class SpilledBytes: @unchecked Sendable {
    let count: Int
    /// Address of the mapped file.
    private let base: UnsafeRawPointer
    private let mapped: Int
    private let blocks: SpillBlocks?

    fileprivate init(
        _ descriptor: Int32, size: Int, _ cipher: SpillCipher?, _ directory: String
    ) throws(RealmError) {
        count = size
        let block = SpillCipher.block
        mapped = cipher == nil ? size : (size + block - 1) / block * block
        guard size > 0 else {
            base = UnsafeRawPointer(bitPattern: 16)!
            blocks = nil
            return
        }
        let address = mmap(nil, mapped, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            throw systemError("mmap", directory, errno: errno, kind: .output).aboutSpilling
        }
        base = UnsafeRawPointer(address)
        do throws(RealmError) {
            blocks = cipher == nil ? nil : try SpillBlocks(cipher!.key, UnsafeRawPointer(address))
        } catch {
            munmap(address, mapped)
            throw error
        }
    }

    deinit {
        if count > 0 { munmap(UnsafeMutableRawPointer(mutating: base), mapped) }
    }

    /// Whether the file is unencrypted, so that the bytes can be read directly from the mapping.
    /// Otherwise they are decrypted to a copy.
    var isPlain: Bool { blocks == nil }

    /// Returns the address of `size` bytes at `offset`: in the mapping if the file is unencrypted;
    /// otherwise in `room`, to which the bytes are decrypted. `room` may be nil for an unencrypted
    /// file.
    @inline(__always)
    func bytes(
        at offset: Int, _ size: Int, _ room: UnsafeMutableRawPointer?
    ) -> UnsafeRawPointer {
        guard let blocks else { return base + offset }
        blocks.copy(offset, size, to: room!)
        return UnsafeRawPointer(room!)
    }

    /// Returns the number that is stored at `offset`, a multiple of 8.
    @inline(__always)
    func number(at offset: Int) -> Int64 {
        guard let blocks else { return base.load(fromByteOffset: offset, as: Int64.self) }
        var number: Int64 = 0
        blocks.copy(offset, 8, to: &number)
        return number
    }
}

extension RealmError {
    /// A copy of this error with a hint that the query needs disk space for a temporary file.
    fileprivate var aboutSpilling: RealmError {
        RealmError(
            kind, code: code, reason: reason, message, file: file,
            hint: "a temporary file is needed for results larger than the memory allowed; another "
                + "directory for it, or more memory, helps")
    }
}
