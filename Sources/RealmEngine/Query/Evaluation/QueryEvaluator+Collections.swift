/// Reads elements of lists, sets, dictionaries and mixed values (query language 5.3 to 5.5).
extension QueryEvaluator {
    /// Returns a cursor over the elements of a list or set.
    func elements(of view: CollectionView, _ owner: RowLocation) -> ElementCursor {
        ElementCursor(visits.space(for: owner), view)
    }

    func entries(of view: CollectionView, _ owner: RowLocation) throws(RealmError)
        -> DictionaryCursor
    {
        try DictionaryCursor(
            visits.space(for: owner), view, clustered: snapshot.hasClusteredDictionaries)
    }

    /// Returns the number of elements of a collection or entries of a dictionary.
    func count(of value: Value, _ owner: RowLocation) throws(RealmError) -> Int {
        switch value {
        case .list(let view), .set(let view):
            try ElementCursor.count(visits.space(for: owner), view)
        default: try snapshot.count(of: value)
        }
    }

    /// Returns the list element at an index; nil if the index is outside of the list.
    func element(
        _ view: CollectionView, _ index: ListIndex, _ owner: RowLocation
    ) throws(RealmError) -> Value? {
        var cursor = elements(of: view, owner)
        switch index {
        case .first: return try cursor.next()
        case .at(let wanted):
            if wanted < 0 { return nil }
            var position: Int64 = 0
            while let value = try cursor.next() {
                if position == wanted { return value }
                position += 1
            }
            return nil
        case .last:
            var last: Value?
            while let value = try cursor.next() { last = value }
            return last
        }
    }

    /// Returns the value for `key` in a dictionary; nil if the dictionary does not contain the key.
    func entry(
        _ view: CollectionView, _ key: ByteView, _ owner: RowLocation
    ) throws(RealmError) -> Value? {
        var cursor = try entries(of: view, owner)
        while let (found, value) = try cursor.next() {
            if Self.isKey(found, key) { return value }
        }
        return nil
    }

    /// Whether a stored dictionary key equals the key in the query.
    private static func isKey(_ found: Value, _ key: ByteView) -> Bool {
        switch found {
        case .string(let text): text == key
        case .int(let number): Int64(text: key) == number
        default: false
        }
    }

    /// Appends the elements of a collection that `selector` selects.
    func appendElements(
        _ collection: Value, _ selector: CollectionSelector, _ owner: RowLocation,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        switch collection {
        case .list(let view), .set(let view):
            try appendListElements(view, selector, owner, to: buffer)
        case .dictionary(let view):
            try appendEntries(view, selector, owner, to: buffer)
        default: break
        }
    }

    private func appendListElements(
        _ view: CollectionView, _ selector: CollectionSelector, _ owner: RowLocation,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if view.root.isNone { return }
        guard case .at(let index) = selector else {
            var cursor = elements(of: view, owner)
            while let value = try cursor.next() { buffer.values.append(value) }
            return
        }
        if let value = try element(view, index, owner) {
            buffer.values.append(value)
        } else if try count(of: .list(view), owner) > 0 {
            // Past the end of a list, an index reads null; but in an empty list it reads no value.
            buffer.values.append(.null)
        }
    }

    private func appendEntries(
        _ view: CollectionView, _ selector: CollectionSelector, _ owner: RowLocation,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        var cursor = try entries(of: view, owner)
        guard case .key(let key) = selector else {
            var wantsKeys = false
            if case .keys = selector { wantsKeys = true }
            while let (found, value) = try cursor.next() {
                buffer.values.append(wantsKeys ? found : value)
            }
            return
        }
        var isEmpty = true
        while let (found, value) = try cursor.next() {
            isEmpty = false
            if Self.isKey(found, key) {
                buffer.values.append(value)
                return
            }
        }
        // Without an entry for the key, append null. An empty dictionary appends nothing.
        if !isEmpty { buffer.values.append(.null) }
    }

    /// Follows further steps from the mixed values of a property and appends the values found.
    /// Applies each step to all values before the next step, so that nesting needs no recursion.
    func appendNested(
        _ column: BoundColumn, _ location: RowLocation, _ selector: CollectionSelector,
        _ steps: [NestedStep], to buffer: ValueBuffer
    ) throws(RealmError) {
        let start = try location.value(column)
        var current = ValueBuffer()
        if column.layout.collection == nil {
            current.values.append(start)
        } else {
            try appendElements(start, selector, location, to: current)
        }
        var owner = location
        for (i, step) in steps.enumerated() {
            let next = ValueBuffer()
            for value in current.values.all {
                try append(step, value, isLast: i == steps.count - 1, owner, to: next)
            }
            current = next
            // After a name step, the value may belong to a linked object, whose reads count against
            // another read budget.
            if case .name = step { owner = owner.linked }
        }
        buffer.values.append(contentsOf: current.values.all)
    }

    private func append(
        _ step: NestedStep, _ value: Value, isLast: Bool, _ owner: RowLocation,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        switch (step, value) {
        case (.at(let index), .list(let view)):
            if let element = try element(view, index, owner) { buffer.values.append(element) }
        case (.all, .list), (.all, .set), (.all, .dictionary):
            try appendElements(value, .all, owner, to: buffer)
        case (.name(let key, _), .dictionary(let view)):
            try appendNestedEntry(view, key, isLast: isLast, owner, to: buffer)
        case (.name(_, let name), .link(let link)):
            if let property = try property(name, of: link) { buffer.values.append(property) }
        default: break
        }
    }

    private func appendNestedEntry(
        _ view: CollectionView, _ key: ByteView, isLast: Bool, _ owner: RowLocation,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if let value = try entry(view, key, owner) {
            buffer.values.append(value)
        } else if isLast, ByteView.isKeysOperator(key) {
            try appendElements(.dictionary(view), .keys, owner, to: buffer)
        } else if isLast, try count(of: .dictionary(view), owner) > 0 {
            buffer.values.append(.null)
        }
    }

    /// Returns the value of a property of an object of any class; nil if the class has no property
    /// with that name.
    private func property(
        _ name: String, of link: ObjectLink
    ) throws(RealmError) -> Value? {
        guard let table = snapshot.schema.table(link.table),
            let index = table.columnIndex(named: name),
            let location = try find(link.key, in: TableContext(table))
        else { return nil }
        return try location.value(BoundColumn(table.columns[index]))
    }
}

extension ByteView {
    fileprivate static func isKeysOperator(_ key: ByteView) -> Bool {
        key.buffer.elementsEqual("@keys".utf8)
    }
}
