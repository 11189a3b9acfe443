/// A set of objects in one table whose incoming links are searched for.
struct LinkedObjects {
    let table: TableKey
    /// Keys of the objects if the set has several; otherwise empty.
    private let keys: KeyRuns
    /// Keys of the objects if there are several; otherwise empty.
    let single: Int64?

    /// - Parameter keys: must be in ascending order.
    init(_ table: TableKey, _ keys: [ObjectKey]) {
        self.table = table
        single = keys.count == 1 ? keys[0].raw : nil
        var runs = KeyRuns()
        if keys.count > 1 { for key in keys { runs.insert(key.raw) } }
        self.keys = runs
    }

    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        if let single { return key.raw == single }
        return keys.contains(key.raw)
    }

    @inline(__always)
    func contains(_ link: ObjectLink) -> Bool { link.table == table && contains(link.key) }
}
