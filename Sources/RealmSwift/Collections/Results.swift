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
        guard let target = collection.target(Element.self) else {
            source = .values(ElementsSource(collection))
            return
        }
        source = .objects(
            ResultsSource(
                target,
                collection.read { (handle) throws(RealmError) in
                    try ObjectResults(target.objects, in: handle)
                }))
    }

    /// The realm.
    var home: RealmInstance {
        switch source {
        case .objects(let source): source.realm
        case .values(let source): source.collection.realm
        }
    }

    public var realm: Realm? { Realm(home) }
    /// Never: results of what is gone are empty.
    public var isInvalidated: Bool { false }
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
            return RLMIterator { members.next() }
        case .values(let source):
            return RLMIterator(
                (0..<source.count).map { Element._rlmFromStored(source.element($0)) })
        }
    }

    /// Nil when it is not among them.
    public func index(of object: Element) -> Int? {
        switch source {
        case .objects(let source): (object as? ObjectBase).flatMap { source.index(of: $0) }
        case .values(let source): source.index(of: object._rlmStored(_Storing(home)))
        }
    }

    // MARK: Others made of these

    /// Those that a condition holds for too, in the words of `NSPredicate`.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results {
        filter(format: predicateFormat, args)
    }

    func filter(format: String, _ args: [Any]) -> Results {
        guard case .objects(let source) = source else {
            throwRealmException("Only results of objects can be filtered.")
        }
        return Results(source.filtered(format, args))
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
        case .objects(let source): describe(self, as: "Results<\(source.managed.model.name)>")
        case .values: describe(self, as: "Results<\(Element.self)>")
        }
    }
}

/// Results of objects without their type.
@usableFromInline
final class ResultsSource: @unchecked Sendable {
    let realm: RealmInstance
    let managed: ManagedClass
    let results: ObjectResults

    init(_ managed: ManagedClass, _ results: ObjectResults) {
        realm = managed.realm
        self.managed = managed
        self.results = results
    }

    var count: Int { attempt { () throws(RealmError) in try results.count } }

    func index(of object: ObjectBase) -> Int? {
        guard let handle = object.handle, object.managed?.model === managed.model else {
            return nil
        }
        return attempt { () throws(RealmError) in try results.index(of: handle.key) }
    }

    func element<Element>(_ position: Int) -> Element {
        attempt { () throws(RealmError) in
            managed.accessor(try results.object(at: position), as: Element.self)
        }
    }

    /// Goes over them as they are now, whatever becomes of them; what was deleted meanwhile is left out.
    final class Members {
        private let source: ResultsSource
        private var cursor: ResultsCursor

        init(_ source: ResultsSource) {
            self.source = source
            cursor = attempt { () throws(RealmError) in try source.results.cursor() }
        }

        func next<Element>() -> Element? {
            attempt { () throws(RealmError) -> Element? in
                while let handle = try cursor.next() {
                    if try handle.exists {
                        return source.managed.accessor(handle, as: Element.self)
                    }
                }
                return nil
            }
        }
    }

    private func made(
        _ body: (ObjectResults) throws(RealmError) -> ObjectResults
    ) -> ResultsSource {
        ResultsSource(managed, attempt { () throws(RealmError) in try body(results) })
    }

    func filtered(_ format: String, _ args: [Any]) -> ResultsSource {
        made { (results) throws(RealmError) in
            let format = PredicateFormat(format, args, managed)
            return try results.filtered(
                RealmEngine.Query(
                    format.text, arguments: format.arguments, aliases: managed.aliases))
        }
    }

    func sorted(_ descriptors: [SortDescriptor]) -> ResultsSource {
        if descriptors.isEmpty { return self }
        for descriptor in descriptors { managed.checkKeyPath(descriptor.keyPath, "sort") }
        return made { (results) throws(RealmError) in
            try results.arranged(
                .sort(
                    descriptors.map { (path: Self.steps($0.keyPath), isAscending: $0.ascending) }),
                aliases: managed.aliases)
        }
    }

    func distinct(_ keyPaths: [String]) -> ResultsSource {
        if keyPaths.isEmpty { return self }
        for keyPath in keyPaths { managed.checkKeyPath(keyPath, "distinct") }
        return made { (results) throws(RealmError) in
            try results.arranged(
                .distinct(keyPaths.map { Self.steps($0) }), aliases: managed.aliases)
        }
    }

    private static func steps(_ keyPath: String) -> [QueryStep] {
        keyPath.split(separator: ".").map { .name(String($0)) }
    }

    // MARK: Elsewhere

    func frozen() -> ResultsSource {
        if realm.isFrozen { return self }
        let frozen = realm.freeze()
        let managed = frozen.requireClass(managed.model.type)
        return ResultsSource(
            managed, ObjectResults(managed.objects, results.definition))
    }

    func thawed() -> ResultsSource? {
        if !realm.isFrozen { return self }
        let live = realm.thaw()
        let managed = live.requireClass(managed.model.type)
        return ResultsSource(
            managed, ObjectResults(managed.objects, results.definition))
    }
}

extension ManagedClass {
    /// Names of the class for columns that have others.
    var aliases: KeyPathAliases {
        var aliases = KeyPathAliases()
        for field in model.fields where field.name != field.column {
            aliases.add(field.name, for: field.column, in: objects.key)
        }
        for field in model.fields where field.isLinkingObjects {
            guard let origin = field.shape.target, let property = field.originProperty else {
                continue
            }
            let other = ClassModel.of(origin)
            let column = other.field(named: property)?.column ?? property
            aliases.add(field.name, for: "@links.\(other.name).\(column)", in: objects.key)
        }
        return aliases
    }

    /// Traps for a path that leads nowhere.
    func checkKeyPath(_ keyPath: String, _ what: String) {
        var model: ClassModel? = self.model
        for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
            guard let now = model, let field = now.field(named: String(name)) else {
                throwRealmException(
                    "Cannot \(what) on key path '\(keyPath)': property '\(model?.name ?? "")\(model == nil ? "" : ".")\(name)' does not exist."
                )
            }
            model = field.shape.target.map { ClassModel.of($0) }
        }
    }
}
