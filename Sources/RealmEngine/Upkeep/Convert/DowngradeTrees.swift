/// Copies leaves and collections, converted to the encoding of an older format.
struct DowngradeTrees {
    let copier: NodeCopier
    let format: DowngradeFormat
    private let bench: NodeScratch

    init(_ copier: NodeCopier, _ format: DowngradeFormat, _ bench: NodeScratch) {
        (self.copier, self.format, self.bench) = (copier, format, bench)
    }

    private var space: NodeSpace { copier.space }

    // MARK: Leaves

    /// Copies a leaf of decimals at 16 bytes each, the only width in older formats.
    func decimals(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        let leaf = try DecimalLeaf(space, ref)
        if node.width == 16 { return try copier.emit(node) }
        var words: [UInt64] = []
        words.reserveCapacity(2 * leaf.count)
        for i in 0..<leaf.count {
            let value = leaf.value(i) ?? .null
            words += [value.low, value.high]
        }
        let sixteenBytes: UInt8 = NodeView.bytesFlag | 5
        return try emit(words, flags: sixteenBytes, count: leaf.count)
    }

    /// Copies a leaf of mixed values without the slots for nested collections.
    func mixed(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        let leaf = try MixedLeaf(space, ref)
        for i in 0..<leaf.count {
            let kind = MixedKind(rawValue: leaf.words.integer(i) & MixedKind.mask)
            guard kind?.pool != .refs else { throw Self.unexpected }
        }
        var slots: [Int64] = []
        for i in 0..<MixedLeafShape.minimumCount { slots.append(try copied(node.slot(i))) }
        return try copier.emit(slots, flags: NodeView.hasRefsFlag)
    }

    /// Copies a leaf of backlinks. If an object has several backlinks, they are stored in one
    /// array, as older formats require, and not in a tree.
    func backlinks(_ ref: Ref) throws(RealmError) -> Ref {
        try forEachCell(ref) { (root) throws(RealmError) in
            let node = try copier.open(root)
            if !node.isInner { return try copier.emit(node) }
            var keys: [Int64] = []
            var cursor = BacklinkCursor(space, slot: NodeSlot(raw: root.raw))
            while let key = try cursor.next() {
                guard keys.count < Slab.maximumCount else { throw space.tooMany(keys.count, root) }
                keys.append(key.raw)
            }
            return try copier.emit(keys)
        }
    }

    private func copied(_ slot: NodeSlot) throws(RealmError) -> Int64 {
        guard let child = slot.child else { return Int64(bitPattern: slot.raw) }
        return Int64(bitPattern: try copier.copy(child).raw)
    }

    // MARK: Collections

    /// Copies a leaf of lists, sets or dictionaries.
    func collections(
        _ ref: Ref, _ kind: CollectionKind, _ element: ElementType
    ) throws(RealmError) -> Ref {
        try forEachCell(ref) { (root) throws(RealmError) in
            let view = CollectionView(root: root, element: element)
            switch kind {
            case .list: return try tree(root, element.type)
            case .set: return try set(view)
            case .dictionary:
                return format.hasClusteredDictionaries
                    ? try clusteredDictionary(view) : try dictionary(view)
            }
        }
    }

    private func forEachCell(
        _ ref: Ref, _ body: (Ref) throws(RealmError) -> Ref
    ) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        guard node.hasRefs, !node.isInner, node.count <= ClusterLeafShape.maximumObjectCount else {
            throw space.wrongShape(ref, "leaf of refs")
        }
        return try copier.emit(node, at: ref) { (_, child) throws(RealmError) in try body(child) }
    }

    /// Copies a B+tree without changing the order of its elements.
    private func tree(
        _ ref: Ref, _ type: ColumnType, depth: Int = 0
    ) throws(RealmError) -> Ref {
        guard depth <= BPlusTree.maximumDepth else { throw space.exhausted(ref) }
        let node = try copier.open(ref)
        if node.isInner {
            return try copier.emit(node, at: ref) { (slot, child) throws(RealmError) in
                try slot == TreeShape.offsets
                    ? copier.copy(child) : tree(child, type, depth: depth + 1)
            }
        }
        switch type {
        case .decimal: return try decimals(ref)
        case .mixed: return try mixed(ref)
        default: return try copier.copy(ref)
        }
    }

    private func set(_ view: CollectionView) throws(RealmError) -> Ref {
        let type = view.element.type
        guard type == .string || type == .binary || type == .mixed else {
            return try tree(view.root, type)
        }
        var values: [Value] = []
        var cursor = ElementCursor(space, view)
        var isSorted = true
        while let value = try cursor.nextStored() {
            if let last = values.last, format.ascends(value, last, in: type) { isSorted = false }
            values.append(value)
        }
        if isSorted { return try tree(view.root, type) }
        values.order { format.ascends($0, $1, in: type) }
        return try made(values, view.element)
    }

    /// Copies a dictionary as two parallel trees of keys and values, with the keys in the order of
    /// the older format.
    private func dictionary(_ view: CollectionView) throws(RealmError) -> Ref {
        let halves = try view.halves(space)
        var entries = try self.entries(view)
        let isKeyed = view.element.hasIntegerKeys
        if isKeyed || Self.isSorted(entries) {
            let keys = try copier.copy(halves.keys.root)
            return try pair(keys, try tree(halves.values.root, .mixed))
        }
        entries.order { Self.ascends($0.key, $1.key) }
        let keys = try made(entries.map(\.key), halves.keys.element)
        return try pair(keys, try made(entries.map(\.value), .mixed))
    }

    private func pair(_ keys: Ref, _ values: Ref) throws(RealmError) -> Ref {
        try copier.emit(
            [Int64(bitPattern: keys.raw), Int64(bitPattern: values.raw)],
            flags: NodeView.hasRefsFlag)
    }

    typealias Entry = (key: Value, value: Value)

    func entries(_ view: CollectionView) throws(RealmError) -> [Entry] {
        var entries: [Entry] = []
        var cursor = try DictionaryCursor(space, view, clustered: false)
        while let entry = try cursor.nextStored() { entries.append(entry) }
        return entries
    }

    private static func isSorted(_ entries: [Entry]) -> Bool {
        !zip(entries, entries.dropFirst()).contains { ascends($1.key, $0.key) }
    }

    private static func ascends(_ a: Value, _ b: Value) -> Bool {
        guard case .string(let x) = a, case .string(let y) = b else { return false }
        return DowngradeFormat.ascends(x, y)
    }

    // MARK: Converted leaves

    /// Writes a leaf of collection elements.
    func leaf(_ values: ArraySlice<Value>, _ element: ElementType) throws(RealmError) -> Ref {
        let ref = try bench.leaf(values, element)
        switch element.type {
        case .mixed: return try mixed(ref)
        case .decimal: return try decimals(ref)
        default: return try copier.copy(ref)
        }
    }

    /// Writes a B+tree of `values`.
    func made(_ values: [Value], _ element: ElementType) throws(RealmError) -> Ref {
        try tree(of: values.count) { (range) throws(RealmError) in
            try leaf(values[range], element)
        }
    }

    /// Builds a B+tree of `count` elements; `leaf` writes the leaf for a range of positions.
    func tree(
        of count: Int, _ leaf: (Range<Int>) throws(RealmError) -> Ref
    ) throws(RealmError) -> Ref {
        let most = ElementCursor.maximumLeafCount
        if count <= most { return try leaf(0..<count) }
        var level: [Ref] = []
        for start in stride(from: 0, to: count, by: most) {
            level.append(try leaf(start..<min(start + most, count)))
        }
        var inChild = most
        while level.count > 1 {
            var next: [Ref] = []
            for start in stride(from: 0, to: level.count, by: most) {
                let children = level[start..<min(start + most, level.count)]
                let total = min(children.count * inChild, count - start * inChild)
                next.append(try inner(children, inChild, total: total))
            }
            level = next
            inChild *= most
        }
        return level[0]
    }

    private func inner(
        _ children: ArraySlice<Ref>, _ inChild: Int, total: Int
    ) throws(RealmError) -> Ref {
        var slots = [Int64(bitPattern: NodeEncoder.tag(inChild))]
        slots += children.map { Int64(bitPattern: $0.raw) }
        slots.append(Int64(bitPattern: NodeEncoder.tag(total)))
        return try copier.emit(slots, flags: NodeView.hasRefsFlag | NodeView.innerFlag)
    }

    /// Writes a node of `count` elements with `words` as its payload.
    func emit(_ words: [UInt64], flags: UInt8, count: Int) throws(RealmError) -> Ref {
        let result = words.withUnsafeBytes { bytes -> Result<Ref, RealmError> in
            Result { () throws(RealmError) in
                try copier.emit(bytes: bytes, flags: flags, count: count)
            }
        }
        return try result.get()
    }

    /// Thrown for a nested collection that `DowngradeFormat.losses` should have reported.
    static var unexpected: RealmError {
        .corrupt("a nested collection that nobody counted", in: "mixed value")
    }
}
