/// The collection as the instance's write transaction has it open.
extension ElementReader {
    /// The transaction's edit of the collection, unless something else changed since.
    @inline(__always)
    private var openEdit: CollectionEdit? {
        guard editNumber != 0, let edit = instance.transaction?.openCollection,
            edit.number == editNumber, edit.isCurrent
        else { return nil }
        return edit
    }

    /// As `openEdit`, for a change.
    @inline(__always)
    private var changeableEdit: CollectionEdit? {
        if editNumber == 0 { return nil }
        _ = instance.forWriting()
        return openEdit
    }

    /// Recognises the transaction's edit of the collection from now on, after `handle` changed it.
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

    /// The integer at a position of the open list; nil if it is not open or its elements are no integers.
    @inline(never)
    func openInteger(at position: Int) -> Int64? {
        instance.check()
        guard case .list(let list)? = openEdit?.tree else { return nil }
        // The path without the edit reports an unreadable list.
        return try? list.plainInteger(at: position)
    }

    /// The element at a position of the open list; nil if it is not open, or its elements may be links.
    @inline(never)
    func openElement(at position: Int) throws(RealmError) -> Value? {
        instance.check()
        guard case .list(let list)? = openEdit?.tree, !list.element.mayHoldLinks, position >= 0,
            position < list.count
        else { return nil }
        return try list.value(at: position)
    }

    /// Number of elements of the open list; nil if it is not open or hides some.
    var openCount: Int? {
        if editNumber == 0 { return nil }
        instance.check()
        guard case .list(let list)? = openEdit?.tree, !list.hidesElements else { return nil }
        return list.count
    }

    /// The value under a key of a dictionary; nil when there is no such key.
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

    // MARK: Changing

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
