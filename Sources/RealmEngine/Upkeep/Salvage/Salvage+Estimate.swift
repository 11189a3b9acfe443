/// What a salvage would come to, without making anything.
extension Salvage {
    /// How many objects `run` would copy of the damaged file at `path`, embedded ones left aside. Those it
    /// leaves out for a single value, such as a primary key that may have been written over, are counted.
    ///
    /// Throws what `run` throws before it begins, and takes the same.
    public static func estimate(
        path: String, spillingInto directory: String, maxMemory: Int = 64 << 20,
        key: EncryptionKey? = nil
    ) throws(RealmError) -> Int {
        let source: DamagedFile
        let memory = SearchMemory(limit: maxMemory, spillingInto: directory)
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
    /// Objects in all pieces; where keys are lost once for each primary key.
    fileprivate func objectCount(_ memory: SearchMemory) -> Int {
        let isDistinct = pieces.contains { $0.origin == .keyless }
        var count = 0
        var known: Set<Int> = []
        for piece in pieces {
            guard let (leaf, rows) = try? rows(of: piece) else { continue }
            let keys = primaryKeys(leaf)
            // Without it an object is lost.
            if info.primaryKey != nil, keys == nil { continue }
            count += rows.count
            guard isDistinct, let keys else { continue }
            for row in rows where known.count < memory.mostKeys {
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
    /// Equal for equal primary keys, and as a rule for no others.
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
