import Synchronization

/// Objects of one class in a defined order: all objects, those that match queries, the objects of a
/// collection, or those that link to an object.
///
/// Evaluated on first use, and again after a change of a table on which they depend. In a write
/// transaction they include the changes of the transaction.
///
/// Confined like their instance. Frozen results may be used by several threads at once, and do not
/// change after their first evaluation.
package final class ObjectResults {
    let objects: ObjectClass
    /// Definition of the results, independent of versions.
    package let definition: ResultsDefinition
    private let isFixed: Bool
    /// The instance of `objects`, which `objects` retains. Unmanaged, to avoid reference counting.
    /// The instance is the target of weak references, and Swift counts references to such an object
    /// so slowly that counting would take most of the time of an access.
    private let owner: Unmanaged<Instance>
    /// The last evaluated content, retained; nil before the first evaluation. Frozen results set it
    /// only once.
    private let slot: Atomic<UnsafeMutableRawPointer?>
    /// Generation of the instance for which the content is valid. Unused by frozen results.
    private var generation = -1
    /// Leaf of the last object accessed by index, valid in `generation`.
    private var leaf: LeafAtKey?
    /// The query as it was bound when the results were made, and the instance's generation at that
    /// time. Nil if the results have several queries.
    private var checked: (query: BoundQuery, generation: Int)?
    /// The object that was located last.
    private var recent: (key: ObjectKey, place: ObjectLocation) = (.none, ObjectLocation())

    /// Makes results of all objects of the class, in table order.
    package convenience init(_ objects: ObjectClass) {
        self.init(objects, ResultsDefinition(objects.key), nil)
    }

    /// Makes results of a query on the class. Throws `misuse` for a query that does not fit the
    /// class.
    convenience init(_ objects: ObjectClass, _ query: Query) throws(RealmError) {
        self.init(objects, ResultsDefinition(objects.key, query), nil)
        try check(query)
    }

    /// Makes the results of `definition` in the class's instance.
    package convenience init(_ objects: ObjectClass, _ definition: ResultsDefinition) {
        self.init(objects, definition, nil)
    }

    /// - Parameter content: content in the instance's current version; nil if the results have not
    ///   been evaluated.
    init(_ objects: ObjectClass, _ definition: ResultsDefinition, _ content: ResultsContent?) {
        precondition(objects.key == definition.table)
        self.objects = objects
        self.definition = definition
        isFixed = objects.instance.isFrozen
        owner = .passUnretained(objects.instance)
        slot = Atomic(content.map { Unmanaged.passRetained($0).toOpaque() })
    }

    deinit { release(slot.load(ordering: .acquiring)) }

    private func release(_ content: UnsafeMutableRawPointer?) {
        if let content { Unmanaged<ResultsContent>.fromOpaque(content).release() }
    }

    package var instance: Instance { objects.instance }

    /// Whether the instance is frozen. Safe on any thread.
    var isFrozen: Bool { isFixed }

    // MARK: Content

    /// Returns the current content, evaluating it if necessary.
    @inline(__always)
    func current() throws(RealmError) -> ResultsContent {
        if isFixed {
            if let known = known { return known }
            return try currentContent()
        }
        if generation > 0, generation == shownGeneration, let known = known { return known }
        objects.instance.check()
        return try follow()
    }

    /// Generation of the instance. Traps if the caller is in another context.
    @inline(__always)
    private var shownGeneration: Int {
        owner._withUnsafeGuaranteedRef { (instance) in
            instance.check()
            return instance.generation
        }
    }

    @inline(__always)
    private var known: ResultsContent? {
        slot.load(ordering: .acquiring).map {
            Unmanaged<ResultsContent>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Evaluates frozen results. If several threads arrive at once, each of them evaluates, and the
    /// first content is kept.
    @inline(never)
    private func currentContent() throws(RealmError) -> ResultsContent {
        let found = try definition.content(in: objects.instance.snapshot(), bound: boundNow)
        let fresh = Unmanaged.passRetained(found)
        let (isKept, other) = slot.compareExchange(
            expected: nil, desired: fresh.toOpaque(), ordering: .acquiringAndReleasing)
        if isKept { return found }
        fresh.release()
        return Unmanaged<ResultsContent>.fromOpaque(other!).takeUnretainedValue()
    }

    /// Evaluates the results again, unless the cached content is still valid in the instance's
    /// version.
    @inline(never)
    private func follow() throws(RealmError) -> ResultsContent {
        let snapshot = objects.instance.snapshot()
        if let content = known?.following(snapshot), content.isEnumerated {
            cache(content)
            return content
        }
        let content = try definition.content(in: snapshot, base: base, bound: boundNow)
        cache(content)
        return content
    }

    /// Sets the content to objects that an observer found in `snapshot`, which must be of the
    /// instance's current version.
    func adopt(_ keys: [ObjectKey], in snapshot: Snapshot) {
        if isFixed || known?.basis.state === snapshot.state { return }
        if let content = (try? definition.content(of: keys, in: snapshot)) ?? nil { cache(content) }
    }

    /// Resolves the names and types of a query when the results are made, so that mistakes are
    /// reported there and not at the first use.
    func check(_ query: Query) throws(RealmError) {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(definition.table) else { return }
        let bound = try query.bound(to: snapshot.table(info))
        if definition.queries.count == 1 { checked = (bound, instance.generation) }
    }

    /// The only query of the results, bound to the current version; nil if it must be bound again.
    private var boundNow: BoundQuery? {
        guard let checked, checked.generation > 0, checked.generation == instance.generation
        else { return nil }
        return checked.query
    }

    private var base: VersionState? { objects.instance.transaction?.base }

    private func cache(_ content: ResultsContent) {
        if generation != objects.instance.generation || content !== known { leaf = nil }
        generation = objects.instance.generation
        if content === known { return }
        release(slot.exchange(Unmanaged.passRetained(content).toOpaque(), ordering: .releasing))
    }

    /// Number of objects. If only the count is ever read, no object keys are stored.
    package var count: Int {
        get throws(RealmError) {
            if isFixed { return try current().count }
            let instance = objects.instance
            instance.check()
            if generation > 0, generation == instance.generation, let known = known {
                return known.count
            }
            let snapshot = instance.snapshot()
            if let content = known?.following(snapshot) { return content.count }
            let content = try definition.content(
                in: snapshot, base: base, onlyCount: true, bound: boundNow)
            keepNumber(content)
            return content.count
        }
    }

    /// Caches content that consists of the number of objects, without their keys. Sets `generation`
    /// to -1, so that the next access to an object evaluates the results.
    private func keepNumber(_ content: ResultsContent) {
        cache(content)
        if !content.isEnumerated { generation = -1 }
    }

    var isEmpty: Bool { get throws(RealmError) { try count == 0 } }

    // MARK: Positions

    /// Returns a handle of the object at an index. Throws `misuse` if the index is out of range.
    @inline(__always)
    package func object(at position: Int) throws(RealmError) -> ObjectHandle {
        let (key, place) = try find(position)
        return ObjectHandle(objects, key, place)
    }

    /// Makes a handle of the class refer to the object at an index. This costs less than making a
    /// handle.
    @inline(__always)
    func move(_ handle: inout ObjectHandle, to position: Int) throws(RealmError) {
        precondition(handle.objects === objects, "a handle of another class or instance")
        let (key, place) = try find(position)
        handle.rebind(key, place)
    }

    /// Returns the key of the object at an index.
    func key(at position: Int) throws(RealmError) -> ObjectKey { try find(position).0 }

    private func find(_ i: Int) throws(RealmError) -> (ObjectKey, ObjectLocation) {
        // Fast path for results of all objects: the index is in the cached leaf.
        if !isFixed, generation > 0, let leaf, i >= leaf.start, i < leaf.end {
            if generation == shownGeneration {
                let row = i &- leaf.start
                return (
                    leaf.leaf.key(row), ObjectLocation(leaf.leaf, row, generation: generation)
                )
            }
        }
        let content = try current()
        guard i >= 0, i < content.count else { throw Self.outOfBounds(i, content.count) }
        switch content.members {
        case .keys(let keys, _): return try place(of: keys[i])
        case .everything, .number: return try place(at: i)
        }
    }

    /// Returns `key` with its location.
    @inline(__always)
    func place(of key: ObjectKey) throws(RealmError) -> (ObjectKey, ObjectLocation) {
        let instance = objects.instance
        let now = instance.generation
        // In a write transaction, the location is not cached: each read looks up the object.
        if now == 0 { return (key, ObjectLocation()) }
        if isFixed { return (key, try objects.place(of: key)) }
        if recent.place.generation == now,
            let near = recent.place.place(of: key, from: recent.key, instance.space)
        {
            recent = (key, near)
            return recent
        }
        recent = (key, try objects.place(of: key))
        return recent
    }

    /// Returns the key and location of the object at index `i`. Called only for results that
    /// contain all objects of the class, so the index is a position in the table.
    @inline(never)
    private func place(at i: Int) throws(RealmError) -> (ObjectKey, ObjectLocation) {
        let now = objects.instance.generation
        let found = try allObjects { (tree) throws(RealmError) in
            try tree.leaf(at: i, near: isFixed || now == 0 ? nil : leaf)
        }
        guard let found, i < found.end else {
            throw .corrupt("no object at position \(i)", in: "table \(objects.key.raw)")
        }
        let row = i - found.start
        let key = found.leaf.key(row)
        if now == 0 { return (key, ObjectLocation()) }
        if !isFixed { leaf = found }
        return (key, ObjectLocation(found.leaf, row, generation: now))
    }

    /// Calls `body` with the tree of all objects of the class; returns nil if the class was
    /// removed.
    func allObjects<T>(
        _ body: (ClusterTree) throws(RealmError) -> T?
    ) throws(RealmError) -> T? {
        let instance = objects.instance
        if isFixed || instance.transaction == nil {
            guard let root = objects.table()?.root else { return nil }
            return try body(ClusterTree(space: instance.space, root: root))
        }
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(objects.key) else { return nil }
        return try body(ClusterTree(space: snapshot.lookup, root: info.root))
    }

    /// Cached objects that are valid in the current version; nil if there are none.
    var foundNow: ResultsContent? {
        guard let content = known?.following(objects.instance.snapshot()), content.isEnumerated
        else { return nil }
        return content
    }

    static func outOfBounds(_ position: Int, _ count: Int) -> RealmError {
        if position < 0 {
            return .misuse(
                "Cannot pass a negative value for 'index'.", code: "OutOfBounds", reason: "index")
        }
        return .misuse(
            "Index \(position) is out of bounds (must be less than \(count)).",
            code: "OutOfBounds", reason: "index")
    }
}
