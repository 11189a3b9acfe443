import RealmEngine

/// Where a record stands in the input.
struct RecordPlace {
    let record: Int
    let position: TextPosition

    var line: Int { position.line }
}

/// Properties of this transaction whose links lead to objects that do not exist yet. They are
/// stored before the commit.
struct PendingLinks {
    struct Item {
        let object: ObjectLink
        let column: Int
        let value: StagedValue
        let place: RecordPlace
        var isForgotten = false
    }

    private(set) var items: [Item] = []
    /// Positions in `items` by object.
    private var byObject: [ObjectLink: [Int]] = [:]
    private let arena = ScratchArena()
    /// With so many it is time to see which links need not wait any more.
    fileprivate var mostItems = 1 << 14

    mutating func add(
        _ object: ObjectLink, column: Int, _ value: StagedValue, _ place: RecordPlace
    ) {
        byObject[object, default: []].append(items.count)
        items.append(
            Item(object: object, column: column, value: value.kept(in: arena), place: place))
    }

    /// The property gets another value, or, without `column`, the object goes.
    mutating func forget(_ object: ObjectLink, column: Int? = nil) {
        if items.isEmpty { return }
        for i in byObject[object] ?? [] where column == nil || items[i].column == column {
            items[i].isForgotten = true
        }
    }
}

extension ObjectWriter {
    /// Stores what waited for objects that have come by now, once so much waits that it counts.
    func settleEarly() throws(RealmError) {
        guard pending.items.count > pending.mostItems else { return }
        let old = pending
        defer { withExtendedLifetime(old) {} }
        pending = PendingLinks()
        for item in old.items where !item.isForgotten {
            if try isResolved(item.value) {
                let table = try plans.plan(item.object.table).table
                try store(table, item.object.key, item.column, item.value)
            } else {
                pending.add(item.object, column: item.column, item.value, item.place)
            }
        }
        pending.mostItems = max(1 << 14, 2 * pending.items.count)
    }

    /// Stores what waited for other objects of the transaction; answers what cannot be, in the
    /// order of the input.
    func settle() throws(RealmError) -> [RecordError] {
        var refused: [RecordError] = []
        var next = 0
        // Storing one may add others.
        while next < pending.items.count {
            let item = pending.items[next]
            next += 1
            if item.isForgotten { continue }
            let table = try plans.plan(item.object.table).table
            if try isResolved(item.value) {
                try store(table, item.object.key, item.column, item.value)
            } else {
                refused.append(try dangling(item, table))
            }
        }
        return refused
    }

    private func dangling(
        _ item: PendingLinks.Item, _ table: TableInfo
    ) throws(RealmError) -> RecordError {
        var missing: ObjectReference?
        try item.value.forEachReference { (reference) throws(RealmError) in
            if missing == nil, try !self.isResolved(.reference(reference)) { missing = reference }
        }
        var expected = "an object that exists"
        var got = "none"
        if let missing {
            let target = try plans.plan(missing.table).table
            expected = "an object of \(target.className)"
            got = "no object with the key \(missing.name.text)"
        }
        return RecordError(
            .noSuchObject, record: item.place.record,
            position: TextPosition(line: item.place.line),
            property: table.columns[item.column].name, expected: expected, got: got)
    }
}

extension ObjectReference.Name {
    /// For messages.
    fileprivate var text: String {
        switch self {
        case .objectKey(let key): return "\(key.raw)"
        case .primaryKey(let value):
            var buffer = ByteBuffer(capacity: 64)
            switch value {
            case .int(let number): buffer.append(number: number)
            case .string(let text): buffer.append(json: text)
            case .objectID(let id): buffer.append(id)
            case .uuid(let id): buffer.append(id)
            default: buffer.append("null")
            }
            return buffer.string
        }
    }
}
