import Foundation
import RealmEngine

/// What a property of linking objects is declared with.
public protocol LinkingObjectsProtocol {
    init(fromType: Any.Type, property: String)
    var originProperty: String { get }
}

/// The objects that link to an object by a property of theirs, once for each link.
@frozen
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection,
    LinkingObjectsProtocol
{
    public let originProperty: String
    /// Nil for an object that is in no realm.
    @usableFromInline let source: ResultsSource?
    /// At every place while a key path is looked at.
    private var recorded: Element?

    /// As a member of a class that does not use `@Persisted`.
    public init(fromType _: Element.Type, property propertyName: String) {
        self.init(propertyName, nil)
    }

    public init(fromType _: Any.Type, property: String) {
        originProperty = property
        source = nil
    }

    init(_ property: String, _ source: ResultsSource?) {
        originProperty = property
        self.source = source
    }

    private var stored: Results<Element>? { source.map { Results($0) } }

    public var realm: Realm? { stored?.realm }
    public var isInvalidated: Bool { stored?.isInvalidated ?? false }
    public var isFrozen: Bool { stored?.isFrozen ?? false }
    public var endIndex: Int { count }
    public var count: Int { stored?.count ?? 0 }
    public var first: Element? { stored?.first }
    public var last: Element? { stored?.last }

    public subscript(position: Int) -> Element {
        if let recorded { return recorded }
        guard let stored else {
            throwRealmException("Index \(position) is out of bounds (must be less than 0).")
        }
        return stored[position]
    }

    public func makeIterator() -> RLMIterator<Element> {
        stored?.makeIterator() ?? RLMIterator([])
    }

    public func index(of object: Element) -> Int? { stored?.index(of: object) }

    private var managed: Results<Element> {
        guard let stored else {
            throwRealmException(
                "Linking objects of an object that is in no Realm cannot be queried.")
        }
        return stored
    }

    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor { managed.sorted(by: sortDescriptors) }

    public func freeze() -> LinkingObjects { LinkingObjects(originProperty, source?.frozen()) }
    public func thaw() -> LinkingObjects? {
        source?.thawed().map { LinkingObjects(originProperty, $0) }
    }

    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        a.originProperty == b.originProperty && a.source === b.source
    }

    public var description: String {
        let name = "LinkingObjects<\(ObjectDescription.name(of: Element.self))>"
        return ObjectDescription.list(self, as: name, at: source)
    }
}

extension LinkingObjects: _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { .linkingObjects }
    public static var _rlmShape: _PropertyShape {
        _PropertyShape(.linkingObjects, target: Element.self)
    }
}

extension LinkingObjects: _HasPersistedType, _Persistable {
    public typealias PersistedType = LinkingObjects
    public static func _rlmDefaultValue() -> LinkingObjects {
        LinkingObjects("", nil)
    }
    public static func _rlmRecorded(_ recorder: _KeyPathRecording) -> LinkingObjects {
        var links = _rlmDefaultValue()
        links.recorded = recorder.element(Element.self)
        return links
    }
    public static func _rlmFromStored(_ stored: _Stored) -> LinkingObjects {
        mismatch(stored.value, self)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .null }

    public static func _rlmRead(_ object: ObjectBase, _ property: UInt16) -> LinkingObjects {
        let managed = object.managed!
        let field = managed.model.fields[Int(property - ManagedClass.firstField)]
        let name = field.originProperty ?? ""
        let origin = managed.realm.requireClass(Element.self)
        let column = origin.model.field(named: name)?.column ?? name
        guard let index = origin.objects.property(named: column) else {
            throwRealmException(
                "Property '\(origin.model.name).\(name)' declared as origin of linking objects property "
                    + "'\(managed.model.name).\(field.name)' does not exist")
        }
        return attempt { () throws(RealmError) in
            let results = try ObjectResults(
                origin.objects, linkingTo: object.handle!, by: index)
            return LinkingObjects(name, ResultsSource(origin, results))
        }
    }

    public static func _rlmWrite(_ object: ObjectBase, _ property: UInt16, _ value: LinkingObjects)
    {
        throwRealmException("Linking objects properties cannot be set.")
    }
}

extension LinkingObjects: HeldColumn {
    static var column: any ColumnWrapper.Type { HeldLinks<Element>.self }
}

@available(*, unavailable) extension LinkingObjects: Sendable {}
