import Foundation
import RealmEngine

/// A live query result: the objects of a class, or the elements of a collection, that match
/// conditions, optionally sorted.
///
/// Results are evaluated when they are read. They are evaluated again after the realm has advanced
/// to a version in which they may differ. They may be used only on the thread, queue or actor of
/// their realm, unless they are frozen.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
///     .where { $0.age > 3 && $0.owner.name == "Ann" }
///     .sorted(byKeyPath: "name")
/// print(dogs.count, dogs.first?.name ?? "none")
/// for dog in dogs { print(dog.name) }
/// ```
@frozen public struct Results<Element: RealmCollectionValue>: RealmCollection {
    @usableFromInline enum Source {
        case objects(ResultsSource)
        case values(ElementsSource)
    }

    @usableFromInline let source: Source

    init(_ managed: ManagedClass, _ results: ObjectResults) {
        source = .objects(ResultsSource(managed, results))
    }

    init(_ source: ResultsSource) { self.source = .objects(source) }
    init(_ source: ElementsSource) { self.source = .values(source) }

    /// Creates results with all elements of a collection. Traps if `collection` is nil, because the
    /// collection is unmanaged.
    ///
    /// - Parameter name: name of the collection type in the message.
    init(_ collection: ManagedCollection?, _: Element.Type, _ name: String) {
        guard let collection else {
            throwRealmException(
                "This method may only be called on \(name) instances retrieved from an RLMRealm")
        }
        guard let target = collection.target(Element.self), collection.handle.steps.isEmpty else {
            source = .values(ElementsSource(collection))
            return
        }
        source = .objects(
            ResultsSource(
                target,
                collection.read { (handle) throws(RealmError) in
                    try ObjectResults(target.objects, in: handle)
                }, ResultsSource.maker(of: Element.self)))
    }

    /// Whether the elements are values of a collection. False if they are objects.
    var isOfValues: Bool {
        if case .values = source { return true }
        return false
    }

    /// The realm instance that the results read from.
    var owningRealm: RealmInstance {
        switch source {
        case .objects(let source): source.realm
        case .values(let source): source.collection.realm
        }
    }

    /// The realm of the results.
    public var realm: Realm? { Realm(owningRealm) }
    /// Whether the realm was invalidated after the results were last read. Results that depend on a
    /// deleted object are not invalidated; they are empty.
    public var isInvalidated: Bool {
        switch source {
        case .objects(let source): source.isStale
        case .values(let source): source.collection.isStale
        }
    }
    /// Whether the results belong to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { owningRealm.isFrozen }

    /// The number of elements.
    public var endIndex: Int { count }
    /// The number of elements.
    public var count: Int {
        switch source {
        case .objects(let source): source.count
        case .values(let source): source.count
        }
    }

    /// The element at a position. Traps if it is out of bounds.
    public subscript(position: Int) -> Element {
        switch source {
        case .objects(let source): source.element(position)
        case .values(let source): Element._rlmFromStored(source.element(position))
        }
    }

    /// The first element; nil if there is none.
    public var first: Element? { isEmpty ? nil : self[0] }
    /// The last element; nil if there is none.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Returns an iterator over the current elements. Objects deleted during the iteration are
    /// skipped.
    public func makeIterator() -> RLMIterator<Element> {
        switch source {
        case .objects(let source):
            let members = ResultsSource.Members(source)
            return source.maker == nil ? RLMIterator(members) : RLMIterator { members.nextMade() }
        case .values(let source):
            return RLMIterator(
                (0..<source.count).map { Element._rlmFromStored(source.element($0)) })
        }
    }

    /// Returns the position of an element; nil if it is not in the results.
    public func index(of object: Element) -> Int? {
        switch source {
        case .objects(let source):
            ((object as? any AnyProjection)?.root ?? unwrapped(object) as? ObjectBase)
                .flatMap { source.index(of: $0) }
        case .values(let source): source.index(of: object._rlmStored(_Storing(owningRealm)))
        }
    }

    // MARK: Derived results

    /// Returns the elements that also match a predicate in text form.
    func filter(format: String, _ args: [Any]) -> Results {
        filtered { (managed) throws(RealmError) in
            try PredicateText(format, args, managed).query()
        }
    }

    /// A function that builds the condition of a filter for a class.
    typealias Condition = (ManagedClass) throws(RealmError) -> RealmEngine.Query

    func filtered(_ condition: Condition) -> Results { Results(objects.filtered(condition)) }

    /// Returns the position of the first element that matches a condition; nil if none does.
    func index(_ condition: Condition) -> Int? { objects.index(condition) }

    private var objects: ResultsSource {
        guard case .objects(let source) = source else {
            throwRealmException(
                "Querying is currently only implemented for arrays of Realm Objects")
        }
        return source
    }

    /// Returns the elements sorted by several properties; the first descriptor takes precedence.
    /// Traps for a property that cannot be sorted by.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results
    where S.Iterator.Element == SortDescriptor {
        switch source {
        case .objects(let source): Results(source.sorted(Array(sortDescriptors)))
        case .values(let source): Results(source.sorted(Array(sortDescriptors)))
        }
    }

    /// Returns the first element for each combination of values of the given properties. Traps for
    /// an unknown property.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results
    where S.Iterator.Element == String {
        switch source {
        case .objects(let source): Results(source.distinct(Array(keyPaths)))
        case .values(let source): Results(source.distinct(Array(keyPaths)))
        }
    }

    // MARK: Freezing and thawing

    /// Returns a frozen copy, which does not change and may be read on any thread.
    public func freeze() -> Results {
        switch source {
        case .objects(let source): Results(source.frozen())
        case .values(let source): Results(source.frozen())
        }
    }

    /// Returns the live version of these frozen results, for the caller's thread, queue or actor.
    /// Live results return themselves. Nil if the results belong to a list, set or map whose owner
    /// was deleted.
    public func thaw() -> Results? {
        switch source {
        case .objects(let source): source.thawed().map { Results($0) }
        case .values(let source): source.thawed().map { Results($0) }
        }
    }

    /// Whether both values refer to the same results. Does not compare the elements.
    public static func == (a: Results, b: Results) -> Bool {
        switch (a.source, b.source) {
        case (.objects(let a), .objects(let b)): a === b || a.results === b.results
        case (.values(let a), .values(let b)): a === b
        default: false
        }
    }

    /// The results as text, with up to 100 elements.
    public var description: String {
        switch source {
        case .objects(let source):
            ObjectDescription.list(
                self, as: "Results<\(source.managed.model.swiftName)>", at: source)
        case .values(let source):
            ObjectDescription.list(
                self, as: "Results<\(ObjectDescription.name(of: Element.self))>", at: source)
        }
    }

    /// Returns the primary keys of the objects, in the order of the results. Unlike the objects,
    /// the keys may be passed to any thread or actor. An addition to the SDK.
    ///
    /// - Parameter type: type of the primary key; traps if the key has another type.
    public func primaryKeys<Key: _PrimaryKey & Sendable>(as type: Key.Type) -> [Key] {
        var keys: [Key] = []
        attempt { () throws(RealmError) in
            try objects.results.primaryKeys { value in
                guard let key = value.plain.flatMap({ Converted<Key>.of($0) }) else {
                    mismatch(value, type)
                }
                keys.append(key)
            }
        }
        return keys
    }
}

/// A function that creates an element of results (dynamic object or projection) from a stored
/// object.
typealias ResultsMaker = (ManagedClass, ObjectHandle) -> Any

/// Results whose elements are objects. Has no generic parameter for their class.
@usableFromInline
final class ResultsSource: @unchecked Sendable {
    let realm: RealmInstance
    private var known: ManagedClass
    let results: ObjectResults
    /// Creates elements that are dynamic objects or projections. Nil if the elements are accessors
    /// of the class.
    let maker: ResultsMaker?

    init(_ managed: ManagedClass, _ results: ObjectResults, _ maker: ResultsMaker? = nil) {
        realm = managed.realm
        known = managed
        self.results = results
        self.maker = maker
    }

    /// Whether the realm was invalidated after the results were last read.
    var isStale: Bool { known.isStale }

    /// The class of the elements in the realm. Looked up again after the realm was invalidated.
    var managed: ManagedClass {
        if known.isStale { known = realm.requireClass(known.model.type) }
        return known
    }

    /// Returns the function that creates elements of `type` (dynamic objects or projections).
    /// Returns nil for all other types, whose elements are plain accessors.
    static func maker(of type: Any.Type) -> ResultsMaker? {
        if type == DynamicObject.self || type == Optional<DynamicObject>.self {
            return { managed, handle in DynamicObject.of(managed.realm, handle.link) }
        }
        guard let projection = type as? any AnyProjection.Type else { return nil }
        return { managed, handle in
            projection.projecting(managed.accessor(handle, as: ObjectBase.self)) as Any
        }
    }

    var count: Int { attempt { () throws(RealmError) in try results.count } }

    func index(of object: ObjectBase) -> Int? {
        guard let handle = object.handle, handle.objects.key == managed.objects.key else {
            return nil
        }
        return attempt { () throws(RealmError) in try results.index(of: handle.key) }
    }

    func element<Element>(_ position: Int) -> Element {
        attempt { () throws(RealmError) in
            let handle = try results.object(at: position)
            return made(handle.key, handle.place)
        }
    }

    /// Whether `managed` is the class of the elements now, and its realm has not been invalidated
    /// after the class was looked up.
    @inline(__always)
    func isNow(_ managed: Unmanaged<ManagedClass>) -> Bool {
        let known = Unmanaged.passUnretained(known)
        return known.toOpaque() == managed.toOpaque()
            && known._withUnsafeGuaranteedRef { !$0.isStale }
    }

    /// Whether an accessor that these results created can be rebound to another object. It must be
    /// live, and of the current class of the elements.
    @inline(__always)
    func mayReuse(_ object: ObjectBase) -> Bool {
        let known = Unmanaged.passUnretained(known)
        return known._withUnsafeGuaranteedRef {
            $0.isPlain && !$0.isStale && object.isOf($0)
        }
    }

    @inline(__always)
    func made<Element>(_ key: ObjectKey, _ place: ObjectLocation) -> Element {
        if maker == nil {
            // The results retain the class during the call, so no reference is counted.
            return Unmanaged.passUnretained(managed)._withUnsafeGuaranteedRef {
                $0.accessor(key, place, as: Element.self)
            }
        }
        return maker!(managed, ObjectHandle(managed.objects, key, place)) as! Element
    }

    private func other(
        _ body: (ObjectResults) throws(RealmError) -> ObjectResults
    ) -> ResultsSource {
        ResultsSource(managed, attempt { () throws(RealmError) in try body(results) }, maker)
    }

    func filtered(
        _ condition: (ManagedClass) throws(RealmError) -> RealmEngine.Query
    ) -> ResultsSource {
        let filtered = attemptCondition { () throws(RealmError) in
            try results.filtered(condition(managed))
        }
        return ResultsSource(managed, filtered, maker)
    }

    func index(_ condition: (ManagedClass) throws(RealmError) -> RealmEngine.Query) -> Int? {
        attemptCondition { () throws(RealmError) in
            try results.index(matching: condition(managed))
        }
    }

    func sorted(_ descriptors: [SortDescriptor]) -> ResultsSource {
        if descriptors.isEmpty { return self }
        for descriptor in descriptors { managed.checkKeyPath(descriptor.keyPath, "sort") }
        return other { (results) throws(RealmError) in
            try results.arranged(
                .sort(
                    descriptors.map {
                        QuerySortKey(
                            managed.model.operand($0.keyPath), isAscending: $0.ascending,
                            $0.collation)
                    }),
                aliases: managed.aliases)
        }
    }

    func distinct(_ keyPaths: [String]) -> ResultsSource {
        if keyPaths.isEmpty { return self }
        for keyPath in keyPaths { managed.checkKeyPath(keyPath, "distinct") }
        return other { (results) throws(RealmError) in
            try results.arranged(
                .distinct(keyPaths.map { QueryDistinctKey(managed.model.operand($0)) }),
                aliases: managed.aliases)
        }
    }

    func limited(_ count: Int) -> ResultsSource {
        other { (results) throws(RealmError) in try results.arranged(.limit(count)) }
    }

    // MARK: Freezing and thawing

    func frozen() -> ResultsSource {
        if realm.isFrozen { return self }
        let frozen = realm.freeze()
        let managed = frozen.requireClass(managed.model.type)
        return ResultsSource(
            managed, ObjectResults(managed.objects, results.definition), maker)
    }

    func thawed() -> ResultsSource? {
        if !realm.isFrozen { return self }
        let live = realm.thaw()
        let managed = live.requireClass(managed.model.type)
        return ResultsSource(
            managed, ObjectResults(managed.objects, results.definition), maker)
    }
}

extension ManagedClass {
    /// Traps if a key path does not end at a property, or if it ends at several values.
    ///
    /// A function such as `@count` reduces several values to one. The path may pass through
    /// `LinkingObjects`: the first linking object is used.
    func checkKeyPath(_ keyPath: String, _ what: String) {
        var model: ClassModel? = self.model
        var several: (owner: ClassModel, field: ClassModel.Field)?
        func check() {
            guard let (owner, field) = several else { return }
            throwRealmException(
                "Cannot \(what) on key path '\(keyPath)': property '\(owner.name).\(field.name)' is a "
                    + "collection.")
        }
        var isReduced = false
        for name in self.model.names(along: keyPath) {
            if name.hasPrefix("@") {
                (several, isReduced) = (nil, true)
                continue
            }
            guard let now = model, let field = now.field(named: name) else {
                throwRealmException(
                    "Cannot \(what) on key path '\(keyPath)': property '\(model?.name ?? "")\(model == nil ? "" : ".")\(name)' does not exist."
                )
            }
            if several?.field.isLinkingObjects != true { check() }
            several = field.shape.collection != nil && !isReduced ? (now, field) : nil
            model = field.shape.target.map { ClassModel.of($0) }
        }
        check()
    }
}
