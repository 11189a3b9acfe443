@testable import EngineSupport
@testable import RealmEngine

/// A database whose class `Row` has a property of every kind, and links to `Dog`.
final class RowBatchSide {
    let session: WriteSession
    let info: TableInfo
    let dog: TableKey
    var transaction: WriteTransaction
    private let path: String
    private let arena = ByteArena()
    /// Objects created so far; some may be removed.
    private var keys: [ObjectKey] = []
    private let form: RowBatchTests.Form
    private var lastKey: Int64 = 0

    init(_ path: String, _ form: RowBatchTests.Form) throws {
        self.path = path
        self.form = form
        var options = WriteSession.Options.scratch()
        if form.small { options.fanout = ModelShapes.small }
        session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        dog = try transaction.createClass("Dog", primaryKey: PropertySpec("id", .int))
        for i in 0..<20 { _ = try transaction.create(in: dog, primaryKey: .int(Int64(i))) }
        let table = try transaction.createClass(
            "Row", primaryKey: form.key.map { PropertySpec("id", $0) })
        for spec in Self.properties(dog, table) { try transaction.addProperty(table, spec) }
        try transaction.commit()
        info = session.database.schema.table(table)!
        self.transaction = try session.begin()
    }

    private static func properties(_ dog: TableKey, _ row: TableKey) -> [PropertySpec] {
        var specs: [PropertySpec] = []
        for (i, type) in (RandomValues.scalarTypes + [.mixed]).enumerated() {
            if type != .mixed { specs.append(PropertySpec("plain\(i)", type)) }
            var optional = PropertySpec("optional\(i)", type)
            optional.isOptional = true
            let canHaveIndex = ![.float, .double, .decimal, .binary].contains(type)
            optional.isIndexed = canHaveIndex && i % 2 == 0
            specs.append(optional)
        }
        for (name, target) in [("best", dog), ("before", row)] {
            var link = PropertySpec(name, .link)
            link.target = target
            link.isOptional = true
            specs.append(link)
        }
        var dogs = PropertySpec("dogs", .link)
        dogs.target = dog
        dogs.collection = .list
        var numbers = PropertySpec("numbers", .int)
        numbers.collection = .set
        return specs + [dogs, numbers]
    }

    /// Rows in the order of the columns. A link to a dog is its primary key; elements of
    /// collections are separate.
    struct Rows {
        var values: [[Value]] = []
        var elements: [(row: Int, column: Int, values: [Value])] = []
    }

    private func column(_ name: String) -> Int {
        info.columns.firstIndex { $0.name == name }!
    }

    func makeRows(_ values: RandomValues, _ round: Int) throws -> Rows {
        var rows = Rows()
        for i in 0..<(1 + values.below(form.small ? 30 : 300)) {
            var row: [Value] = []
            for column in info.columns {
                row.append(try value(values, column))
            }
            if form.key != nil { row[info.primaryKey!] = key(values, round) }
            rows.values.append(row)
            if values.chance(30) {
                let dogs = (0..<values.below(5)).map { _ in Int64(values.below(20)) }
                rows.elements.append((i, column("dogs"), dogs.map { .int($0) }))
            }
            if values.chance(20) {
                let numbers = (0..<values.below(6)).map { _ in values.integer() }
                rows.elements.append((i, column("numbers"), numbers.map { .int($0) }))
            }
        }
        return rows
    }

    private func value(_ values: RandomValues, _ column: ColumnInfo) throws -> Value {
        if column.collection != nil { return column.defaultValue }
        if column.isNullable, values.chance(25) { return .null }
        if column.name == "best" { return .int(Int64(values.below(22))) }
        if column.name == "before" {
            if keys.isEmpty || form.key != nil { return .null }
            return .link(ObjectLink(table: info.key, key: values.pick(keys)))
        }
        let type =
            column.type == .mixed ? values.pick(RandomValues.scalarTypes) : column.type
        return try values.scalar(type).value(arena, transaction)
    }

    private func key(_ values: RandomValues, _ round: Int) -> Value {
        let isTaken = round > 3 && values.below(900) == 0
        lastKey += form.ascends ? Int64(1 + values.below(3) * values.below(200)) : 1
        let number = isTaken ? lastKey / 2 : form.ascends ? lastKey : lastKey ^ 0x2A5
        switch form.key {
        case .string: return arena.copy(.string(bytes(of: "key \(number)")))
        case .objectID: return .objectID(ObjectID(high: UInt64(number), low: 7))
        default: return .int(number)
        }
    }

    private func bytes(of text: String) -> ByteView {
        let bytes = Array(text.utf8)
        let copy = arena.allocate(bytes.count)
        bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        return ByteView(copy, count: bytes.count)
    }

    // MARK: Creating

    /// Creates objects; returns false, without a change, if a key exists.
    func create(_ rows: Rows, together: Bool = true) throws -> Bool {
        try together ? createTogether(rows) : createSingly(rows)
    }

    private func createTogether(_ rows: Rows) throws -> Bool {
        let batch = RowBatch(info, capacity: rows.values.count)
        for row in rows.values { row.withUnsafeBufferPointer { batch.append($0) } }
        let best = column("best")
        for missing in try transaction.resolveLinks(batch) {
            precondition(missing.column == best)
            guard case .int(let number) = batch.reference(best, missing.row), number >= 20 else {
                throw RealmError.misuse("a dog was not found")
            }
        }
        for part in rows.elements {
            try transaction.setElements(batch, part.row, part.column, try elements(part))
        }
        guard try transaction.create(batch) else { return false }
        for row in 0..<batch.count { keys.append(batch.key(row)) }
        return true
    }

    private func createSingly(_ rows: Rows) throws -> Bool {
        if let column = info.primaryKey {
            var seen: [Value] = []
            for row in rows.values {
                let key = row[column]
                if try transaction.find(in: info.key, primaryKey: key) != nil { return false }
                if seen.contains(where: { ValueOrder.areEqual($0, key) }) { return false }
                seen.append(key)
            }
        }
        let best = column("best")
        var made: [ObjectKey] = []
        for var row in rows.values {
            if case .int = row[best] {
                row[best] = try link(row[best]) ?? .null
            }
            try row.withUnsafeBufferPointer {
                made.append(try transaction.create(in: info.key, values: $0))
            }
        }
        for part in rows.elements {
            try transaction.setElements(
                info.key, made[part.row], part.column, try elements(part))
        }
        keys += made
        return true
    }

    private func elements(_ part: (row: Int, column: Int, values: [Value])) throws -> [Value] {
        guard info.columns[part.column].type == .link else { return part.values }
        return try part.values.map { try link($0)! }
    }

    private func link(_ key: Value) throws -> Value? {
        try transaction.find(in: dog, primaryKey: key).map {
            .link(ObjectLink(table: dog, key: $0))
        }
    }

    // MARK: Changes between batches

    /// Makes the same random changes on both sides.
    func disturb(_ values: RandomValues, like other: RowBatchSide) throws {
        if values.chance(20) { try transaction.spill() }
        if values.chance(30), !keys.isEmpty {
            let i = values.chance(50) ? keys.count - 1 : values.below(keys.count)
            if try transaction.exists(info.key, keys[i]) {
                try transaction.remove(info.key, keys[i])
                try other.transaction.remove(info.key, other.keys[i])
            }
            keys.remove(at: i)
            other.keys.remove(at: i)
        }
        if values.chance(30), let i = keys.indices.randomElement(using: &values.random),
            try transaction.exists(info.key, keys[i])
        {
            let number = Value.int(values.integer())
            let plain = column("plain0")
            try transaction.set(info.key, keys[i], plain, number)
            try other.transaction.set(info.key, other.keys[i], plain, number)
        }
        guard values.chance(25) else { return }
        for side in [self, other] {
            try side.transaction.commit()
            side.transaction = try side.session.begin()
        }
    }

    /// Commits and checks the file.
    func end() throws {
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }
}
