/// Reads and changes the collection through the write transaction's open edit: the decoded state of
/// the collection that was changed last.
extension ElementReader {
    /// The transaction's open edit if it is an edit of this reader's collection; otherwise nil. The
    /// transaction discards its open edit when it changes anything else.
    @inline(__always)
    private var openEdit: CollectionEdit? {
        guard editNumber != 0, let edit = instance.transaction?.openCollection,
            edit.number == editNumber, edit.isCurrent
        else { return nil }
        return edit
    }

    /// The open edit of this reader's collection, like `openEdit`, for a caller that changes it.
    /// Traps if the instance has no open write transaction or if the caller is in another context.
    @inline(__always)
    private var changeableEdit: CollectionEdit? {
        if editNumber == 0 { return nil }
        _ = instance.forWriting()
        return openEdit
    }

    /// Stores the number of the transaction's open edit (`CollectionEdit`) in `editNumber` if that
    /// edit is of this collection, otherwise 0. Called after `handle` changed the collection.
    private func adopt(_ handle: CollectionHandle) throws(RealmError) {
        editNumber = 0
        let (transaction, place) = try handle.changing()
        guard let edit = transaction.openCollection, edit.isCurrent(at: place) else { return }
        if edit.number == 0 {
            instance.lastEditNumber &+= 1
            edit.number = instance.lastEditNumber
        }
        editNumber = edit.number
    }

    // MARK: Reading

    /// Returns the integer at an index of the list, from the transaction's open edit of the list
    /// (`CollectionEdit`); nil if there is no such edit of a list of integers.
    @inline(never)
    func openInteger(at position: Int) -> Int64? {
        instance.check()
        guard case .list(let list)? = openEdit?.tree else { return nil }
        // If the list cannot be read, return nil: the caller then reads it without the open edit,
        // and that throws.
        return try? list.plainInteger(at: position)
    }

    /// Returns the element at an index of the list, from the transaction's open edit of the list
    /// (`CollectionEdit`). Nil if there is no such edit, or if elements may be links: the caller
    /// must then leave out unresolved links.
    @inline(never)
    func openElement(at position: Int) throws(RealmError) -> Value? {
        instance.check()
        guard case .list(let list)? = openEdit?.tree, !list.element.mayHoldLinks, position >= 0,
            position < list.count
        else { return nil }
        return try list.value(at: position)
    }

    /// Number of elements of the list, from the transaction's open edit of the list
    /// (`CollectionEdit`). Nil if there is no such edit, or if the list contains unresolved links,
    /// which are not counted.
    var openCount: Int? {
        if editNumber == 0 { return nil }
        instance.check()
        guard case .list(let list)? = openEdit?.tree, !list.hidesElements else { return nil }
        return list.count
    }

    /// Returns the value under a key of a dictionary; nil if there is no such key.
    package func value(
        forKey key: Value, of handle: CollectionHandle
    ) throws(RealmError) -> Value? {
        let moment = instance.moment
        if let entries, entries.moment == moment {
            return try entries.halves.value(forKey: key, handle.space)
        }
        entries = nil
        guard let halves = try handle.halves() else { return nil }
        entries = (halves, moment)
        return try halves.value(forKey: key, handle.space)
    }

    // MARK: Changes

    package func append(_ value: Value, to handle: CollectionHandle) throws(RealmError) {
        if let edit = changeableEdit { return try edit.append(value) }
        try handle.append(value)
        try adopt(handle)
    }

    package func set(
        _ value: Value, at position: Int, of handle: CollectionHandle
    ) throws(RealmError) {
        if let edit = changeableEdit { return try edit.set(value, at: position) }
        try handle.set(value, at: position)
        try adopt(handle)
    }

    package func set(
        _ value: Value, forKey key: Value, of handle: CollectionHandle
    ) throws(RealmError) {
        if let edit = changeableEdit {
            try edit.set(value, forKey: key)
            return
        }
        try handle.set(value, forKey: key)
        try adopt(handle)
    }
}
