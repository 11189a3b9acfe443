/// Changes of an object in its instance's write transaction. These functions trap outside of a
/// write transaction and on a frozen instance.
extension ObjectHandle {
    /// Sets a single-valued property. Throws `data` for a value that does not fit; throws `misuse`
    /// for a deleted object, a removed property, and a primary key.
    package func set(_ property: Int, _ value: Value) throws(RealmError) {
        try objects.set(property, of: key, value)
    }

    /// Sets a property, unless it already has an identical value.
    package func update(_ property: Int, _ value: Value) throws(RealmError) {
        let (transaction, column) = try changing(property)
        _ = try transaction.update(objects.key, key, column, value)
    }

    /// Sets a string property.
    func set(_ property: Int, _ text: String) throws(RealmError) {
        let (transaction, column) = try changing(property)
        try text.withView { (view) throws(RealmError) in
            try transaction.set(objects.key, key, column, .string(view))
        }
    }

    /// Creates an embedded object in a link property, replacing the previous one, and returns its
    /// key.
    package func makeEmbedded(_ property: Int) throws(RealmError) -> ObjectKey {
        let (transaction, column) = try changing(property)
        return try transaction.createEmbedded(objects.key, key, column)
    }

    /// Deletes the object and the embedded objects it owns.
    package func remove() throws(RealmError) {
        try objects.instance.forWriting().remove(objects.key, key)
    }

    /// Returns the open transaction, and the property's column in it.
    func changing(_ property: Int) throws(RealmError) -> (WriteTransaction, Int) {
        let transaction = objects.instance.forWriting()
        return (transaction, try objects.column(property, transaction))
    }
}

extension ObjectClass {
    /// Deletes objects, in any order, and the embedded objects they own.
    package func remove(_ keys: [ObjectKey]) throws(RealmError) {
        try instance.forWriting().remove(key, keys)
    }

    /// Sets a property like `ObjectHandle.set`, for callers that hold the class.
    package func set(_ property: Int, of key: ObjectKey, _ value: Value) throws(RealmError) {
        let transaction = Unmanaged.passUnretained(instance.forWriting())
        try borrowing(transaction) { (transaction) throws(RealmError) in
            try transaction.set(self.key, key, try column(property, transaction), value)
        }
    }

    @inline(__always)
    fileprivate func column(
        _ property: Int, _ transaction: WriteTransaction
    ) throws(RealmError) -> Int {
        guard let column = try field(property, in: transaction).column else {
            throw .misuse("The property has been removed from the file.", code: "InvalidProperty")
        }
        return column
    }
}
