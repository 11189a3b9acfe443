/// Objects found by search indexes, in table order and without duplicates.
enum FoundObjects: Sendable {
    case keys([ObjectKey])
    /// Part of a list of object keys that a search index stores: the ref of the list, and the range
    /// of positions in it. `IndexSearch` has checked that these keys ascend and identify objects of
    /// the table.
    case list(Ref, Range<Int>)

    /// Maximum number of keys that are read from a list one by one; longer lists are read leaf by
    /// leaf.
    private static let few = 8

    var count: Int {
        switch self {
        case .keys(let keys): keys.count
        case .list(_, let part): part.count
        }
    }

    /// Calls `body` with successive batches of the found object keys until it returns false.
    func visit(
        _ space: NodeSpace, _ body: (UnsafeBufferPointer<Int64>) throws(RealmError) -> Bool
    ) throws(RealmError) {
        switch self {
        case .list(let list, let part): try KeyList(space, list, part).visit(body)
        case .keys(let keys):
            var failure: RealmError?
            keys.withUnsafeBufferPointer { keys in
                keys.withMemoryRebound(to: Int64.self) { keys in
                    do throws(RealmError) { _ = try body(keys) } catch { failure = error }
                }
            }
            if let failure { throw failure }
        }
    }

    /// Returns the keys of the found objects in table order, at most `limit`.
    func keys(_ space: NodeSpace, first limit: Int = .max) throws(RealmError) -> [ObjectKey] {
        if case .keys(let keys) = self { return keys.count <= limit ? keys : Array(keys[..<limit]) }
        let wanted = min(limit, count)
        var keys: [ObjectKey] = []
        keys.reserveCapacity(wanted)
        if wanted <= Self.few, case .list(let list, let part) = self {
            let list = KeyList(space, list)
            for i in part.prefix(wanted) { keys.append(try list.key(i)) }
            return keys
        }
        try visit(space) { (part) throws(RealmError) in
            keys.append(contentsOf: part.prefix(limit - keys.count).lazy.map { ObjectKey($0) })
            return keys.count < limit
        }
        return keys
    }

    /// Returns the first key in table order; nil if no object was found.
    func first(_ space: NodeSpace) throws(RealmError) -> ObjectKey? {
        switch self {
        case .keys(let keys): keys.first
        case .list(let list, let part):
            part.isEmpty ? nil : try KeyList(space, list).key(part.lowerBound)
        }
    }

    /// Returns the objects that both this set and `other` contain.
    func intersection(
        _ other: FoundObjects, _ space: NodeSpace
    ) throws(RealmError) -> FoundObjects {
        let (a, b) = (try keys(space), try other.keys(space))
        var common: [ObjectKey] = []
        common.reserveCapacity(min(a.count, b.count))
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            if a[i].raw == b[j].raw { common.append(a[i]) }
            let isBehind = a[i].raw <= b[j].raw
            let isAhead = b[j].raw <= a[i].raw
            if isBehind { i &+= 1 }
            if isAhead { j &+= 1 }
        }
        return .keys(common)
    }

    /// Returns the objects that are not in `other`, in table order.
    func subtracting(
        _ other: FoundObjects, _ space: NodeSpace
    ) throws(RealmError) -> FoundObjects {
        let (a, b) = (try keys(space), try other.keys(space))
        var j = 0
        return .keys(
            a.filter { key in
                while j < b.count, b[j].raw < key.raw { j &+= 1 }
                return j == b.count || b[j].raw != key.raw
            })
    }

    /// Returns the found objects as slices of the table's leaves.
    func parts(_ table: ClusterTree) throws(RealmError) -> [LeafSlice] {
        var parts: [LeafSlice] = []
        var current: (leaf: ClusterLeaf, among: Selection)?
        func close() {
            guard let (leaf, among) = current else { return }
            parts.append(LeafSlice(leaf, among: among))
            current = nil
        }
        try visit(table.space) { (part) throws(RealmError) in
            for key in part {
                if let row = current?.leaf.row(of: ObjectKey(key)) {
                    current!.among.insert(row)
                    continue
                }
                guard let (leaf, row) = try table.find(ObjectKey(key)) else { continue }
                close()
                var among = Selection.none
                among.insert(row)
                current = (leaf, among)
            }
            return true
        }
        close()
        return parts
    }
}

extension [ObjectKey] {
    /// Sorts the object keys into table order and removes duplicates.
    mutating func arrange() {
        if count < 2 { return }
        if isStrictlyAscending { return }
        if count >= 1024, arrangeByBits() { return }
        sort { UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw) }
        var kept = 1
        for i in 1..<count where self[i] != self[kept - 1] {
            self[kept] = self[i]
            kept += 1
        }
        removeLast(count - kept)
    }

    private var isStrictlyAscending: Bool {
        for i in 1..<count
        where UInt64(bitPattern: self[i].raw) <= UInt64(bitPattern: self[i - 1].raw) {
            return false
        }
        return true
    }

    /// Sorts the keys and removes duplicates with a bit set. Returns false without a change if the
    /// bit set would be too large, because the keys are too far apart.
    private mutating func arrangeByBits() -> Bool {
        guard let low = self.min(by: { $0.raw < $1.raw })?.raw,
            let high = self.max(by: { $0.raw < $1.raw })?.raw,
            low >= 0, high - low < Int64(count) * 64
        else { return false }
        var words = [UInt64](repeating: 0, count: Int((high - low) >> 6) + 1)
        for key in self {
            let place = key.raw &- low
            words[Int(place >> 6)] |= 1 &<< UInt64(place & 63)
        }
        removeAll(keepingCapacity: true)
        for (i, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                append(ObjectKey(low &+ Int64(i &* 64 &+ rest.trailingZeroBitCount)))
                rest &= rest &- 1
            }
        }
        return true
    }
}
