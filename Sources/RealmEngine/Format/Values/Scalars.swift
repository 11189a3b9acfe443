/// An instant: seconds and nanoseconds since 1970-01-01T00:00:00Z. Both have the same sign (object
/// format 3.8).
public struct Timestamp: Hashable, Sendable {
    public var seconds: Int64
    /// -999,999,999 ... 999,999,999
    public var nanoseconds: Int32

    public init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Makes a timestamp from stored numbers. Returns nil if the format does not allow them: the
    /// nanoseconds are a second or more, or the numbers have different signs.
    @inline(__always)
    init?(storedSeconds seconds: Int64, nanoseconds: Int64) {
        guard nanoseconds > -1_000_000_000, nanoseconds < 1_000_000_000,
            seconds >= 0 || nanoseconds <= 0, seconds <= 0 || nanoseconds >= 0
        else { return nil }
        self.init(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
    }
}

/// An object id: twelve bytes, in the order of their hexadecimal text.
public struct ObjectID: Hashable, Sendable {
    /// The first eight bytes of the object id as a big-endian number, so that comparing numbers
    /// compares bytes.
    public var high: UInt64
    public var low: UInt32

    static let byteCount = 12

    public init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    init(bytes p: UnsafeRawPointer) {
        high = p.loadUnaligned(as: UInt64.self).byteSwapped
        low = p.loadUnaligned(fromByteOffset: 8, as: UInt32.self).byteSwapped
    }
}

/// A UUID: sixteen bytes, in the order of their hexadecimal text.
public struct UUIDValue: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64

    static let byteCount = 16

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inline(__always)
    init(bytes p: UnsafeRawPointer) {
        high = p.loadUnaligned(as: UInt64.self).byteSwapped
        low = p.loadUnaligned(fromByteOffset: 8, as: UInt64.self).byteSwapped
    }
}

/// A link: the table and the key of its target.
public struct ObjectLink: Hashable, Sendable {
    public var table: TableKey
    public var key: ObjectKey

    @inline(__always)
    public init(table: TableKey, key: ObjectKey) {
        self.table = table
        self.key = key
    }
}
