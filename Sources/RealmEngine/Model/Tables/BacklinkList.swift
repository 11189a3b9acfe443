/// Editor of the list of links to one object, in one backlink column.
///
/// As in the reference engine, the last link takes the index of a removed one. Links are usually
/// removed in the order in which they were added, so a search begins where the previous search
/// ended. Searching long lists repeatedly is slow. So once the searches have read many times the
/// length of the list, a hash table from origins to indexes is built.
final class BacklinkList {
    private let links: SequenceEditor
    /// Index of the link removed last, where the next search begins.
    private var next = 0
    /// Number of links that searches in this list have read.
    private(set) var readCount = 0
    private var positions: OriginPositions?

    /// The hash table is built once searches have read this multiple of the list's length.
    private static let searchesBeforeTable = 16

    /// - Parameter slot: the object's cell in the backlink column. It contains one link, the ref of
    ///   a list, or 0.
    init(_ context: EditContext, _ slot: NodeSlot) throws(RealmError) {
        links = try SequenceEditor(
            context, root: slot.child ?? .none,
            element: ElementType(type: .int, isNullable: false))
        if slot.isTagged { try links.append(.int(Int64(bitPattern: slot.value))) }
    }

    var count: Int { links.count }

    func append(_ origin: Int64) throws(RealmError) {
        try links.append(.int(origin))
        positions?.append(origin)
    }

    /// Removes one link from `origin`. Returns false if there is none.
    func remove(_ origin: Int64) throws(RealmError) -> Bool {
        guard let index = try index(of: origin) else { return false }
        let last = links.count - 1
        if index != last { try links.set(.int(try links.integer(at: last)), at: index) }
        try links.remove(at: last)
        positions?.remove(at: index)
        next = index
        return true
    }

    private func index(of origin: Int64) throws(RealmError) -> Int? {
        if positions == nil, readCount > Self.searchesBeforeTable * max(64, links.count) {
            positions = try makePositions()
        }
        if let positions { return positions.index(of: origin) }
        let start = max(0, min(next, links.count - 1))
        if let index = try links.firstIndex(of: origin, in: start..<links.count) {
            readCount += index - start + 1
            return index
        }
        let index = try links.firstIndex(of: origin, in: 0..<start)
        readCount += links.count - start + (index ?? start)
        return index
    }

    private func makePositions() throws(RealmError) -> OriginPositions? {
        guard links.count < 1 << 30 else { return nil }
        var positions = OriginPositions(capacity: links.count)
        try visit { positions.append($0) }
        links.context.editedBytes &+= OriginPositions.bytesPerLink * links.count
        return positions
    }

    /// Calls `body` with the origin of each link, in the order of the list.
    func visit(_ body: (Int64) -> Void) throws(RealmError) {
        try links.visit { if case .int(let origin) = $0 { body(origin) } }
    }

    /// Stores the backlink list and returns the value of its cell: 0, a tagged key, or the ref of
    /// the list.
    func finish() throws(RealmError) -> UInt64 {
        let count = links.count
        if count > 1 { return try links.finish().raw }
        let cell = count == 0 ? 0 : NodeEncoder.tag(UInt64(bitPattern: try links.integer(at: 0)))
        try links.context.freeDeep(try links.finish())
        return cell
    }

    /// Frees the nodes of the list.
    func free() throws(RealmError) { try links.context.freeDeep(try links.finish()) }
}

/// Hash table from the origins in a backlink list to their indexes in the list. An origin occurs
/// once for each of its links.
///
/// The indexes of origins with the same hash form a chain, a doubly linked list. There are at least
/// as many chains as links, so most chains are short.
struct OriginPositions {
    /// Key of the linking object (origin) at each index of the backlink list.
    private var origins: [Int64] = []
    /// For each index of the backlink list, the next and the previous index in its hash chain; -1
    /// at the ends of the chain.
    private var following: [Int32] = []
    private var preceding: [Int32] = []
    /// First index in each hash chain; -1 if the chain is empty.
    private var heads: [Int32]

    /// Approximate memory of this hash table per link, in bytes.
    static let bytesPerLink = 24

    init(capacity: Int) {
        var size = 64
        while size < capacity { size *= 2 }
        heads = Array(repeating: -1, count: size)
        origins.reserveCapacity(capacity)
        following.reserveCapacity(capacity)
        preceding.reserveCapacity(capacity)
    }

    /// Number of hash chains, a power of two.
    var chainCount: Int { heads.count }

    private func chain(_ origin: Int64) -> Int {
        Int(truncatingIfNeeded: UInt64(bitPattern: origin).mixed) & (heads.count - 1)
    }

    /// Returns an index at which the list contains `origin`; nil if there is none.
    func index(of origin: Int64) -> Int? {
        var i = heads[chain(origin)]
        while i >= 0 {
            if origins[Int(i)] == origin { return Int(i) }
            i = following[Int(i)]
        }
        return nil
    }

    mutating func append(_ origin: Int64) {
        origins.append(origin)
        following.append(-1)
        preceding.append(-1)
        if origins.count > heads.count {
            grow()
        } else {
            link(origins.count - 1)
        }
    }

    /// Doubles the number of hash chains. Adds every link to its new chain; this takes about as
    /// long as the `append` calls since the previous doubling.
    private mutating func grow() {
        heads = Array(repeating: -1, count: 2 * heads.count)
        for i in origins.indices { link(i) }
    }

    /// Removes the origin at index `i`. The last origin takes its index.
    mutating func remove(at i: Int) {
        unlink(i)
        let last = origins.count - 1
        if i != last {
            unlink(last)
            origins[i] = origins[last]
            link(i)
        }
        origins.removeLast()
        following.removeLast()
        preceding.removeLast()
    }

    private mutating func link(_ i: Int) {
        let chain = chain(origins[i])
        let head = heads[chain]
        following[i] = head
        preceding[i] = -1
        if head >= 0 { preceding[Int(head)] = Int32(i) }
        heads[chain] = Int32(i)
    }

    private mutating func unlink(_ i: Int) {
        let (before, after) = (preceding[i], following[i])
        if before >= 0 {
            following[Int(before)] = after
        } else {
            heads[chain(origins[i])] = after
        }
        if after >= 0 { preceding[Int(after)] = before }
    }
}
