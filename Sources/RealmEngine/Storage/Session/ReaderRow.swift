/// A row of the reader table: a pin and the process and thread that hold it.
package struct ReaderRow: Sendable, Hashable {
    package enum Kind: UInt64, Sendable {
        case live = 1
        case frozen = 2
        case full = 3
        /// A write transaction. `version` is the version that the transaction started from.
        case writer = 4

        init(_ kind: PinKind) {
            switch kind {
            case .live: self = .live
            case .frozen: self = .frozen
            case .full: self = .full
            }
        }
    }

    package let process: ProcessIdentity
    /// Id of the thread that took the pin.
    package let thread: UInt32
    package let kind: Kind
    package let version: UInt64
    /// Time of the pin in nanoseconds since 1970.
    package let since: Int64
    /// Label that the program gave the pin; often empty.
    package let label: String
    /// Whether the process ended without releasing the pin. Its version remains pinned until the
    /// session ends.
    package let isStale: Bool
}

/// Text that describes a pin, at most 31 bytes.
package struct ReaderLabel: Sendable, ExpressibleByStringLiteral {
    private var parts = (UInt64(0), UInt64(0), UInt64(0))
    private var last: UInt64 = 0

    static let size = 32

    /// Stores as many whole characters of `text` as fit in 31 bytes.
    package init(_ text: String) {
        var end = 0
        for scalar in text.unicodeScalars {
            let length = UTF8.width(scalar)
            if end + length >= Self.size { break }
            end += length
        }
        var words: [UInt64] = [0, 0, 0, 0]
        for (i, byte) in text.utf8.prefix(end).enumerated() {
            words[i / 8] |= UInt64(byte) << UInt64(8 * (i % 8))
        }
        parts = (words[0], words[1], words[2])
        last = words[3]
    }

    package init(stringLiteral text: String) { self.init(text) }

    package static let none = ReaderLabel("")

    func store(_ put: (Int, UInt64) -> Void) {
        put(0, parts.0)
        put(1, parts.1)
        put(2, parts.2)
        put(3, last)
    }
}

extension ReaderTable {
    /// Layout of the companion file: a header of 128 bytes, then rows of 128 bytes, in words of 8
    /// bytes.
    ///
    ///     header   0  "RealmRdr"   8  layout = 1 (4 bytes), size of a row = 128 (4 bytes)
    ///     row      0  owner: start time (4 bytes), process (4 bytes); 0: free
    ///              8  kind, stored last; 0: row is empty   16  version   24  since
    ///             32  thread   40  label (32 bytes, padded with zeros)   72  unused
    enum Layout {
        static let headerSize = 128
        static let rowSize = 128
        static let ownerOffset = 0
        static let kindOffset = 8
        static let versionOffset = 16
        static let sinceOffset = 24
        static let threadOffset = 32
        static let labelOffset = 40
        /// Maximum size of the file in bytes: a header and 8191 rows.
        static let largestSize = 1 << 20

        private static let magic = UInt64(0x7264_526D_6C61_6552)
        private static let layout = UInt64(1) | UInt64(rowSize) << 32

        /// Whether the header at `base` belongs to a reader table with rows of this layout.
        static func isKnown(_ base: UnsafeRawPointer) -> Bool {
            base.load(as: UInt64.self) == magic
                && base.load(fromByteOffset: 8, as: UInt64.self) == layout
        }

        /// Initialises the header of a new or damaged file; returns false if the file has a later
        /// layout. Several processes may do so at the same time, since all store the same bytes.
        static func adopt(_ base: UnsafeMutableRawPointer) -> Bool {
            if isKnown(base) { return true }
            if base.load(as: UInt64.self) == magic { return false }
            base.storeBytes(of: layout, toByteOffset: 8, as: UInt64.self)
            base.storeBytes(of: magic, as: UInt64.self)
            return true
        }

        static func owner(_ process: ProcessIdentity) -> UInt64 {
            UInt64(process.pid) << 32 | UInt64(process.startTime)
        }

        static func process(_ owner: UInt64) -> ProcessIdentity {
            ProcessIdentity(
                pid: UInt32(owner >> 32), startTime: UInt32(truncatingIfNeeded: owner))
        }

        /// Returns the row of the reader table at `p`; nil for an empty row.
        static func row(
            _ p: UnsafeRawPointer, isRunning: (ProcessIdentity) -> Bool
        ) -> ReaderRow? {
            func word(_ offset: Int) -> UInt64 {
                p.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            let owner = word(ownerOffset)
            guard owner != 0, let kind = ReaderRow.Kind(rawValue: word(kindOffset)) else {
                return nil
            }
            let process = process(owner)
            let label = UnsafeRawBufferPointer(start: p + labelOffset, count: ReaderLabel.size)
            return ReaderRow(
                process: process, thread: UInt32(truncatingIfNeeded: word(threadOffset)),
                kind: kind, version: word(versionOffset),
                since: Int64(bitPattern: word(sinceOffset)),
                label: String(decoding: label.prefix { $0 != 0 }, as: UTF8.self),
                isStale: !isRunning(process))
        }
    }
}
