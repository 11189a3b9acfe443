/// Reference to a list, set or dictionary in a property of an object, or to a collection nested in
/// one. Reads and changes one element at a time.
///
/// Each call looks up the collection through the object's handle, in the instance's version or its
/// open write transaction. Confined like the handle. Indexes skip unresolved links, as in the SDKs.
package struct CollectionHandle {
    package private(set) var owner: ObjectHandle
    package let property: Int
    /// Steps from the property's collection to the nested collection; empty for the property's
    /// collection itself.
    package let steps: [CollectionLocation.Step]

    /// Makes a reference to the collection of a property, or to the one nested in it at `steps`.
    package init(_ owner: ObjectHandle, _ property: Int, _ steps: [CollectionLocation.Step] = []) {
        (self.owner, self.property, self.steps) = (owner, property, steps)
    }

    /// Updates the location of the object to the instance's current version.
    package mutating func follow() throws(RealmError) { try owner.follow() }

    /// Returns the nested collection at an index of a list or under a key of a dictionary.
    ///
    /// - Parameter value: the collection, which is then found also at another index; null if it is
    ///   not known, so that the step is followed.
    package func nested(
        _ step: CollectionLocation.Step, _ value: Value = .null
    ) -> CollectionHandle {
        CollectionHandle(owner, property, steps + [step.identifying(value)])
    }

    // MARK: Reading

    /// Returns the collection as a value.
    ///
    /// Throws `misuse` if the object was deleted, or if the property or a step to the nested
    /// collection no longer leads to a collection.
    package func value() throws(RealmError) -> Value {
        var value = try owner.value(property)
        for step in steps { value = try Self.value(at: step, in: value, space) }
        guard value.collectionRoot != nil else { throw Self.noCollection }
        return value
    }

    /// Access to the nodes of the collection.
    var space: NodeSpace { owner.objects.instance.readableSpace }

    /// Number of elements or entries.
    package var count: Int {
        get throws(RealmError) {
            switch try value() {
            case .list(let view), .set(let view): return try ElementCursor.count(space, view)
            case .dictionary(let view):
                return try Self.halves(view, space)?.count ?? 0
            default: throw Self.noCollection
            }
        }
    }

    /// Returns the element at an index of a list or set, or the value of a dictionary's entry.
    ///
    /// Throws `misuse` if the index is out of range.
    package func element(at position: Int) throws(RealmError) -> Value {
        switch try value() {
        case .list(let view), .set(let view):
            return try Self.element(at: position, of: view, space)
        case .dictionary(let view):
            guard let halves = try Self.halves(view, space) else {
                throw Self.outOfBounds(position)
            }
            return try Self.element(at: position, of: halves.values, space)
        default: throw Self.noCollection
        }
    }

    /// Returns the key of a dictionary's entry. Keys ascend.
    package func key(at position: Int) throws(RealmError) -> Value {
        guard case .dictionary(let view) = try value(),
            let halves = try Self.halves(view, space)
        else { throw Self.outOfBounds(position) }
        return try Self.element(at: position, of: halves.keys, space)
    }

    /// Returns the value under a key of a dictionary; nil if there is no such key.
    package func value(forKey key: Value) throws(RealmError) -> Value? {
        try halves()?.value(forKey: key, space)
    }

    /// Returns the key and value lists of a dictionary; nil if it has never had an entry.
    func halves() throws(RealmError) -> Halves? {
        guard case .dictionary(let view) = try value() else { throw Self.noCollection }
        return try Self.halves(view, space)
    }

    // MARK: Finding

    /// Follows steps from the value of a property into nested collections. Returns the collection
    /// at their end, or `value` itself if there are no steps; nil if a collection on the way no
    /// longer exists.
    static func value(
        along steps: [CollectionLocation.Step], in value: Value, _ space: NodeSpace
    ) throws(RealmError) -> Value? {
        if steps.isEmpty { return value }
        var value = value
        do throws(RealmError) {
            for step in steps { value = try Self.value(at: step, in: value, space) }
        } catch {
            if error.code == "InvalidatedObject" || error.code == "OutOfBounds" { return nil }
            throw error
        }
        return value.collectionRoot == nil ? nil : value
    }

    private static func value(
        at step: CollectionLocation.Step, in value: Value, _ space: NodeSpace
    ) throws(RealmError) -> Value {
        switch (step, value) {
        case (.index(let position), .list(let view)):
            return try element(at: position, of: view, space)
        case (.key(let key), .dictionary(let view)):
            let found = try key.withView { (key) throws(RealmError) in
                try halves(view, space)?.value(forKey: .string(key), space)
            }
            guard let found else { throw noCollection }
            return found
        case (.collection(let key, let index), .list(let view)):
            return try nested(key, near: index, in: view, space)
        case (.collection(let key, let index), .dictionary(let view)):
            guard let halves = try halves(view, space) else { throw noCollection }
            return try nested(key, near: index, in: halves.values, space)
        default: throw noCollection
        }
    }

    /// Returns the collection with the key `key` among the elements of `view`.
    private static func nested(
        _ key: Int32, near index: Int, in view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Value {
        if index < (try ElementCursor.count(space, view)) {
            let value = try element(at: index, of: view, space)
            if value.nestedKey == key { return value }
        }
        var cursor = ElementCursor(space, view)
        while let leaf = try cursor.nextLeaf() {
            guard case .mixed(let leaf) = leaf, let i = try leaf.index(ofCollection: key) else {
                continue
            }
            let value = try CollectionView.element(try leaf.value(i), depth: view.depth)
            if value.nestedKey == key { return value }
        }
        throw noCollection
    }

    static func element(
        at position: Int, of view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Value {
        guard position >= 0, try position < ElementCursor.count(space, view) else {
            throw outOfBounds(position)
        }
        if view.element.type == .link, try space.node(view.root).context {
            var cursor = ElementCursor(space, view)
            for _ in 0..<position { _ = try cursor.next() }
            guard let element = try cursor.next() else { throw outOfBounds(position) }
            return element
        }
        let (ref, start) = try BPlusTree(space: space, root: view.root)
            .leaf(containing: position)
        let leaf = try ColumnLeaf(space, ref, element: view.element)
        guard position - start < leaf.count else { throw outOfBounds(position) }
        let stored = try leaf.stored(position - start)
        return try CollectionView.element(stored, depth: view.depth).shown
    }

    /// Key list and value list that store a dictionary.
    struct Halves {
        let keys: CollectionView
        let values: CollectionView
        /// Number of elements of `keys`.
        let count: Int

        func value(forKey key: Value, _ space: NodeSpace) throws(RealmError) -> Value? {
            let tree = BPlusTree(space: space, root: keys.root)
            let found = try OrderedSearch(tree, keys.element, count: count)
                .find(key, order: ValueOrder.compare)
            guard found.isThere else { return nil }
            return try CollectionHandle.element(at: found.index, of: values, space)
        }
    }

    private static func halves(
        _ view: CollectionView, _ space: NodeSpace
    ) throws(RealmError) -> Halves? {
        if view.root.isNone { return nil }
        let (keys, values) = try view.halves(space)
        return Halves(keys: keys, values: values, count: try ElementCursor.count(space, keys))
    }

    private static var noCollection: RealmError {
        .misuse("The collection is no longer valid.", code: "InvalidatedObject")
    }

    private static func outOfBounds(_ position: Int) -> RealmError {
        .misuse(
            "Requested index \(position) is out of bounds", code: "OutOfBounds", reason: "index")
    }
}

/// Changes in the instance's write transaction; see `WriteTransaction` for effects and errors.
extension CollectionHandle {
    func changing() throws(RealmError) -> (WriteTransaction, CollectionLocation) {
        let (transaction, column) = try owner.changing(property)
        return (transaction, CollectionLocation(owner.objects.key, owner.key, column, steps))
    }

    package func insert(_ value: Value, at position: Int) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.insertElement(value, at: position, in: location)
    }

    package func append(_ value: Value) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.appendElement(value, to: location)
    }

    package func set(_ value: Value, at position: Int) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.setElement(value, at: position, in: location)
    }

    /// Sets an element of a list, or appends one if `position` is the count. Does not write an
    /// identical value.
    package func update(_ value: Value, at position: Int) throws(RealmError) {
        guard try position < count else { return try insert(value, at: position) }
        if try !element(at: position).isIdentical(to: value) { try set(value, at: position) }
    }

    package func remove(at position: Int) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.removeElement(at: position, from: location)
    }

    package func move(from position: Int, to target: Int) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.moveElement(from: position, to: target, in: location)
    }

    package func swap(_ a: Int, _ b: Int) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.swapElements(a, b, in: location)
    }

    /// Inserts into a set; returns false if it contains an equal value.
    @discardableResult
    package func insert(_ value: Value) throws(RealmError) -> Bool {
        let (transaction, location) = try changing()
        return try transaction.insertMember(value, into: location)
    }

    /// Removes from a set; returns false if it contains no equal value.
    @discardableResult
    package func remove(_ value: Value) throws(RealmError) -> Bool {
        let (transaction, location) = try changing()
        return try transaction.removeMember(value, from: location)
    }

    /// Sets the value under a key of a dictionary.
    package func set(_ value: Value, forKey key: Value) throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.setEntry(key, to: value, in: location)
    }

    /// Sets the value under a key of a dictionary. Does not write an identical value.
    package func update(_ value: Value, forKey key: Value) throws(RealmError) {
        if let old = try self.value(forKey: key), old.isIdentical(to: value) { return }
        try set(value, forKey: key)
    }

    /// Removes a key of a dictionary; returns false if there is no such key.
    @discardableResult
    package func remove(forKey key: Value) throws(RealmError) -> Bool {
        let (transaction, location) = try changing()
        return try transaction.removeEntry(key, from: location)
    }

    /// Creates an embedded object before the element at `position`, or at the end if `position` is
    /// the count.
    package func insertEmbedded(at position: Int) throws(RealmError) -> ObjectKey {
        let (transaction, location) = try changing()
        return try transaction.insertEmbedded(at: position, in: location)
    }

    /// Creates an embedded object under a key of a dictionary.
    package func setEmbedded(forKey key: Value) throws(RealmError) -> ObjectKey {
        let (transaction, location) = try changing()
        return try transaction.setEmbeddedEntry(key, in: location)
    }

    package func removeAll() throws(RealmError) {
        let (transaction, location) = try changing()
        try transaction.removeAllElements(of: location)
    }
}
