import Synchronization

/// Objects of one class that are found by conditions and put in order, as an instance shows them: all
/// of a class, those of a collection, or those that link to an object.
///
/// They are looked for when they are first asked for, and again when the instance shows something in
/// which they may be others; as long as no table they depend on changed, what was found stays. In a
/// write transaction they show its own state.
///
/// Confined as their instance is. Those of a frozen instance may be used anywhere, by many threads at
/// once, and change nothing once their objects have been looked for.
package final class ObjectResults {
    /// The class of the objects.
    let objects: ObjectClass
    /// What they are, apart from any version.
    package let definition: ResultsDefinition
    private let isFixed: Bool
    /// Of the class, which keeps it. Instances are referred to weakly, which makes counting references
    /// of theirs slow: for a single object that would be most of the time.
    private let owner: Unmanaged<Instance>
    /// What was found last, retained. Frozen results get it once.
    private let slot: Atomic<UnsafeMutableRawPointer?>
    /// Of the instance, for which that holds; of no use to frozen results.
    private var generation = -1
    /// The leaf of the object that was asked for last by its position, in that generation.
    private var leaf: LeafAtKey?
    /// The only query, as it was bound to be checked, and the instance's generation then.
    private var checked: (query: BoundQuery, generation: Int)?
    /// The object asked for last.
    private var recent: (key: ObjectKey, place: ObjectPlace) = (.none, ObjectPlace())

    /// All objects of the class, in the order of the table.
    package convenience init(_ objects: ObjectClass) {
        self.init(objects, ResultsDefinition(objects.key), nil)
    }

    /// The objects of the class that `query` yields, in its order. Throws `misuse` for a query that
    /// does not fit the class.
    convenience init(_ objects: ObjectClass, _ query: Query) throws(RealmError) {
        self.init(objects, ResultsDefinition(objects.key, query), nil)
        try check(query)
    }

    /// What `definition` says, as the class's instance shows it.
    package convenience init(_ objects: ObjectClass, _ definition: ResultsDefinition) {
        self.init(objects, definition, nil)
    }

    /// - Parameter content: what they hold in the version of the class's instance, where that is known.
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

    /// Always safe to ask.
    var isFrozen: Bool { isFixed }

    // MARK: What they hold

    /// What the results hold now, looked for if need be.
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

    /// Traps where the instance may not be used.
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

    /// Of frozen results: threads that come at the same time all look, and the first one's is kept.
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

    /// The instance may show something else than when they were asked last.
    @inline(never)
    private func follow() throws(RealmError) -> ResultsContent {
        let snapshot = objects.instance.snapshot()
        if let content = known?.following(snapshot), content.isEnumerated {
            keep(content)
            return content
        }
        let content = try definition.content(in: snapshot, base: base, bound: boundNow)
        keep(content)
        return content
    }

    /// An observer found out what they hold in what their instance shows: `snapshot`.
    func adopt(_ keys: [ObjectKey], in snapshot: Snapshot) {
        if isFixed || known?.basis.state === snapshot.state { return }
        if let content = (try? definition.content(of: keys, in: snapshot)) ?? nil { keep(content) }
    }

    /// Names and types are settled at once, so that mistakes show where they are made.
    func check(_ query: Query) throws(RealmError) {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(definition.table) else { return }
        let bound = try query.bound(to: snapshot.table(info))
        if definition.queries.count == 1 { checked = (bound, instance.generation) }
    }

    /// The only query, bound to what the instance shows; nil if it has to be bound again.
    private var boundNow: BoundQuery? {
        guard let checked, checked.generation > 0, checked.generation == instance.generation
        else { return nil }
        return checked.query
    }

    private var base: VersionState? { objects.instance.transaction?.base }

    private func keep(_ content: ResultsContent) {
        if generation != objects.instance.generation || content !== known { leaf = nil }
        generation = objects.instance.generation
        if content === known { return }
        release(slot.exchange(Unmanaged.passRetained(content).toOpaque(), ordering: .releasing))
    }

    /// Number of objects. Without more than that being known, for as long as only it is asked for.
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

    /// What was counted is kept beside no generation: as soon as objects are asked for they are looked
    /// for.
    private func keepNumber(_ content: ResultsContent) {
        keep(content)
        if !content.isEnumerated { generation = -1 }
    }

    var isEmpty: Bool { get throws(RealmError) { try count == 0 } }

    // MARK: Positions

    /// The object at a position: a handle of it. Throws `misuse` when there are no more than that.
    @inline(__always)
    package func object(at position: Int) throws(RealmError) -> ObjectHandle {
        let (key, place) = try find(position)
        return ObjectHandle(objects, key, place)
    }

    /// Takes a handle of the class to the object at a position, which costs less than a new one.
    @inline(__always)
    func move(_ handle: inout ObjectHandle, to position: Int) throws(RealmError) {
        precondition(handle.objects === objects, "a handle of another class or instance")
        let (key, place) = try find(position)
        handle.rebind(key, place)
    }

    /// Key of the object at a position.
    func key(at position: Int) throws(RealmError) -> ObjectKey { try find(position).0 }

    private func find(_ i: Int) throws(RealmError) -> (ObjectKey, ObjectPlace) {
        // One of all objects, in the leaf that the one before it was in.
        if !isFixed, generation > 0, let leaf, i >= leaf.start, i < leaf.end {
            if generation == shownGeneration {
                let row = i &- leaf.start
                return (
                    leaf.leaf.key(row), ObjectPlace(leaf.leaf, row, generation: generation)
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

    /// Of an object that was found.
    @inline(__always)
    func place(of key: ObjectKey) throws(RealmError) -> (ObjectKey, ObjectPlace) {
        let instance = objects.instance
        let now = instance.generation
        // An open write transaction is asked each time.
        if now == 0 { return (key, ObjectPlace()) }
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

    /// Of all objects, the one at a position.
    @inline(never)
    private func place(at i: Int) throws(RealmError) -> (ObjectKey, ObjectPlace) {
        let now = objects.instance.generation
        let found = try allObjects { (tree) throws(RealmError) in
            try tree.leaf(at: i, near: isFixed || now == 0 ? nil : leaf)
        }
        guard let found, i < found.end else {
            throw .corrupt("no object at position \(i)", in: "table \(objects.key.raw)")
        }
        let row = i - found.start
        let key = found.leaf.key(row)
        if now == 0 { return (key, ObjectPlace()) }
        if !isFixed { leaf = found }
        return (key, ObjectPlace(found.leaf, row, generation: now))
    }

    /// The objects of the class as they are now.
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

    /// What is known already to be in the version that the instance shows.
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
