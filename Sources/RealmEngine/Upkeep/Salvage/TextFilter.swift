/// A change that a program made to a database file because it took the file for text: git's
/// `core.autocrlf`, the text mode of FTP, or a conversion to UTF-8. Use this only for damaged
/// files: an intact file may look changed by chance.
public struct TextFilter: Sendable {
    public enum Change: String, Sendable {
        /// A carriage return was inserted before each line feed.
        case carriageReturns = "crlf"
        /// Each byte from 0x80 on became two bytes, as if it were a character of Latin-1 converted
        /// to UTF-8.
        case latin = "latin-1"
        /// Bytes that are not UTF-8 were replaced by U+FFFD. The original bytes are lost.
        case replaced = "utf-8"
    }

    public let change: Change
    private let path: String
    /// Numbers of line feeds, of bytes from 0x80 on, and of U+FFFD in the file.
    private let counts: Counts

    fileprivate struct Counts {
        var lineFeeds = 0
        /// Number of line feeds without a carriage return before them.
        var bareLineFeeds = 0
        var high = 0
        var replaced = 0
        /// Number of bytes with values from 0x80 on that do not belong to a character from U+0080
        /// to U+00FF in UTF-8.
        var beyondLatin = 0
        var isUTF8 = true
    }

    /// Returns the change whose traces the bytes of the file at `path` show; nil if they show none.
    /// Stops reading as soon as the bytes rule out all cases of `Change`. Throws if the file cannot
    /// be read.
    public static func find(path: String) throws(RealmError) -> TextFilter? {
        let file = try RawFile(path)
        let counts = withExtendedLifetime(file) { Counts(file.bytes) }
        return counts.change.map { TextFilter(change: $0, path: path, counts: counts) }
    }

    /// Sentence that explains the change to users.
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

    /// Whether the file as it was before the change can be restored.
    public var isReversible: Bool { change != .replaced }

    /// Result of restoring the file as it was before the change.
    public struct Restoration: Sendable {
        /// Result of undoing the change with `restore(to:)`.
        public internal(set) var removed = 0
        /// Number of carriage returns that the file had before the change and whose offsets are
        /// uncertain: only the node that contains each of them is known.
        public internal(set) var uncertain = 0
    }

    /// Writes the file as it was before the change to the path `target`, where no file may exist.
    /// The caller should check the integrity of the result, because the restoration can fail
    /// unnoticed.
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

/// The mapped bytes of a file as they are stored. An encrypted file is not decrypted.
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

    /// Bytes of the file, valid as long as this value exists.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mapping.base, count: size) }
}

extension TextFilter.Counts {
    /// Minimum number of traces in a changed file: of line feeds, if all follow a carriage return,
    /// or of bytes with values from 0x80 on, if all are valid UTF-8. Fewer traces may be chance.
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

    /// Counts the UTF-8 sequence that begins at `at` and returns its length in bytes.
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

/// Finds the carriage returns that the file had before a program changed line feeds to CR LF, so
/// that only the inserted carriage returns are removed. The program inserted none before a line
/// feed that already followed one.
///
/// All nodes begin at multiples of 8 with `AAAA`. If a carriage return that the file already had is
/// removed, the nodes after it are no longer at multiples of 8.
private struct OriginalReturns {
    /// Offsets, in the changed file, of the carriage returns that must not be removed, ascending.
    private(set) var offsets: [Int] = []
    private(set) var uncertain = 0

    /// Offsets, in the changed file, of the carriage returns that are still undecided. They follow
    /// the last node that is at a multiple of 8 after the removals so far. Offsets of carriage
    /// returns that must stay move to `offsets`.
    private var candidates: [Int] = []
    private var removed = 0
    /// The last node, if the removal of all carriage returns in `candidates` would move it off a
    /// multiple of 8; otherwise nil. `missing` is the number of bytes from its new offset to the
    /// next multiple of 8. `candidates` is the number of elements of `candidates` that precede the
    /// node.
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

    /// Examines the bytes `AAAA` at offset `at`, which may begin a node, and decides which carriage
    /// returns in `candidates` stay in the file.
    ///
    /// If the node is at a multiple of 8 after all of them are removed, none stays. Suppose that
    /// this node and the previous one would both be 3 bytes short of a multiple of 8. Then three of
    /// the carriage returns before the previous node must stay.
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

    /// Decides which carriage returns in `candidates` stay, after the last node was examined. The
    /// size of the file is a multiple of 8. If the size is 3 bytes short of it after all of them
    /// are removed, three stay.
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

    /// Converts each two-byte sequence of a character from U+0080 to U+00FF to one byte.
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
