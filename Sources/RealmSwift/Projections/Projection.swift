import Foundation
import RealmEngine

/// What a projection is: some of the properties of an object, under names of their own (API specification
/// 2.9).
public protocol ProjectionObservable: AnyObject, ThreadConfined {
    associatedtype Root: ObjectBase
    var rootObject: Root { get }
    init(projecting object: Root)
}

/// An object seen through properties that are marked with `@Projected`. Subclass it.
open class Projection<Root: ObjectBase & RealmCollectionValue & ThreadConfined>: RealmFetchable,
    RealmCollectionValue, ProjectionObservable, ThreadConfined, KeypathSortable,
    CustomStringConvertible
{
    public typealias PersistedType = Root
    public let rootObject: Root

    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionModel.of(self)
    }

    public static func == (a: Projection, b: Projection) -> Bool {
        type(of: a) == type(of: b) && a.realm == b.realm && a.rootObject.isSame(as: b.rootObject)
    }

    public func hash(into hasher: inout Hasher) {
        if let handle = rootObject.handle {
            hasher.combine(handle.key)
        } else {
            hasher.combine(ObjectIdentifier(rootObject))
        }
    }

    open var description: String {
        let lines = ProjectionModel.of(self).fields.map {
            "\t\($0.name)(\\.\($0.path)) = \($0.value(self));\n"
        }
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        return "\(type(of: self))<\(Root.className())> <0x\(address)> {\n\t\(lines.joined())}"
    }

    public static func className() -> String { Root.className() }
    public static func _rlmDefaultValue() -> Self { Self(projecting: Root()) }
    public static func _rlmFromStored(_ stored: _Stored) -> Self {
        Self(projecting: stored.object(Root.self))
    }
    public func _rlmStored(_ storing: _Storing) -> Value { rootObject._rlmStored(storing) }

    public var realm: Realm? { rootObject.realm }
    public var isInvalidated: Bool { rootObject.isInvalidated }
    public var isFrozen: Bool { rootObject.isFrozen }
    public func freeze() -> Self { Self(projecting: rootObject.freeze()) }
    public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

extension Projection: AnyProjection {
    static var rootType: ObjectBase.Type { Root.self }
    var root: ObjectBase { rootObject }
    static func projecting(_ root: ObjectBase) -> Self {
        Self(projecting: unsafeDowncast(root, to: Root.self))
    }
}

/// Marks a property of a projection: what a key path from the object leads to.
@propertyWrapper public struct Projected<T: ObjectBase, Value> {
    fileprivate let keyPath: KeyPath<T, Value>

    public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

    @available(
        *, unavailable, message: "@Projected can only be used as a property on a Projection"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        // swiftlint:disable:next unused_setter_value
        set { fatalError() }
    }

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

/// A projected property without its type; `place` is where the wrapper lies in a projection.
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
