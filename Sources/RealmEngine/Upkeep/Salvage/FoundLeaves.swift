/// The leaves of one table, collected from several of its versions.
///
/// Leaves of the newest version take precedence. The newest version's tree may have unreadable
/// branches. For the keys of these branches, leaves of older versions are used. All nodes of such a
/// leaf must be readable, have the encodings of the table's columns, and belong to no other tree.
struct FoundLeaves {
    /// A leaf, and the part of its key range for which its objects are used. Several versions of a
    /// leaf may each supply a part of the keys.
    struct Piece {
        let ref: Ref
        let base: UInt64
        let keys: Range<UInt64>
        let origin: Origin
    }

    /// Kind of reference through which a leaf was found.
    enum Origin {
        /// The leaf is reachable from the root of the salvaged version.
        case version
        /// The leaf is reachable from the root of an older version.
        case older
        /// The leaf is reachable only from an inner node that no root references.
        case unnamed
        /// No inner node references the leaf. Object keys are relative to the node above, so the
        /// keys of these objects are lost.
        case keyless
    }

    /// A range of keys for which no leaf has been found.
    private struct Gap {
        var keys: Range<UInt64>
        /// Index in `losses` of the unreadable branch to which these keys belonged; nil if no
        /// branch is known.
        let loss: Int?
    }

    /// Nodes that a newly found leaf may share with leaves already in `pieces`. A leaf in `pieces`
    /// whose key range overlaps the key range of the found leaf may be another version of it.
    /// Versions of a leaf share unchanged nodes.
    private struct Shared {
        private(set) var nodes: Set<Ref> = []
        private var places = 0..<0

        /// Sets `nodes` to the nodes below those `pieces` whose key ranges overlap `keys`, the key
        /// range of a found leaf. `pieces` are the leaves collected so far, ordered by key.
        mutating func update(
            _ pieces: ArraySlice<Piece>, _ keys: Range<UInt64>, _ claims: NodeClaims
        ) {
            let start = pieces.partitionPoint { $0.keys.upperBound > keys.lowerBound }
            let end = pieces.partitionPoint { $0.keys.lowerBound >= keys.upperBound }
            let places = start..<max(start, end)
            if places == self.places { return }
            self.places = places
            nodes = claims.nodes(below: pieces[places].map(\.ref))
        }
    }

    private let space: NodeSpace
    let info: TableInfo
    private let work: SearchWork
    /// The leaves to copy, each with the range of keys for which it is used, ordered by key.
    private(set) var pieces: [Piece] = []
    /// Losses in the newest version's tree; `found` is the number of objects recovered from other
    /// versions.
    private(set) var losses: [(loss: ClusterWalk.Loss, found: Int)] = []
    /// Key ranges without a leaf, in ascending order.
    private var gaps: [Gap] = []
    private var bases: [Ref: UInt64] = [:]

    /// Collects the leaves reachable from the table's own tree.
    init(
        _ space: NodeSpace, _ info: TableInfo, _ work: SearchWork,
        _ neighbourhood: OverwriteDetector? = nil, _ origin: Origin = .version
    ) {
        (self.space, self.info, self.work) = (space, info, work)
        let walk = ClusterWalk(space, wanted: [ClusterWalk.liveKeys], work, neighbourhood)
        if info.root.isNone {
            walk.loseAll("the table itself is lost")
        } else {
            walk.run(info.root)
        }
        pieces = walk.leaves.map {
            Piece(ref: $0.ref, base: $0.base, keys: $0.keys, origin: origin)
        }
        losses = walk.losses.map { ($0, 0) }
        bases = walk.bases
        for (i, loss) in walk.losses.enumerated() {
            gaps += loss.keys.map { Gap(keys: $0, loss: i) }
        }
        gaps.order { $0.keys.lowerBound < $1.keys.lowerBound }
    }

    var hasGaps: Bool { !gaps.isEmpty }

    /// Adds a range of keys to search, which begins at `key` and is unlimited. So objects that were
    /// created after the salvaged version are found, too.
    mutating func open(from key: UInt64) {
        guard key < ClusterWalk.liveKeys.upperBound, gaps.last?.keys.upperBound ?? 0 <= key else {
            return
        }
        gaps.append(Gap(keys: key..<ClusterWalk.liveKeys.upperBound, loss: nil))
    }

    /// Frees the memory used for searching.
    mutating func endSearch() { bases = [:] }

    /// Memory that `pieces` uses, in bytes.
    var size: Int { pieces.capacity * MemoryLayout<Piece>.stride }

    /// Claims the nodes of the collected leaves, so that no other table uses them.
    func claim(_ claims: NodeClaims) { for piece in pieces { _ = claims.take(piece.ref) } }

    /// Adds leaves of the tree at `root` for the key ranges that have no leaf yet (`gaps`).
    mutating func fill(
        from root: Ref, base: UInt64 = 0, _ origin: Origin, _ claims: NodeClaims
    ) {
        let walk = ClusterWalk(space, wanted: gaps.map(\.keys), work)
        walk.run(root, base: base)
        bases[root] = base
        bases.merge(walk.bases) { old, _ in old }
        var rest = gaps
        var next = 0
        gaps = []
        let before = pieces.count
        var shared = Shared()
        for var leaf in walk.leaves {
            shared.update(pieces[..<before], leaf.keys, claims)
            // The keys of a node's last child are limited only by the node above it, which is
            // unknown here.
            if origin == .unnamed { leaf.keys = keyRange(leaf) }
            while next < rest.count, rest[next].keys.upperBound <= leaf.keys.lowerBound {
                gaps.append(rest[next])
                next += 1
            }
            guard next < rest.count, rest[next].keys.lowerBound < leaf.keys.upperBound,
                isWhole(leaf, shared.nodes, claims)
            else { continue }
            take(leaf, origin, &rest, &next)
        }
        gaps += rest[next...]
        if pieces.count > before { pieces.order { $0.keys.lowerBound < $1.keys.lowerBound } }
    }

    /// Adds `leaf` to `pieces` once for each gap that its key range overlaps. A gap is a range of
    /// keys without a leaf; `leaf` supplies the objects with these keys. `next` is the index in
    /// `rest` of the first gap to examine. The function advances it to the first gap with keys
    /// after the leaf.
    private mutating func take(
        _ leaf: ClusterWalk.Leaf, _ origin: Origin, _ rest: inout [Gap], _ next: inout Int
    ) {
        while next < rest.count, rest[next].keys.lowerBound < leaf.keys.upperBound {
            let gap = rest[next]
            let keys = gap.keys.clamped(to: leaf.keys)
            guard !keys.isEmpty else { break }
            let piece = Piece(ref: leaf.ref, base: leaf.base, keys: keys, origin: origin)
            pieces.append(piece)
            if let loss = gap.loss { losses[loss].found += (try? rows(of: piece).rows.count) ?? 0 }
            if gap.keys.lowerBound < keys.lowerBound {
                gaps.append(Gap(keys: gap.keys.lowerBound..<keys.lowerBound, loss: gap.loss))
            }
            if keys.upperBound < gap.keys.upperBound {
                rest[next].keys = keys.upperBound..<gap.keys.upperBound
                return
            }
            next += 1
        }
    }

    /// Returns the base of the inner node at `ref`: the number to which the keys below it are
    /// relative. It is computed from a child whose base is known, because a node never changes its
    /// key range. Nil if no child's base is known, or if two children contradict each other.
    func base(of ref: Ref) -> UInt64? {
        guard work.spend(8), bases[ref] == nil,
            let node = try? space.treeNode(ref, slots: InnerClusterShape.minimumCount, "cluster"),
            node.isInner, node.hasSignature,
            let inner = try? InnerCluster(space, ref, node: node, base: 0)
        else { return nil }
        var base: UInt64?
        guard work.spend(inner.childCount) else { return nil }
        for i in 0..<inner.childCount {
            guard let child = node.slot(InnerClusterShape.child(i)).child, let known = bases[child]
            else { continue }
            let offset = inner.offset(i)
            guard known >= offset, base == nil || base == known - offset else { return nil }
            base = known - offset
        }
        return base
    }

    /// Returns the range from the first to the last key in the leaf.
    private func keyRange(_ found: ClusterWalk.Leaf) -> Range<UInt64> {
        let none = found.keys.lowerBound..<found.keys.lowerBound
        guard
            let node = try? space.refNode(
                found.ref, slots: ClusterLeafShape.minimumCount, "cluster"),
            let leaf = try? ClusterLeaf(space, found.ref, node: node, base: found.base),
            leaf.count > 0
        else { return none }
        let last = UInt64(bitPattern: leaf.key(leaf.count - 1).raw)
        let first = UInt64(bitPattern: leaf.key(0).raw)
        return first <= last && found.keys.contains(last) ? first..<last + 1 : none
    }

    /// Whether all columns of the leaf are readable and no other tree has claimed their nodes.
    private func isWhole(
        _ found: ClusterWalk.Leaf, _ shared: Set<Ref>, _ claims: NodeClaims
    ) -> Bool {
        guard !claims.isTaken(found.ref) || shared.contains(found.ref),
            let node = try? space.refNode(
                found.ref, slots: ClusterLeafShape.minimumCount, "cluster"),
            let leaf = try? ClusterLeaf(space, found.ref, node: node, base: found.base)
        else { return false }
        return leaf.fits(info) && claims.take(found.ref, sharing: shared)
    }

    /// Adds leaves whose object keys are lost. Their objects get placeholder keys that no object
    /// can have.
    mutating func append(keyless refs: [Ref]) {
        var base = Self.lostKeys
        for ref in refs {
            let all = base..<ClusterWalk.liveKeys.upperBound
            let keys = keyRange(ClusterWalk.Leaf(ref: ref, base: base, keys: all))
            guard !keys.isEmpty else { continue }
            pieces.append(Piece(ref: ref, base: base, keys: keys, origin: .keyless))
            base = keys.upperBound
        }
    }

    /// First placeholder key for lost object keys; objects never have keys from here on (object
    /// format 1.12).
    static let lostKeys: UInt64 = 1 << 62

    /// Returns the leaf of `piece`, and the rows whose keys are in `piece.keys`.
    func rows(of piece: Piece) throws(RealmError) -> (leaf: ClusterLeaf, rows: Range<Int>) {
        let node = try space.treeNode(piece.ref, slots: ClusterLeafShape.minimumCount, "cluster")
        let leaf = try ClusterLeaf(space, piece.ref, node: node, base: piece.base)
        func first(_ key: UInt64) -> Int {
            (0..<leaf.count).partitionPoint { UInt64(bitPattern: leaf.key($0).raw) >= key }
        }
        return (leaf, first(piece.keys.lowerBound)..<first(piece.keys.upperBound))
    }

    /// Returns the leaf and row of the object with `key`; nil if there is none.
    func find(_ key: ObjectKey) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        let wanted = UInt64(bitPattern: key.raw)
        let i = pieces.partitionPoint { $0.keys.lowerBound > wanted }
        guard i > 0, pieces[i - 1].keys.contains(wanted) else { return nil }
        let leaf = try rows(of: pieces[i - 1]).leaf
        return leaf.row(of: key).map { (leaf, $0) }
    }
}
