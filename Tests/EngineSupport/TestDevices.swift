@testable import RealmEngine

/// Records each call of the device and forwards it.
final class RecordingDevice: StorageDevice {
    enum Call {
        case grow(Int)
        case write(Int, [UInt8])
        case sync
    }

    private let device: any StorageDevice
    var calls: [Call] = []

    init(_ device: any StorageDevice) { self.device = device }

    var size: Int { device.size }

    func grow(to size: Int) throws(RealmError) {
        calls.append(.grow(size))
        try device.grow(to: size)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        calls.append(.write(offset, [UInt8](bytes)))
        try device.write(bytes, at: offset)
    }

    func sync() throws(RealmError) {
        calls.append(.sync)
        try device.sync()
    }
}

/// A device that fails from the call with number `failing` on, like a full or broken disk.
final class FaultyDevice: StorageDevice {
    private let device: any StorageDevice
    private let failing: Int
    private let error: RealmError
    /// Whether a failing write stores a part of its bytes before it fails.
    private let tears: Bool
    private let isEncrypted: Bool
    /// Number of device calls so far.
    private(set) var calls = 0

    init(
        _ device: any StorageDevice, failing: Int, _ error: RealmError, tears: Bool,
        isEncrypted: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.device = device
        self.failing = failing
        self.error = error
        self.tears = tears
    }

    var size: Int { device.size }
    var hasFailed: Bool { calls > failing }

    private func pass() -> Bool {
        calls += 1
        return calls <= failing
    }

    func grow(to size: Int) throws(RealmError) {
        guard pass() else { throw error }
        try device.grow(to: size)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        guard pass() else {
            if tears, calls == failing + 1 {
                let grain = isEncrypted ? FileImage.encryptedGrain(at: offset) : 1
                let half = bytes.count / 2 / grain * grain
                try device.write(.init(rebasing: bytes[..<half]), at: offset)
            }
            throw error
        }
        try device.write(bytes, at: offset)
    }

    func sync() throws(RealmError) {
        guard pass() else { throw error }
        try device.sync()
    }
}

/// Bytes of a file after a simulated crash: all synced writes, and a random part of the writes
/// after the last sync.
struct FileImage {
    var bytes: [UInt8]

    mutating func apply(_ call: RecordingDevice.Call) {
        switch call {
        case .grow(let size): extend(to: size)
        case .write(let offset, let new): write(new[...], at: offset)
        case .sync: return
        }
    }

    private mutating func extend(to size: Int) {
        if bytes.count < size {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }

    private mutating func write(_ new: ArraySlice<UInt8>, at offset: Int) {
        extend(to: offset + new.count)
        bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    }

    /// Returns the number of bytes that are written atomically at `offset` of an encrypted file:
    /// the size of a page, or of an entry in the table of a group of pages (storage format
    /// specification 8.5).
    static func encryptedGrain(at offset: Int) -> Int {
        let isTable = offset / EncryptedLayout.page % (EncryptedLayout.group + 1) == 0
        return isTable ? EncryptedLayout.entry : EncryptedLayout.page
    }

    /// Applies the calls in random order, with a random part missing: of each write, some pieces of
    /// `grain` bytes, aligned to `grain` in the file, do not arrive.
    ///
    /// - Parameter grain: nil for an encrypted file, in which pages and entries are the pieces.
    mutating func applySome(
        of calls: ArraySlice<RecordingDevice.Call>, grain given: Int?,
        _ random: inout SeededRandom
    ) {
        let kept = UInt64.random(in: 0...100, using: &random)
        for call in calls.shuffled(using: &random) {
            guard case .write(let offset, let new) = call else {
                if random.next() % 100 < kept { apply(call) }
                continue
            }
            let grain = given ?? Self.encryptedGrain(at: offset)
            var at = offset
            while at < offset + new.count {
                let end = min(offset + new.count, (at / grain + 1) * grain)
                if random.next() % 100 < kept {
                    write(new[(at - offset)..<(end - offset)], at: at)
                }
                at = end
            }
        }
    }

    /// Opens the bytes as a database, which must be valid.
    func database(_ key: EncryptionKey? = nil) throws -> Database {
        try bytes.withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "image", DatabaseKey(key)))
        }
    }
}
