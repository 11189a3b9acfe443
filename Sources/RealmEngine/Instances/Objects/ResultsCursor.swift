/// Iterates over the objects that results contain when the cursor is made. Objects that are added
/// later are not visited. `nextFound` skips objects that were deleted in the meantime; `next`
/// returns handles of them.
///
/// Confined like its results; each thread that reads frozen results needs its own cursor.
package struct ResultsCursor {
    /// Number of objects that the cursor visits.
    let count: Int
    private let objects: ObjectClass
    /// Unretained `objects`, for access without reference counting.
    private var uncounted: Unmanaged<ObjectClass> { Unmanaged.passUnretained(objects) }
    /// Keys to visit. Nil if all objects of the class in `version` are visited.
    private let keys: RowKeys?
    private let version: (snapshot: Snapshot, root: Ref)?
    /// Generation of the instance at the time when `version` was its current version.
    private let generation: Int
    private var leaf: LeafAtKey?
    private var rows = Rows()
    private var position = 0
    private var handle: ObjectHandle?

    /// The objects of the current leaf: their indexes in the results, their locations and their
    /// keys.
    private struct Rows {
        /// Index of the first object of the leaf, and index after its last object.
        var start = 0
        var end = 0
        /// Location of the first object of the leaf.
        var place = ObjectLocation()
        /// First key of a leaf whose keys are consecutive; nil for other leaves.
        var firstKey: ObjectKey?

        init() {}

        init(_ leaf: LeafAtKey, before limit: Int, generation: Int) {
            (start, end) = (leaf.start, min(leaf.end, limit))
            place = ObjectLocation(leaf.leaf, 0, generation: generation)
            firstKey = leaf.leaf.node.slot(ClusterLeafShape.keys).isTagged ? leaf.leaf.key(0) : nil
        }

        @inline(__always)
        func place(_ position: Int) -> ObjectLocation {
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
            // The state of an open write transaction cannot be retained, so copy the keys.
            (keys, version) = (try results.definition.keys(in: snapshot), nil)
        }
    }

    /// Returns the next object that still exists, and its location; nil at the end.
    package mutating func nextFound() throws(RealmError) -> (key: ObjectKey, place: ObjectLocation)?
    {
        guard position < rows.end, checkedGeneration == generation else {
            return try nextFoundElsewhere()
        }
        defer { position &+= 1 }
        return (key(position), rows.place(position))
    }

    @inline(never)
    private mutating func nextFoundElsewhere() throws(RealmError)
        -> (key: ObjectKey, place: ObjectLocation)?
    {
        while position < count {
            let (key, place) = try nextLocation()
            if let place { return (key, place) }
            if let place = try look(for: key) { return (key, place) }
        }
        return nil
    }

    /// Returns the location of an object; nil if it was deleted in the meantime.
    private mutating func look(for key: ObjectKey) throws(RealmError) -> ObjectLocation? {
        let found = try handle(of: key, at: nil)
        return try found.exists ? found.place : nil
    }

    /// Returns a handle of the next object; nil at the end.
    mutating func next() throws(RealmError) -> ObjectHandle? {
        guard position < count else { return nil }
        let (key, place) = try nextLocation()
        return try handle(of: key, at: place)
    }

    /// Moves the cursor's own handle to an object and returns it. The handle finds objects in the
    /// same leaf quickly.
    private mutating func handle(
        of key: ObjectKey, at place: ObjectLocation?
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

    /// Makes a handle of the class refer to the next object; returns false at the end.
    @inline(__always)
    mutating func next(_ handle: inout ObjectHandle) throws(RealmError) -> Bool {
        guard position < count else { return false }
        let (key, place) = try nextLocation()
        if let place { handle.rebind(key, place) } else { try handle.move(to: key) }
        return true
    }

    /// Returns the next object. Also returns its location, unless that requires a search.
    @inline(__always)
    private mutating func nextLocation() throws(RealmError) -> (ObjectKey, ObjectLocation?) {
        let now = checkedGeneration
        defer { position += 1 }
        if let keys { return (keys[position], nil) }
        if position >= rows.end { try open() }
        return (key(position), now == generation ? rows.place(position) : nil)
    }

    /// Generation of the instance. Traps if the instance may not be read in the caller's context.
    @inline(__always)
    private var checkedGeneration: Int {
        uncounted._withUnsafeGuaranteedRef { objects in
            objects.instance.checkReadable()
            return objects.instance.generation
        }
    }

    /// Returns the key at an index within the current leaf.
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
    /// Returns a cursor over the current objects.
    package func cursor() throws(RealmError) -> ResultsCursor { try ResultsCursor(self) }
}
