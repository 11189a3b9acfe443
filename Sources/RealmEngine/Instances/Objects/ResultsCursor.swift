/// Goes over the objects that results hold when it is made, whatever happens to the results meanwhile:
/// what comes later is not met, and what is deleted is met as a handle of nothing.
///
/// Confined as its results are; each thread that reads frozen ones takes one of its own.
package struct ResultsCursor {
    /// Number of objects it goes over.
    let count: Int
    private let objects: ObjectClass
    /// The same, for a look that counts no reference.
    private var uncounted: Unmanaged<ObjectClass> { Unmanaged.passUnretained(objects) }
    /// Nil for all objects of the class in a version that is kept meanwhile.
    private let keys: RowKeys?
    private let version: (snapshot: Snapshot, root: Ref)?
    /// The instance shows that version as long as this is its.
    private let generation: Int
    private var leaf: LeafAtKey?
    private var rows = Rows()
    private var position = 0
    private var handle: ObjectHandle?

    /// What each object of the leaf takes, at hand.
    private struct Rows {
        /// Positions of the first object and after the last one.
        var start = 0
        var end = 0
        /// The first one's.
        var place = ObjectPlace()
        /// Of a leaf whose keys follow each other.
        var firstKey: ObjectKey?

        init() {}

        init(_ leaf: LeafAtKey, before limit: Int, generation: Int) {
            (start, end) = (leaf.start, min(leaf.end, limit))
            place = ObjectPlace(leaf.leaf, 0, generation: generation)
            firstKey = leaf.leaf.node.slot(0).isTagged ? leaf.leaf.key(0) : nil
        }

        @inline(__always)
        func place(_ position: Int) -> ObjectPlace {
            var found = place
            found.row = position &- start
            return found
        }
    }

    init(_ results: ObjectResults) throws(RealmError) {
        objects = results.objects
        let content = try results.current()
        count = content.count
        generation = objects.instance.generation
        if case .keys(let keys, _) = content.members {
            (self.keys, version) = (keys, nil)
            return
        }
        let snapshot = objects.instance.snapshot()
        if generation != 0, let info = snapshot.schema.table(objects.key) {
            (keys, version) = (nil, (snapshot, info.root))
        } else {
            // What an open write transaction holds now is not there to be gone over later.
            (keys, version) = (try results.definition.keys(in: snapshot), nil)
        }
    }

    /// The next object that is there still, and where it is; nil at the end.
    package mutating func nextFound() throws(RealmError) -> (key: ObjectKey, place: ObjectPlace)? {
        guard position < rows.end, checkedGeneration == generation else {
            return try nextFoundElsewhere()
        }
        defer { position &+= 1 }
        return (key(position), rows.place(position))
    }

    @inline(never)
    private mutating func nextFoundElsewhere() throws(RealmError)
        -> (key: ObjectKey, place: ObjectPlace)?
    {
        while position < count {
            let (key, place) = try nextPlace()
            if let place { return (key, place) }
            if let place = try look(for: key) { return (key, place) }
        }
        return nil
    }

    /// Nil for what was deleted meanwhile.
    private mutating func look(for key: ObjectKey) throws(RealmError) -> ObjectPlace? {
        let found = try handle(of: key, at: nil)
        return try found.exists ? found.place : nil
    }

    /// The next object; nil at the end.
    mutating func next() throws(RealmError) -> ObjectHandle? {
        guard position < count else { return nil }
        let (key, place) = try nextPlace()
        return try handle(of: key, at: place)
    }

    /// The cursor's own handle, which finds what is beside its last object quickly.
    private mutating func handle(
        of key: ObjectKey, at place: ObjectPlace?
    ) throws(RealmError) -> ObjectHandle {
        if let place {
            handle = ObjectHandle(objects, key, place)
        } else if handle == nil {
            handle = try ObjectHandle(objects, key)
        } else {
            try handle!.move(to: key)
        }
        return handle!
    }

    /// Takes a handle of the class to the next object; false at the end.
    @inline(__always)
    mutating func next(_ handle: inout ObjectHandle) throws(RealmError) -> Bool {
        guard position < count else { return false }
        let (key, place) = try nextPlace()
        if let place { handle.rebind(key, place) } else { try handle.move(to: key) }
        return true
    }

    /// The next object, and where it is if that is known without looking for it.
    @inline(__always)
    private mutating func nextPlace() throws(RealmError) -> (ObjectKey, ObjectPlace?) {
        let now = checkedGeneration
        defer { position += 1 }
        if let keys { return (keys[position], nil) }
        if position >= rows.end { try open() }
        return (key(position), now == generation ? rows.place(position) : nil)
    }

    /// The instance's. Traps where that may not be read.
    @inline(__always)
    private var checkedGeneration: Int {
        uncounted._withUnsafeGuaranteedRef { objects in
            objects.instance.checkReadable()
            return objects.instance.generation
        }
    }

    /// Of the object at a position in the leaf at hand.
    @inline(__always)
    private func key(_ position: Int) -> ObjectKey {
        let row = position &- rows.start
        if let first = rows.firstKey { return ObjectKey(first.raw &+ Int64(row)) }
        return leaf!.leaf.key(row)
    }

    private mutating func open() throws(RealmError) {
        guard let (snapshot, root) = version,
            let found = try ClusterTree(space: snapshot.lookup, root: root)
                .leaf(at: position, near: leaf), position < found.end
        else { throw .corrupt("no object at position \(position)", in: "results") }
        leaf = found
        rows = Rows(found, before: count, generation: generation)
    }
}

extension ObjectResults {
    /// Goes over the objects held now.
    package func cursor() throws(RealmError) -> ResultsCursor { try ResultsCursor(self) }
}
