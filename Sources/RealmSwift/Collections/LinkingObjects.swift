import Foundation
import RealmEngine

/// A `LinkingObjects` property without its generic parameter.
public protocol LinkingObjectsProtocol {
    /// Declares linking objects of class `fromType`, which link through their property `property`.
    init(fromType: Any.Type, property: String)
    /// Name of the property that links to the owner.
    var originProperty: String { get }
}

/// The objects of a class that link to an object through one of their properties. An object that
/// links several times, through a list, occurs once for each link.
///
/// The collection is read-only and always up to date. It is empty for an unmanaged object. It may
/// be used only on the thread, queue or actor of the owner's realm, unless it is frozen.
///
/// ```swift
/// final class Dog: Object {
///     @Persisted var name: String
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
///
/// final class Person: Object {
///     @Persisted var dogs: List<Dog>
/// }
/// ```
@frozen
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection,
    LinkingObjectsProtocol
{
    /// Name of the property through which the objects link to the owner.
    public let originProperty: String
    /// Results that contain the linking objects; nil for an unmanaged owner.
    @usableFromInline let source: ResultsSource?
    /// The element returned for every position while the properties that a key path reads are
    /// recorded; nil at other times.
    private var recorded: Element?

    /// Declares linking objects of class `Element`, which link through their property
    /// `propertyName`, in a class that does not use `@Persisted`.
    public init(fromType _: Element.Type, property propertyName: String) {
        self.init(propertyName, nil)
    }

    /// Declares linking objects of class `Element`, which link through their property `property`.
    public init(fromType _: Any.Type, property: String) {
        originProperty = property
        source = nil
    }

    init(_ property: String, _ source: ResultsSource?) {
        originProperty = property
        self.source = source
    }

    private var stored: Results<Element>? { source.map { Results($0) } }

    /// The realm of the owner; nil for an unmanaged owner.
    public var realm: Realm? { stored?.realm }
    /// Whether the realm was invalidated.
    public var isInvalidated: Bool { stored?.isInvalidated ?? false }
    /// Whether the owner belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { stored?.isFrozen ?? false }
    /// The number of links.
    public var endIndex: Int { count }
    /// The number of links.
    public var count: Int { stored?.count ?? 0 }
    /// The first object; nil if there is none.
    public var first: Element? { stored?.first }
    /// The last object; nil if there is none.
    public var last: Element? { stored?.last }

    /// The object at a position. Traps if it is out of bounds.
    public subscript(position: Int) -> Element {
        if let recorded { return recorded }
        guard let stored else {
            throwRealmException("Index \(position) is out of bounds (must be less than 0).")
        }
        return stored[position]
    }

    /// Returns an iterator over the current objects.
    public func makeIterator() -> RLMIterator<Element> {
        stored?.makeIterator() ?? RLMIterator([])
    }

    /// Returns the position of an object; nil if the object does not link to the owner.
    public func index(of object: Element) -> Int? { stored?.index(of: object) }

    private var managed: Results<Element> {
        guard let stored else {
            throwRealmException(
                "Linking objects of an object that is in no Realm cannot be queried.")
        }
        return stored
    }

    /// Returns the objects sorted by several properties; the first descriptor takes precedence.
    /// Traps for an unmanaged owner.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor { managed.sorted(by: sortDescriptors) }

    /// Returns a frozen copy, which any thread may read. The copy of an unmanaged owner's linking
    /// objects is empty.
    public func freeze() -> LinkingObjects { LinkingObjects(originProperty, source?.frozen()) }
    /// Returns the live version of these frozen linking objects, for the caller's thread, queue or
    /// actor. Live linking objects return themselves. Nil for an unmanaged owner.
    public func thaw() -> LinkingObjects? {
        source?.thawed().map { LinkingObjects(originProperty, $0) }
    }

    /// Whether both have the same property and were read from the same accessor of the owner.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        a.originProperty == b.originProperty && a.source === b.source
    }

    /// The linking objects as text, with up to 100 objects.
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

extension LinkingObjects: HolderColumn {
    static var column: any ColumnWrapper.Type { HolderLinks<Element>.self }
}

/// Collections are confined to the context of their realm: pass a `ThreadSafeReference` or a frozen
/// copy.
@available(*, unavailable) extension LinkingObjects: Sendable {}
