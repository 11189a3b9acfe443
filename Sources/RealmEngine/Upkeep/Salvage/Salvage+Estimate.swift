/// Estimates the result of a salvage without writing a database.
extension Salvage {
    /// Returns the number of objects that `run` would copy from the damaged file at `path`, without
    /// embedded objects. Includes objects that `run` would omit because of one value, such as a
    /// primary key that may have been overwritten.
    ///
    /// Takes the parameters of `run`, and throws the errors that `run` throws before it begins to
    /// copy.
    public static func estimate(
        path: String, spillingInto directory: String, maxMemory: Int = 64 << 20,
        key: EncryptionKey? = nil
    ) throws(RealmError) -> Int {
        let source: DamagedFile
        let memory = SearchMemoryLimit(limit: maxMemory, spillingInto: directory)
        do throws(RealmError) { source = try DamagedFile(path: path, key, memory) } catch {
            throw error.inFile(path)
        }
        let standing = source.schema.tables.filter { $0.kind == .topLevel && $0.name != "metadata" }
        return standing.reduce(0) { sum, info in
            let found = source.leaves(of: info)?.objectCount(memory)
            return sum + (found ?? (try? Table.count(info, in: source.memory.lookup)) ?? 0)
        }
    }
}

extension FoundLeaves {
    /// Returns the number of objects in the collected leaves. If object keys are lost, objects with
    /// equal primary keys are counted once.
    fileprivate func objectCount(_ memory: SearchMemoryLimit) -> Int {
        let isDistinct = pieces.contains { $0.origin == .keyless }
        var count = 0
        var known: Set<Int> = []
        for piece in pieces {
            guard let (leaf, rows) = try? rows(of: piece) else { continue }
            let keys = primaryKeys(leaf)
            // Do not count objects whose primary keys cannot be read: they are lost.
            if info.primaryKey != nil, keys == nil { continue }
            count += rows.count
            guard isDistinct, let keys else { continue }
            for row in rows where known.count < memory.maximumKeyCount {
                if !known.insert((try? keys.value(row).identity) ?? 0).inserted { count -= 1 }
            }
        }
        return count
    }

    private func primaryKeys(_ leaf: ClusterLeaf) -> ColumnLeaf? {
        guard let column = info.primaryKey.map({ info.columns[$0] }) else { return nil }
        return try? leaf.column(column.leafIndex, column.layout)
    }
}

extension Value {
    /// A hash of a primary key. It is equal for equal keys, and usually different for different
    /// keys.
    fileprivate var identity: Int {
        switch self {
        case .int(let number): number.hashValue
        case .string(let text): text.string.hashValue
        case .objectID(let id): id.hashValue
        case .uuid(let id): id.hashValue
        default: 0
        }
    }
}
