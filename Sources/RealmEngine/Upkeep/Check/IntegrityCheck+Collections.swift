/// Checks lists, sets, dictionaries and collections nested in mixed values (object format 11,
/// invariants 21 to 23).
extension IntegrityCheck {
    /// Maximum depth of nested collections (object format 14).
    private static let maximumNesting = 100

    /// Checks a value and all values nested in it.
    func checkValue(_ value: Value, of element: ElementType, depth: Int) {
        switch value {
        case .null:
            if !element.isNullable {
                found(.nullInRequired, nil, "null where \(element.type.name) is required")
            }
        case .string(let text):
            if !UTF8Sequence.isValid(text) { found(.stringUTF8, nil, "a string that is not UTF-8") }
        case .link(let link): countLink(to: link)
        case .list(let view): checkNested(view, isDictionary: false, depth: depth)
        case .dictionary(let view): checkNested(view, isDictionary: true, depth: depth)
        default: break
        }
    }

    private func checkNested(_ view: CollectionView, isDictionary: Bool, depth: Int) {
        if view.root.isNone { return }
        guard depth < Self.maximumNesting else {
            return found(.nesting, view.root, "collections nested more than 100 deep")
        }
        if isDictionary {
            checkDictionary(view.root, .mixed, depth: depth + 1)
        } else {
            checkSequence(view.root, .mixed, isSet: false, depth: depth + 1)
        }
    }

    // MARK: Lists and sets

    /// State of the check of a list or set, passed from each element to the next.
    private struct Sequence {
        var previous: Value?
        var nestedKeys: Set<Int32> = []
        var hasUnresolved = false
    }

    func checkSequence(_ root: Ref, _ element: ElementType, isSet: Bool, depth: Int) {
        var state = Sequence()
        visitTree(root) { ref in
            guard let count = checkForm(ref, element) else { return nil }
            return reading(ref) { () throws(RealmError) in
                let leaf = try ColumnLeaf(space, ref, element: element)
                for i in 0..<count {
                    let value = try leaf.stored(i)
                    checkElement(value, element, ref, isSet: isSet, depth, &state)
                }
                return count
            }
        }
        guard element.type == .link, let node = try? space.node(root) else { return }
        if state.hasUnresolved, !node.context {
            found(.linkContext, root, "links to tombstones in a collection without their mark")
        } else if node.context, !state.hasUnresolved {
            found(
                .linkContextUnneeded, root,
                "the mark of links to tombstones in a collection without any")
        }
    }

    private func checkElement(
        _ value: Value, _ element: ElementType, _ ref: Ref, isSet: Bool, _ depth: Int,
        _ state: inout Sequence
    ) {
        checkValue(value, of: element, depth: depth)
        if value.isUnresolvedLink { state.hasUnresolved = true }
        if element.type == .mixed { checkNestedKey(value, ref, &state.nestedKeys) }
        guard isSet else { return }
        switch value {
        case .list, .dictionary: found(.nesting, ref, "a collection in a set")
        default: break
        }
        if let previous = state.previous { checkOrder(previous, value, element, ref) }
        state.previous = value
    }

    /// Checks the key that identifies a collection inside a list or dictionary (object format 4.6).
    private func checkNestedKey(_ value: Value, _ ref: Ref, _ keys: inout Set<Int32>) {
        let view: CollectionView
        switch value {
        case .list(let list): view = list
        case .dictionary(let dictionary): view = dictionary
        default: return
        }
        // A missing key (0) is reported by the check of the leaf.
        if view.key != 0, !keys.insert(view.key).inserted {
            found(.collectionKey, ref, "two nested collections of key \(view.key)")
        }
    }

    private func checkOrder(_ a: Value, _ b: Value, _ element: ElementType, _ ref: Ref) {
        // Before the current format, strings and bytes in sets and dictionaries had another order
        // (object format 10.1).
        let isText = element.type == .string || element.type == .binary || element.type == .mixed
        if header.format < FileFormat.current, isText { return }
        let order: Int
        switch element.type {
        case .float, .double:
            if Self.isNaN(a) || Self.isNaN(b) { return }
            order = ValueOrder.compare(a, b)
        case .decimal: order = Decimal128.compare(Self.decimal(a), Self.decimal(b))
        default: order = ValueOrder.compare(a, b)
        }
        if order < 0 { return }
        let code: IntegrityReport.Code =
            Self.mixesDecimals(a, b) ? .setOrderFragile : .setOrder
        found(code, ref, order == 0 ? "a set with equal elements" : "a set out of order")
    }

    private static func isNaN(_ value: Value) -> Bool {
        switch value {
        case .float(let x): x.isNaN
        case .double(let x): x.isNaN
        default: false
        }
    }

    private static func decimal(_ value: Value) -> Decimal128 {
        if case .decimal(let x) = value { x } else { .null }
    }

    /// Whether one value is a decimal and the other a float or double. The order of such values is
    /// not transitive (object format 8.3).
    static func mixesDecimals(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.decimal, .float), (.decimal, .double), (.float, .decimal), (.double, .decimal): true
        default: false
        }
    }

    // MARK: Dictionaries

    func checkDictionary(_ root: Ref, _ element: ElementType, depth: Int) {
        if header.format < 23 { return checkClusteredDictionary(root, element, depth: depth) }
        let node = reading(root, .dictionaryShape) { () throws(RealmError) in
            try space.refNode(root, slots: DictionaryShape.count, "dictionary")
        }
        guard let node else { return }
        guard node.count == DictionaryShape.count, !node.isInner,
            let keys = node.slot(DictionaryShape.keys).child,
            let values = node.slot(DictionaryShape.values).child
        else {
            return found(.dictionaryShape, root, "a dictionary without its keys or values")
        }
        let keyCount = checkKeys(keys, areIntegers: element.hasIntegerKeys)
        let valueCount = checkEntryValues(values, element, depth: depth)
        if let keyCount, let valueCount, keyCount != valueCount {
            found(.dictionaryShape, root, "\(keyCount) keys for \(valueCount) values")
        }
    }

    private func checkKeys(_ root: Ref, areIntegers: Bool) -> Int? {
        var previous: Value?
        let type = ElementType(type: areIntegers ? .int : .string, isNullable: false)
        return visitTree(root) { ref in
            guard let count = checkForm(ref, type) else { return nil }
            return reading(ref) { () throws(RealmError) in
                let leaf = try ColumnLeaf(space, ref, element: type)
                for i in 0..<count {
                    let key = try leaf.stored(i)
                    checkKey(key, after: previous, ref)
                    previous = key
                }
                return count
            }
        }
    }

    private func checkKey(_ key: Value, after previous: Value?, _ ref: Ref) {
        if case .null = key { return found(.dictionaryOrder, ref, "a dictionary key that is null") }
        if case .string(let text) = key, !UTF8Sequence.isValid(text) {
            found(.stringUTF8, ref, "a dictionary key that is not UTF-8")
        }
        guard let previous, ValueOrder.compare(previous, key) >= 0 else { return }
        // Format 23 ordered bytes as signed numbers, and upgrades keep that order.
        if case .string(let a) = previous, case .string(let b) = key, Self.ascendsSigned(a, b) {
            return found(.dictionaryOrderLegacy, ref, "dictionary keys in the order of format 23")
        }
        found(.dictionaryOrder, ref, "dictionary keys that do not ascend")
    }

    private static func ascendsSigned(_ a: ByteView, _ b: ByteView) -> Bool {
        for i in 0..<min(a.count, b.count) where a[i] != b[i] {
            return Int8(bitPattern: a[i]) < Int8(bitPattern: b[i])
        }
        return a.count < b.count
    }

    /// Checks the values of a dictionary, which are stored as mixed regardless of their type.
    private func checkEntryValues(_ root: Ref, _ element: ElementType, depth: Int) -> Int? {
        var nestedKeys: Set<Int32> = []
        return visitTree(root) { ref in
            guard let count = checkForm(ref, .mixed) else { return nil }
            return reading(ref) { () throws(RealmError) in
                let leaf = try MixedLeaf(space, ref)
                for i in 0..<count {
                    let value = try leaf.value(i)
                    checkType(value, element, ref)
                    checkValue(value, of: element, depth: depth)
                    checkNestedKey(value, ref, &nestedKeys)
                }
                return count
            }
        }
    }

    private func checkType(_ value: Value, _ element: ElementType, _ ref: Ref) {
        let isRight: Bool
        switch (value, element.type) {
        case (.null, _), (_, .mixed), (.int, .int), (.bool, .bool), (.float, .float),
            (.double, .double), (.string, .string), (.binary, .binary), (.timestamp, .timestamp),
            (.decimal, .decimal), (.objectID, .objectID), (.uuid, .uuid), (.link, .typedLink):
            isRight = true
        case (.link(let link), .link): isRight = link.table == element.target
        default: isRight = false
        }
        if !isRight { found(.mixedWord, ref, "a value of another type than the dictionary's") }
    }

    /// Checks a dictionary of format 21 or 22: a cluster tree whose keys are hashes.
    private func checkClusteredDictionary(_ root: Ref, _ element: ElementType, depth: Int) {
        _ = reading(root, .dictionaryShape) { () throws(RealmError) in
            let view = CollectionView(root: root, element: element)
            var cursor = try DictionaryCursor(space, view, clustered: true)
            while let (key, value) = try cursor.nextStored() {
                guard spend(1) else { return }
                if case .null = key { found(.dictionaryOrder, root, "a key that is null") }
                checkType(value, element, root)
                checkValue(value, of: element, depth: depth)
            }
        }
    }
}
