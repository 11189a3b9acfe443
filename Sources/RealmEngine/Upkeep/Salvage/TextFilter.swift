/// The change that a text filter made to a file: git's `core.autocrlf`, FTP's text mode, a conversion to
/// UTF-8. Only damaged files are looked at: bytes of a sound one may look the same by chance.
public struct TextFilter: Sendable {
    public enum Change: String, Sendable {
        /// A carriage return was put before each line feed.
        case carriageReturns = "crlf"
        /// Each byte from 0x80 on became two, as if it was a character of Latin-1.
        case latin = "latin-1"
        /// Bytes that are no UTF-8 became U+FFFD and are lost.
        case replaced = "utf-8"
    }

    public let change: Change
    private let path: String
    /// Numbers of line feeds, of bytes from 0x80 on, and of U+FFFD.
    private let counts: Counts

    fileprivate struct Counts {
        var lineFeeds = 0
        /// Line feeds without a carriage return before them.
        var bareLineFeeds = 0
        var high = 0
        var replaced = 0
        /// Bytes from 0x80 on that are no part of the UTF-8 of U+0080 to U+00FF.
        var beyondLatin = 0
        var isUTF8 = true
    }

    /// Returns the change that the bytes of the file show; nil for none. Reads the file as far as a
    /// change is possible. Throws if it cannot be read.
    public static func find(path: String) throws(RealmError) -> TextFilter? {
        let file = try RawFile(path)
        let counts = withExtendedLifetime(file) { Counts(file.bytes) }
        return counts.change.map { TextFilter(change: $0, path: path, counts: counts) }
    }

    /// The sentence that people read.
    public var explanation: String {
        switch change {
        case .carriageReturns:
            "each of \(counts.lineFeeds) line feeds follows a carriage return, as git's autocrlf and FTP's "
                + "text mode leave a file"
        case .latin:
            "\(counts.high / 2) bytes were converted from Latin-1 to UTF-8"
        case .replaced:
            "it was converted to UTF-8, and \(counts.replaced) bytes were replaced by U+FFFD for good"
        }
    }

    /// Whether the file can be brought back.
    public var isReversible: Bool { change != .replaced }

    /// Result of undoing the change.
    public struct Restoration: Sendable {
        /// Bytes that were taken out.
        public internal(set) var removed = 0
        /// Carriage returns of the original of which the node that holds them is known, not the place.
        public internal(set) var uncertain = 0
    }

    /// Writes the file as it was before the change to `target`, which must not exist. The result is
    /// proven by the integrity check of the caller.
    public func restore(to target: String) throws(RealmError) -> Restoration {
        let file = try RawFile(path)
        defer { withExtendedLifetime(file) {} }
        let bytes = file.bytes
        var output = RestoredFile(try FileDevice(path: target, .always))
        switch change {
        case .latin: return try output.writeLatin(bytes)
        case .carriageReturns:
            let returns = OriginalReturns(bytes)
            return try output.write(bytes, keeping: returns)
        case .replaced:
            throw .misuse("what U+FFFD replaced cannot be restored", reason: "text-filter")
        }
    }
}

/// The mapped bytes of a file, an encrypted one as it is on disk.
private struct RawFile {
    private let descriptor: OwnedDescriptor
    private let mapping: Mapping
    private let size: Int

    init(_ path: String) throws(RealmError) {
        let file = try File(reading: path)
        let status = try file.status()
        try File.checkRegular(status, path)
        size = status.size
        mapping = try Mapping(file.descriptor, size: max(1, size), path: path)
        descriptor = try OwnedDescriptor(duplicating: file.descriptor, path: path)
    }

    /// Valid as long as the value exists.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mapping.base, count: size) }
}

extension TextFilter.Counts {
    /// Fewer line feeds or other bytes may be as they are by chance.
    private static let least = 8

    init(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at < bytes.count, isUTF8 || bareLineFeeds == 0 {
            let byte = bytes[at]
            if byte < 0x80 {
                if byte == 0x0A {
                    lineFeeds += 1
                    if at == 0 || bytes[at - 1] != 0x0D { bareLineFeeds += 1 }
                }
                at += 1
                continue
            }
            high += 1
            guard isUTF8 else {
                at += 1
                continue
            }
            at += addSequence(bytes, at)
        }
    }

    /// Counts the sequence of bytes that begins at `at`; returns its length.
    private mutating func addSequence(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int {
        let (scalar, length) = UTF8Sequence.scalar(bytes, at)
        let isReplacement =
            at + 2 < bytes.count && bytes[at] == 0xEF && bytes[at + 1] == 0xBF
            && bytes[at + 2] == 0xBD
        if isReplacement {
            replaced += 1
        } else if scalar == 0xFFFD {
            isUTF8 = false
            return 1
        }
        if scalar > 0xFF { beyondLatin += 1 }
        high += length - 1
        return length
    }

    var change: TextFilter.Change? {
        if isUTF8, high >= Self.least {
            if replaced > 0 { return .replaced }
            if beyondLatin == 0 { return .latin }
        }
        return lineFeeds >= Self.least && bareLineFeeds == 0 ? .carriageReturns : nil
    }
}

/// Carriage returns before line feeds that were there before the filter: git adds none to those.
///
/// Nodes begin at multiples of 8 with `AAAA`. A carriage return that is taken out though it was there
/// before the filter moves all nodes after it.
private struct OriginalReturns {
    /// Offsets in the changed file, ascending.
    private(set) var offsets: [Int] = []
    private(set) var uncertain = 0

    /// Carriage returns before line feeds since the last node that is where it should be.
    private var candidates: [Int] = []
    private var removed = 0
    /// A node that is no multiple of 8 where it is, with the candidates before it.
    private var doubt: (missing: Int, candidates: Int)?

    init(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at + 1 < bytes.count {
            if bytes[at] == 0x0D, bytes[at + 1] == 0x0A {
                candidates.append(at)
                removed += 1
                at += 2
                continue
            }
            if isSignature(bytes, at) {
                settle(at)
                at += 4
                continue
            }
            at += 1
        }
        finish(bytes.count)
    }

    private func isSignature(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        bytes[at] == 0x41 && at + 4 <= bytes.count
            && bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self) == 0x4141_4141
    }

    /// A node seems to be at `at`. Where it is no multiple of 8, and the next node agrees, candidates before
    /// the first of the two are carriage returns of the original.
    private mutating func settle(_ at: Int) {
        let missing = missing(at)
        if missing == 0 {
            candidates.removeAll(keepingCapacity: true)
            doubt = nil
        } else if let doubt, doubt.missing == missing {
            insert(missing, of: doubt.candidates)
        } else {
            doubt = (missing, candidates.count)
        }
    }

    /// A file ends at a multiple of 8.
    private mutating func finish(_ end: Int) {
        let missing = missing(end)
        if missing > 0 { insert(missing, of: candidates.count) }
    }

    private func missing(_ at: Int) -> Int { (8 - (at - removed) % 8) % 8 }

    private mutating func insert(_ missing: Int, of count: Int) {
        if missing <= count {
            offsets += candidates.prefix(missing)
            removed -= missing
            if missing < count { uncertain += missing }
        }
        candidates.removeAll(keepingCapacity: true)
        doubt = nil
    }
}

/// Writes a restored file.
private struct RestoredFile: ~Copyable {
    private let device: FileDevice
    private var written = 0
    private var buffer = ByteBuffer(capacity: 1 << 16)

    init(_ device: FileDevice) { self.device = device }

    private mutating func append(_ byte: UInt8) throws(RealmError) {
        buffer.append(byte)
        if buffer.count >= 1 << 16 { try flush() }
    }

    private mutating func flush() throws(RealmError) {
        try device.write(buffer.bytes, at: written)
        written += buffer.count
        buffer.removeAll()
    }

    mutating func write(
        _ bytes: UnsafeRawBufferPointer, keeping returns: OriginalReturns
    ) throws(RealmError) -> TextFilter.Restoration {
        var done = TextFilter.Restoration(removed: 0, uncertain: returns.uncertain)
        var kept = returns.offsets[...]
        for at in 0..<bytes.count {
            if bytes[at] == 0x0D, at + 1 < bytes.count, bytes[at + 1] == 0x0A {
                if kept.first == at {
                    kept.removeFirst()
                } else {
                    done.removed += 1
                    continue
                }
            }
            try append(bytes[at])
        }
        try flush()
        return done
    }

    /// Each pair of bytes of U+0080 to U+00FF becomes one byte again.
    mutating func writeLatin(
        _ bytes: UnsafeRawBufferPointer
    ) throws(RealmError) -> TextFilter.Restoration {
        var done = TextFilter.Restoration()
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            if byte >= 0x80, at + 1 < bytes.count {
                try append(byte << 6 | bytes[at + 1] & 0x3F)
                done.removed += 1
                at += 2
            } else {
                try append(byte)
                at += 1
            }
        }
        try flush()
        return done
    }
}
