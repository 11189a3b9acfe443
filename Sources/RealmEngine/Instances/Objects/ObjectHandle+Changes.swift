/// Changes of an object, in its instance's write transaction: outside of one they are mistakes that
/// trap, and so they are on a frozen instance.
extension ObjectHandle {
    /// Sets a single-valued property. Throws `data` for a value that does not fit, `misuse` when the
    /// object or the property is gone, and for a primary key.
    package func set(_ property: Int, _ value: Value) throws(RealmError) {
        try objects.set(property, of: key, value)
    }

    /// The same; a value that the property has already is not written.
    package func update(_ property: Int, _ value: Value) throws(RealmError) {
        let (transaction, column) = try changing(property)
        _ = try transaction.update(objects.key, key, column, value)
    }

    /// Sets text.
    func set(_ property: Int, _ text: String) throws(RealmError) {
        let (transaction, column) = try changing(property)
        try text.withView { (view) throws(RealmError) in
            try transaction.set(objects.key, key, column, .string(view))
        }
    }

    /// Gives a link to embedded objects a new one, in place of the one it had, and returns its key.
    package func makeEmbedded(_ property: Int) throws(RealmError) -> ObjectKey {
        let (transaction, column) = try changing(property)
        return try transaction.createEmbedded(objects.key, key, column)
    }

    /// Removes the object, with the embedded ones it holds.
    package func remove() throws(RealmError) {
        try objects.instance.forWriting().remove(objects.key, key)
    }

    /// The open transaction, and the column that the property is there.
    func changing(_ property: Int) throws(RealmError) -> (WriteTransaction, Int) {
        let transaction = objects.instance.forWriting()
        return (transaction, try objects.column(property, transaction))
    }
}

extension ObjectClass {
    /// Removes objects, in any order, with the embedded ones they hold.
    package func remove(_ keys: [ObjectKey]) throws(RealmError) {
        try instance.forWriting().remove(key, keys)
    }

    /// Sets a property of the object with `key`, as `ObjectHandle.set` does: for who holds the class.
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
