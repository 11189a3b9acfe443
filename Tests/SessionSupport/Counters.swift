import RealmEngine

/// A database with two classes of one object, and two numbers in each object. In every version, the
/// numbers of an object are opposite, and both objects are equal. Any other content shows that only
/// a part of a transaction was read.
public struct Counters {
    public let session: WriteSession
    private let tables: [TableKey]
    private let objects: [ObjectKey]

    private static let names = ["Left", "Right"]

    public var database: Database { session.database }

    /// Creates a file with the two classes, and one object in each.
    public init(
        _ path: String, isDurable: Bool = true, key: EncryptionKey? = nil
    ) throws(RealmError) {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = isDurable
        options.key = key
        session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        var tables: [TableKey] = []
        var objects: [ObjectKey] = []
        for name in Self.names {
            let table = try transaction.createClass(name)
            try transaction.addProperty(table, PropertySpec("up", .int))
            try transaction.addProperty(table, PropertySpec("down", .int))
            tables.append(table)
            objects.append(try transaction.create(in: table))
        }
        try transaction.commit()
        self.tables = tables
        self.objects = objects
    }

    /// Opens an existing file with the classes and objects of `Counters`.
    public init(opening path: String, _ options: WriteSession.Options = .init()) throws(RealmError)
    {
        session = try WriteSession(path: path, options: options)
        let snapshot = session.database.snapshot()
        var tables: [TableKey] = []
        var objects: [ObjectKey] = []
        for name in Self.names {
            let info = try snapshot.schema.classNamed(name)
            tables.append(info.key)
            objects.append(try snapshot.table(info).keys()[0])
        }
        self.tables = tables
        self.objects = objects
    }

    /// Commits a transaction that adds `amount` to the first number of each class and subtracts it
    /// from the second. Returns the version of the commit.
    @discardableResult
    public func add(
        _ amount: Int64, _ lockTimeout: WriteSession.LockTimeout = .forever
    ) throws(RealmError) -> UInt64 {
        let transaction = try session.begin(lockTimeout)
        try add(amount, in: transaction)
        return try transaction.commit()
    }

    /// Commits a transaction that also stores `bytes` bytes of binaries, so that the file grows.
    @discardableResult
    public func add(_ amount: Int64, growingBy bytes: Int) throws(RealmError) -> UInt64 {
        let transaction = try session.begin()
        let table = try transaction.createClass("Bulk\(transaction.version)")
        try transaction.addProperty(table, PropertySpec("bytes", .binary))
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { part.deallocate() }
        part.initializeMemory(as: UInt8.self, repeating: 0x62)
        let value = Value.binary(ByteView(UnsafeRawPointer(part.baseAddress!), count: part.count))
        for _ in 0..<(bytes + part.count - 1) / part.count {
            try transaction.set(table, transaction.create(in: table), 0, value)
        }
        try add(amount, in: transaction)
        return try transaction.commit()
    }

    /// Adds `amount` to the first number of each class and subtracts it from the second, in an open
    /// transaction.
    public func add(_ amount: Int64, in transaction: WriteTransaction) throws(RealmError) {
        for (table, object) in zip(tables, objects) {
            for (column, sign) in [(0, Int64(1)), (1, -1)] {
                guard case .int(let old) = try transaction.value(table, object, column) else {
                    throw .misuse("not a number")
                }
                try transaction.set(table, object, column, .int(old + sign * amount))
            }
        }
    }

    /// Returns the four numbers: two of the object of each class.
    public static func values(_ snapshot: Snapshot) throws(RealmError) -> [Int64] {
        var values: [Int64] = []
        for name in names {
            let table = snapshot.table(try snapshot.schema.classNamed(name))
            for key in try table.keys() {
                for column in 0..<2 {
                    guard case .int(let value)? = try table.row(key)?.value(column) else {
                        throw .misuse("not a number")
                    }
                    values.append(value)
                }
            }
        }
        return values
    }

    /// Returns the sum of all amounts that were added; nil if the snapshot contains only a part of
    /// a transaction.
    public static func sum(_ snapshot: Snapshot) throws(RealmError) -> Int64? {
        let values = try values(snapshot)
        guard values.count == 4, values[0] == -values[1], values[2] == -values[3],
            values[0] == values[2]
        else { return nil }
        return values[0]
    }
}

extension Schema {
    func classNamed(_ name: String) throws(RealmError) -> TableInfo {
        guard let info = table(named: name) else { throw .misuse("no class \(name)") }
        return info
    }
}
