/// A stretch of the file in bytes.
struct Extent: Hashable, Sendable {
    var start: UInt64
    var count: UInt64
    var end: UInt64 { start + count }
}
