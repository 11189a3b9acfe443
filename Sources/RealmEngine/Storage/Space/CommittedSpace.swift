/// The free space of a version after its commit.
///
/// If no other process has committed in between, the next commit of this process starts from this
/// value and need not read the version's free list.
struct CommittedSpace: Sendable {
    let version: UInt64
    /// Root of the committed version.
    let top: Ref
    /// Free space without the extents that the commit released.
    fileprivate let space: FreeSpace
    /// Extents that the commit of this version released, ascending, with adjacent ones joined.
    fileprivate let released: [Extent]

    var logicalSize: UInt64 { space.logicalSize }

    /// Whether this value is cached for the next commit: it must have fewer than `1 << 18` free
    /// extents, which take 16 bytes each.
    var isSmall: Bool { space.free.count + space.locked.count + released.count < 1 << 18 }

    /// - Parameter space: free space after nodes and lists were placed.
    init(_ space: FreeSpace, _ released: [Extent], version: UInt64, top: Ref) {
        (self.space, self.released) = (space, released)
        (self.version, self.top) = (version, top)
    }
}

extension FreeSpace {
    /// Makes the free space of the `committed` version without reading the free list from the file;
    /// the result is the same.
    ///
    /// - Parameters:
    ///   - oldest: oldest readable version.
    ///   - older: free lists of the other readable versions, to find released chunks that none of
    ///     these versions uses.
    init(
        after committed: CommittedSpace, oldestReachable oldest: UInt64, _ older: PreviousFreeLists
    ) {
        let space = committed.space
        var locked: [Chunk] = []
        var unlocked = committed.released
        if !space.locked.isEmpty || committed.version > oldest {
            unlocked = []
            Self.visit(space.locked, committed.released, committed.version) { chunk in
                if chunk.version > oldest, let kept = Self.locked(chunk, oldest, older) {
                    locked.append(kept)
                } else {
                    unlocked.append(Extent(start: chunk.start, count: chunk.count))
                }
            }
        }
        self.init(
            free: Self.joined(space.free, unlocked), locked: locked,
            logicalSize: space.logicalSize, lists: space.lists)
    }

    /// Calls `body` with the chunks in `locked` and `released`, in ascending order.
    private static func visit(
        _ locked: [Chunk], _ released: [Extent], _ version: UInt64, _ body: (Chunk) -> Void
    ) {
        var i = 0
        for extent in released {
            while i < locked.count, locked[i].start < extent.start {
                body(locked[i])
                i += 1
            }
            body(Chunk(start: extent.start, count: extent.count, version: version))
        }
        for chunk in locked[i...] { body(chunk) }
    }

    /// Merges two ascending arrays of extents and joins adjacent extents. Faster than `merged` if
    /// `b` is much shorter than `a`.
    ///
    /// - Parameter a: non-empty extents of which no two are adjacent.
    static func joined(_ a: [Extent], _ b: [Extent]) -> [Extent] {
        [Extent](unsafeUninitializedCapacity: a.count + b.count) { (memory, count) in
            count = a.withUnsafeBufferPointer { a in
                b.withUnsafeBufferPointer { b in JoinedExtents.insert(b, among: a, into: memory) }
            }
        }
    }
}
