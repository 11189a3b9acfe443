/// Search and aggregates over the elements of a collection. The elements of a dictionary are its
/// values.
extension CollectionHandle {
    /// Whether the object exists and has the collection.
    var exists: Bool {
        get throws(RealmError) {
            do throws(RealmError) {
                _ = try value()
                return true
            } catch {
                if error.kind == .misuse { return false }
                throw error
            }
        }
    }

    /// Returns all elements in order. The bytes of strings and binaries are valid until the
    /// instance moves to another version, or in a write transaction until its next change.
    func elements() throws(RealmError) -> [Value] {
        var result: [Value] = []
        try visit { (value) throws(RealmError) in
            result.append(value)
            return true
        }
        return result
    }

    /// Calls `body` with the elements in order until it returns false. `body` must not change the
    /// collection.
    func visit(_ body: (Value) throws(RealmError) -> Bool) throws(RealmError) {
        let snapshot = owner.objects.instance.snapshot()
        switch try value() {
        case .list(let view), .set(let view):
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() { if try !body(element) { return } }
        case .dictionary(let view):
            var cursor = try snapshot.entries(of: view)
            while let (_, element) = try cursor.next() { if try !body(element) { return } }
        default: return
        }
    }

    /// Index of the first element equal to `value`; nil if there is none.
    package func index(of value: Value) throws(RealmError) -> Int? {
        switch try self.value() {
        case .set(let view):
            if try !Self.hidesElements(view, space) {
                return try Self.index(of: value, in: view, space)
            }
        case .list(let view):
            if view.element.type == .int, !view.element.isNullable, case .int(let number) = value {
                return try Self.index(of: number, in: view, space)
            }
        default: break
        }
        var (position, found) = (0, Int?.none)
        try visit { (element) throws(RealmError) in
            if ValueOrder.areEqual(element, value) { found = position }
            position += 1
            return found == nil
        }
        return found
    }

    /// Index of an integer in a list of integers. Compares whole leaves without unpacking them.
    private static func index(
        of number: Int64, in view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Int? {
        var cursor = ElementCursor(space, view)
        var start = 0
        while case .integer(let leaf)? = try cursor.nextLeaf() {
            if let row = IntegerKernels.firstIndex(of: number, leaf.node, in: 0..<leaf.count) {
                return start + row
            }
            start += leaf.count
        }
        return nil
    }

    /// Whether a list or set of links contains unresolved links: links to objects that do not
    /// exist. These elements are not visible and not counted in the index of an element.
    private static func hidesElements(
        _ view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Bool {
        if view.element.type != .link || view.root.isNone { return false }
        return try space.node(view.root).context
    }

    /// Finds a member of a set by binary search. The set must not contain unresolved links.
    private static func index(
        of value: Value, in view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Int? {
        let count = try ElementCursor.count(space, view)
        let tree = BPlusTree(space: space, root: view.root)
        let found = try OrderedSearch(tree, view.element, count: count)
            .find(value, order: SetOrder.compare)
        return found.isThere ? found.index : nil
    }

    /// Returns an aggregate of the elements, or of a dictionary's values.
    ///
    /// Skips nulls. Skips NaN, too, unless the `NaNRule` of `function` includes it. If no values
    /// remain, the minimum, maximum and average are null, and the sum is zero.
    ///
    /// - Throws: `misuse` for elements for which the function is not defined.
    func aggregate(_ function: AggregateFunction) throws(RealmError) -> Value {
        switch try value() {
        case .list(let view) where view.element.type.isNumber,
            .set(let view) where view.element.type.isNumber:
            return try Self.aggregate(function, of: view, space)
        default: return try aggregate(function, elements())
        }
    }

    /// Aggregates a list or set of numbers leaf by leaf.
    private static func aggregate(
        _ function: AggregateFunction, of view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Value {
        let run = AggregateRun(function, of: OperandType(view.element.type, target: .none))
        var cursor = ElementCursor(space, view)
        while let leaf = try cursor.nextLeaf() { try run.add(leaf) }
        return run.result(.wraps)
    }

    func aggregate(
        _ function: AggregateFunction, _ elements: some Sequence<Value>
    ) throws(RealmError) -> Value {
        let info = owner.objects.properties[property]
        let isMixed = !steps.isEmpty
        let result = function.result(
            of: elements, isMixed ? .mixed : info.type,
            inDictionary: !isMixed && info.collection == .dictionary)
        guard let result else {
            throw .misuse(
                "Operation '\(function.title)' not supported for the elements of '\(info.name)'",
                code: "IllegalOperation")
        }
        return result
    }
}

extension ColumnType {
    /// Whether values are integers or binary floating-point numbers.
    fileprivate var isNumber: Bool { self == .int || self == .float || self == .double }
}
