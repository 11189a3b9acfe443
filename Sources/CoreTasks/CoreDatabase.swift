import RealmEngine
import ToolBench
import ToolKit

/// The database of a task: the class `t`, which the task creates, and the data that the task's
/// repetitions use.
final class CoreDatabase: MeasuredDatabase {
    /// Number of objects that a task creates by default.
    let baseSize: Int
    private(set) var table = TableKey.none
    /// Keys of the objects of class `t`, in the order of their creation.
    private(set) var keys: [ObjectKey] = []
    var random: SplitMix64

    /// The number that each measured repetition must return; nil if unknown.
    var expected: Int?
    /// Values for which the measured repetitions search.
    var needles: [QueryArgument] = []
    /// Text of the query that each measured repetition parses.
    var query = ""
    /// Values that the measured repetitions insert.
    private(set) var prepared: [Value] = []
    private var preparedBytes: [UnsafeMutableRawPointer] = []
    private var text = ByteBuffer(capacity: 4096)

    override init(path: String, _ setting: BenchSetting) throws(RealmError) {
        baseSize = setting.coreRows ?? setting.num
        random = SplitMix64(seed: setting.seed)
        try super.init(path: path, setting)
    }

    deinit { for bytes in preparedBytes { bytes.deallocate() } }

    /// Scales a number of objects or operations in realm-core's benchmark to the base size; at
    /// least 1.
    func scaled(_ number: Int) -> Int {
        max(1, Int(Double(number) * Double(baseSize) / Double(CoreTask.usualRows)))
    }

    // MARK: Creation

    /// Creates the class `t`.
    func makeTable(_ properties: [PropertySpec], key: PropertySpec? = nil) throws(RealmError) {
        table = try writing().createClass("t", primaryKey: key)
        for property in properties { try writing().addProperty(table, property) }
    }

    /// Creates an object of the task's class `t` with these values.
    func add(_ values: Value..., key: ObjectKey? = nil) throws(RealmError) {
        keys.append(try create(table, values, key: key))
    }

    /// Creates an object of `table` with these values.
    @discardableResult
    func create(
        _ table: TableKey, _ values: [Value], key: ObjectKey? = nil
    ) throws(RealmError) -> ObjectKey {
        let transaction = try writing()
        return try values.withUnsafeBufferPointer { (row) throws(RealmError) in
            try transaction.create(in: table, values: row, key: key)
        }
    }

    /// Adds a search index to a property of the task's class `t`.
    func index(_ column: Int = 0, _ kind: IndexKind = .general) throws(RealmError) {
        try writing().setIndex(table, column, kind)
    }

    func shuffleKeys() { keys.shuffle(using: &random) }

    /// Creates the class `links`, with one object for each object of the task's class `t`. Each
    /// links to its object of `t`.
    func makeLinks() throws(RealmError) {
        let links = try writing().createClass("links")
        var link = PropertySpec("myLink", .link)
        link.target = table
        try writing().addProperty(links, PropertySpec("id", .int))
        try writing().addProperty(links, link)
        for (i, key) in keys.enumerated() {
            let target = Value.link(ObjectLink(table: table, key: key))
            try create(links, [.int(Int64(i)), target])
        }
    }

    // MARK: Values

    /// Returns a text as a value, which is valid until the next call.
    func string(_ text: String) -> Value {
        self.text.removeAll()
        self.text.append(text)
        // An empty buffer has no address.
        if self.text.count == 0 { self.text.append(" ") }
        return .string(
            ByteView(self.text.bytes.baseAddress!, count: text.utf8.count))
    }

    /// Converts an argument to a stored value. A text is valid until the next call.
    func value(_ argument: QueryArgument) -> Value {
        switch argument {
        case .bool(let v): .bool(v)
        case .int(let v): .int(v)
        case .double(let v): .double(v)
        case .string(let v): string(v)
        case .timestamp(let v): .timestamp(v)
        case .decimal(let v): .decimal(v)
        case .objectID(let v): .objectID(v)
        case .uuid(let v): .uuid(v)
        default: .null
        }
    }

    /// Appends a value to `prepared`, the values that the measured repetitions insert.
    func prepare(_ argument: QueryArgument) {
        guard case .string(let bytes) = value(argument) else {
            return prepared.append(value(argument))
        }
        let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 1)
        copy.copyMemory(from: bytes.base, byteCount: bytes.count)
        preparedBytes.append(copy)
        prepared.append(.string(ByteView(copy, count: bytes.count)))
    }
}
