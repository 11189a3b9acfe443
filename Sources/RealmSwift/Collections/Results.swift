import Foundation
import RealmEngine

/// Objects of a class, or elements of a collection, that are found by conditions and put in order.
/// Looked for when they are asked for, and again when the realm shows something in which they may be
/// others.
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

    /// All elements of a collection. Traps for one that is in no realm, `name` being what messages
    /// call it.
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

    /// They are no objects, but the elements of one collection.
    var isOfValues: Bool {
        if case .values = source { return true }
        return false
    }

    /// The realm.
    var home: RealmInstance {
        switch source {
        case .objects(let source): source.realm
        case .values(let source): source.collection.realm
        }
    }

    public var realm: Realm? { Realm(home) }
    /// The realm let go of the version; they live again once they are read. Results of what was deleted
    /// are empty instead.
    public var isInvalidated: Bool {
        switch source {
        case .objects(let source): source.isStale
        case .values(let source): source.collection.isStale
        }
    }
    public var isFrozen: Bool { home.isFrozen }

    public var endIndex: Int { count }
    public var count: Int {
        switch source {
        case .objects(let source): source.count
        case .values(let source): source.count
        }
    }

    public subscript(position: Int) -> Element {
        switch source {
        case .objects(let source): source.element(position)
        case .values(let source): Element._rlmFromStored(source.element(position))
        }
    }

    public var first: Element? { isEmpty ? nil : self[0] }
    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

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

    /// Nil when it is not among them.
    public func index(of object: Element) -> Int? {
        switch source {
        case .objects(let source):
            ((object as? any AnyProjection)?.root ?? unwrapped(object) as? ObjectBase)
                .flatMap { source.index(of: $0) }
        case .values(let source): source.index(of: object._rlmStored(_Storing(home)))
        }
    }

    // MARK: Others made of these

    /// Those that a condition holds for too, in the words of `NSPredicate`.
    func filter(format: String, _ args: [Any]) -> Results {
        filtered { (managed) throws(RealmError) in
            try PredicateText(format, args, managed).query()
        }
    }

    /// Makes a condition for a class.
    typealias Condition = (ManagedClass) throws(RealmError) -> RealmEngine.Query

    func filtered(_ condition: Condition) -> Results { Results(objects.filtered(condition)) }

    /// The position of the first that a condition holds for.
    func index(_ condition: Condition) -> Int? { objects.index(condition) }

    private var objects: ResultsSource {
        guard case .objects(let source) = source else {
            throwRealmException(
                "Querying is currently only implemented for arrays of Realm Objects")
        }
        return source
    }

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results
    where S.Iterator.Element == SortDescriptor {
        switch source {
        case .objects(let source): Results(source.sorted(Array(sortDescriptors)))
        case .values(let source): Results(source.sorted(Array(sortDescriptors)))
        }
    }

    /// The first of each combination of values.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results
    where S.Iterator.Element == String {
        switch source {
        case .objects(let source): Results(source.distinct(Array(keyPaths)))
        case .values(let source): Results(source.distinct(Array(keyPaths)))
        }
    }

    // MARK: Elsewhere

    public func freeze() -> Results {
        switch source {
        case .objects(let source): Results(source.frozen())
        case .values(let source): source.frozen().map { Results($0) } ?? self
        }
    }

    public func thaw() -> Results? {
        switch source {
        case .objects(let source): source.thawed().map { Results($0) }
        case .values(let source): source.thawed().map { Results($0) }
        }
    }

    public static func == (a: Results, b: Results) -> Bool {
        switch (a.source, b.source) {
        case (.objects(let a), .objects(let b)): a === b || a.results === b.results
        case (.values(let a), .values(let b)): a === b
        default: false
        }
    }

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

    /// The primary keys of the objects, in their order: what can be taken elsewhere to find them there.
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

/// Makes an element of a stored object.
typealias ResultsMaker = (ManagedClass, ObjectHandle) -> Any

/// Results of objects without their type.
@usableFromInline
final class ResultsSource: @unchecked Sendable {
    let realm: RealmInstance
    private var known: ManagedClass
    let results: ObjectResults
    /// What the elements are made of stored objects by; nil for accessors of the class.
    let maker: ResultsMaker?

    init(_ managed: ManagedClass, _ results: ObjectResults, _ maker: ResultsMaker? = nil) {
        realm = managed.realm
        known = managed
        self.results = results
        self.maker = maker
    }

    /// The realm let go of a version, and nobody asked since.
    var isStale: Bool { known.isStale }

    /// The class, anew after the realm let go of a version.
    var managed: ManagedClass {
        if known.isStale { known = realm.requireClass(known.model.type) }
        return known
    }

    /// For elements that are no accessors of their class.
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

    /// Whether elements are of that class as things are.
    @inline(__always)
    func isNow(_ managed: Unmanaged<ManagedClass>) -> Bool {
        let known = Unmanaged.passUnretained(known)
        return known.toOpaque() == managed.toOpaque()
            && known._withUnsafeGuaranteedRef { !$0.isStale }
    }

    /// Whether `object`, an accessor made here, may be one of another object: it is live and of the
    /// class as it is now.
    @inline(__always)
    func mayReuse(_ object: ObjectBase) -> Bool {
        let known = Unmanaged.passUnretained(known)
        return known._withUnsafeGuaranteedRef {
            $0.isPlain && !$0.isStale && object.isOf($0)
        }
    }

    @inline(__always)
    func made<Element>(_ key: ObjectKey, _ place: ObjectPlace) -> Element {
        if maker == nil {
            // These keep the class: no local name for it has to.
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
                            managed.model.operand($0.keyPath), isAscending: $0.ascending)
                    }),
                aliases: managed.aliases)
        }
    }

    func distinct(_ keyPaths: [String]) -> ResultsSource {
        if keyPaths.isEmpty { return self }
        for keyPath in keyPaths { managed.checkKeyPath(keyPath, "distinct") }
        return other { (results) throws(RealmError) in
            try results.arranged(
                .distinct(keyPaths.map { managed.model.operand($0) }), aliases: managed.aliases)
        }
    }

    // MARK: Elsewhere

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
    /// Traps for a path that leads nowhere, or to several values. A function such as `@count` makes one
    /// of several, and of several objects that link to one the first counts.
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
