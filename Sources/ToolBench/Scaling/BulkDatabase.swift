import Glibc
import RealmEngine
import ToolKit

/// The database on which a bulk operation is measured.
final class BulkDatabase: MeasuredDatabase {
    let setting: BenchSetting
    /// Number of objects, elements, classes or versions of this run.
    var count = 0
    /// Classes, in the order in which the operation created them.
    var tables: [TableKey] = []
    /// Keys of the objects that the measured operation works on.
    var keys: [ObjectKey] = []
    /// Object that owns the measured collection, or that the measured links reference.
    var owner = ObjectKey(0)
    /// Second file, for operations that need one; otherwise nil.
    var copy: ScratchFile?
    /// Records for operations that load some, as lines of JSON.
    var records: [UInt8] = []
    /// Key file for operations that run a tool on an encrypted database; otherwise nil.
    private var keyFile: ScratchFile?
    private(set) var random: SplitMix64
    /// Texts of the current row. The buffer is never reallocated while a row is filled.
    private var texts = ByteBuffer(capacity: 8192)

    override init(path: String, _ setting: BenchSetting) throws(RealmError) {
        self.setting = setting
        random = SplitMix64(seed: setting.seed)
        try super.init(path: path, setting)
    }

    var table: TableKey { tables[0] }

    // MARK: Values

    /// Returns `prefix` and `number` as a text value. It is valid until `clearTexts`.
    func text(_ prefix: String, _ number: Int, padding: Int = 0) -> Value {
        let start = texts.count
        texts.append(prefix)
        texts.append(number: number)
        for _ in 0..<padding { texts.append("x") }
        return .string(
            ByteView(texts.bytes.baseAddress! + start, count: texts.count - start))
    }

    func clearTexts() { texts.removeAll() }

    /// The numbers below `count` in random order.
    func shuffled() -> [Int] { (0..<count).shuffled(using: &random) }

    /// A random half of `keys`.
    func half() -> [ObjectKey] { Array(keys.shuffled(using: &random).prefix(keys.count / 2)) }

    /// A random number below `limit`.
    func below(_ limit: Int) -> Int { random.below(limit) }

    // MARK: Schema

    /// Creates a class and adds it to `tables`.
    @discardableResult
    func addClass(
        _ name: String, key: PropertySpec? = nil, _ properties: [PropertySpec] = []
    ) throws(RealmError) -> TableKey {
        let t = try writing()
        let table = try t.createClass(name, primaryKey: key)
        for property in properties { try t.addProperty(table, property) }
        tables.append(table)
        return table
    }

    /// Creates an object with values for all properties.
    @discardableResult
    func add(_ values: [Value], to table: TableKey) throws(RealmError) -> ObjectKey {
        let t = try writing()
        let key = try values.withUnsafeBufferPointer { (values) throws(RealmError) in
            try t.create(in: table, values: values)
        }
        clearTexts()
        return key
    }

    // MARK: Other files

    /// Writes a compacted copy of the newest version. The copy has the same data in other nodes.
    func writeCopy() throws(RealmError) {
        let copy = try ScratchFile(setting, name: "copy")
        self.copy = copy
        let descriptor = try create(copy.path)
        defer { close(descriptor) }
        var options = Compactor.Options()
        options.key = setting.key
        _ = try Compactor.write(snapshot(), to: descriptor, path: copy.path, options: options)
    }

    private func create(_ path: String) throws(RealmError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw systemFailure(.output, "cannot create", errno: errno, file: path)
        }
        return descriptor
    }

    /// Returns the options with which a tool can read the database. Creates the key file if there
    /// is a key.
    func keyWords() throws(RealmError) -> [String] {
        guard let key = setting.key else { return [] }
        if keyFile == nil {
            let file = try ScratchFile(setting, name: "bulk", suffix: ".key")
            keyFile = file
            let descriptor = try create(file.path)
            defer { close(descriptor) }
            let written = key.withBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written == EncryptionKey.size else {
                throw systemFailure(.output, "cannot write", errno: errno, file: file.path)
            }
        }
        return ["-K", keyFile!.path]
    }
}
