import Foundation
import RealmEngine

/// Requirements of a projection: an object, and properties that are derived from it (API
/// specification 2.9).
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    /// Class of the projected object.
    associatedtype Root: ObjectBase
    /// The object that the projection shows.
    var rootObject: Root { get }
    /// Creates the projection of an object.
    init(projecting object: Root)
}

/// Base class of projections. A projection is a view of an object: it shows selected properties of
/// the object or of linked objects, under its own names.
///
/// ```swift
/// final class DogRow: Projection<Dog> {
///     @Projected(\Dog.name) var title
///     @Projected(\Dog.owner?.name) var ownerName
/// }
///
/// for row in realm.objects(DogRow.self) { print(row.title, row.ownerName ?? "") }
/// ```
///
/// Setting a property of a projection sets the property of the object. A projection may be used on
/// the same thread, queue or actor as its object.
open class Projection<Root: ObjectBase & RealmCollectionValue & ThreadConfined>: RealmFetchable,
    RealmCollectionValue, ProjectionObservable, ThreadConfined, KeypathSortable,
    CustomStringConvertible
{
    public typealias PersistedType = Root
    /// The object that the projection shows.
    public let rootObject: Root

    /// Creates the projection of an object. Traps if the key path of a property leads through a
    /// property that is not stored.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionModel.of(self)
    }

    /// Whether `a` and `b` have the same projection class and show the same stored object.
    public static func == (a: Projection, b: Projection) -> Bool {
        type(of: a) == type(of: b) && a.realm == b.realm && a.rootObject.isSame(as: b.rootObject)
    }

    /// Hashes the key of the stored object. For an unmanaged object, hashes its identity.
    public func hash(into hasher: inout Hasher) {
        if let handle = rootObject.handle {
            hasher.combine(handle.key)
        } else {
            hasher.combine(ObjectIdentifier(rootObject))
        }
    }

    /// The properties and their values as text.
    open var description: String {
        let lines = ProjectionModel.of(self).fields.map {
            "\t\($0.name)(\\.\($0.path)) = \($0.value(self));\n"
        }
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        return "\(type(of: self))<\(Root.className())> <0x\(address)> {\n\t\(lines.joined())}"
    }

    /// Name of the object's class in files.
    public static func className() -> String { Root.className() }
    public static func _rlmDefaultValue() -> Self { Self(projecting: Root()) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        Self(projecting: stored.object(Root.self))
    }
    public func _rlmStored(_ storing: _Storing) -> Value { rootObject._rlmStored(storing) }

    /// The realm of the object; nil for an unmanaged object.
    public var realm: Realm? { rootObject.realm }
    /// Whether the object was deleted or its realm was invalidated.
    public var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether the object belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { rootObject.isFrozen }
    /// Returns a projection of a frozen copy of the object. Traps for an unmanaged or deleted
    /// object.
    public func freeze() -> Self { Self(projecting: rootObject.freeze()) }
    /// Returns a projection of the live object, for the caller's thread, queue or actor; nil if the
    /// object was deleted. Traps for an unmanaged object.
    public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

extension Projection: AnyProjection {
    static var rootType: ObjectBase.Type { Root.self }
    var root: ObjectBase { rootObject }
    static func projecting(_ root: ObjectBase) -> Self {
        Self(projecting: unsafeDowncast(root, to: Root.self))
    }
}

/// Marks a property of a `Projection`. The property has the value at the end of a key path from the
/// object.
@propertyWrapper public struct Projected<T: ObjectBase, Value> {
    fileprivate let keyPath: KeyPath<T, Value>

    /// Declares a property by a key path from the object. The property can be set if the key path
    /// is writable.
    public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

    /// Not available: a property is accessed through its projection.
    @available(
        *, unavailable, message: "@Projected can only be used as a property on a Projection"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        // swiftlint:disable:next unused_setter_value
        set { fatalError() }
    }

    /// The value of the property of a projection. Setting it traps if the key path is not writable,
    /// and for a managed object outside of a write transaction.
    public static subscript<EnclosingSelf: Projection<T>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrapped: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storage: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storage].keyPath] }
        set {
            let keyPath = projection[keyPath: storage].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
                throwRealmException("KeyPath is not writable")
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// Operations on a property of a projection (`@Projected`), without its generic parameters. `place`
/// is the address of the property wrapper in the projection object.
protocol ProjectedField {
    static func path(at place: UnsafeMutableRawPointer) -> String
    static func value(at place: UnsafeMutableRawPointer, of root: ObjectBase) -> Any
}

extension Projected: ProjectedField {
    private static func wrapper(at place: UnsafeMutableRawPointer) -> Projected {
        place.assumingMemoryBound(to: Projected.self).pointee
    }

    static func path(at place: UnsafeMutableRawPointer) -> String {
        _name(for: wrapper(at: place).keyPath)
    }

    static func value(at place: UnsafeMutableRawPointer, of root: ObjectBase) -> Any {
        unsafeDowncast(root, to: T.self)[keyPath: wrapper(at: place).keyPath]
    }
}
