import Foundation
import RealmEngine

/// A property of a class that does not use `@Persisted`: `let age = RealmProperty<Int?>()`. Needed
/// for optional types that Objective-C properties do not support, such as `Int?`.
public final class RealmProperty<Value: RealmPropertyType>: NSObject {
    private var local = Value._rlmNothing()
    private let place = HolderLocation()

    /// The value of the property. In a managed object it is stored in the realm, and setting it
    /// traps outside of a write transaction.
    public var value: Value {
        get { place.read(Value._rlmNothing()) { Value._rlmFromStored($0) } ?? local }
        set { if !place.write(newValue._rlmStored) { local = newValue } }
    }

    /// The value as text; `nil` without a value.
    public override var description: String { unwrapped(value).map { "\($0)" } ?? "nil" }
}

/// An optional number in a class that does not use `@Persisted`. Use `@Persisted` in new code.
@available(*, deprecated, message: "Use @Persisted or RealmProperty")
public final class RealmOptional<Value: RealmOptionalType>: NSObject {
    private var local: Value?
    private let place = HolderLocation()

    /// Creates the property of an unmanaged object with a value.
    public init(_ value: Value? = nil) {
        local = value
        super.init()
    }

    /// The value of the property. In a managed object it is stored in the realm, and setting it
    /// traps outside of a write transaction.
    public var value: Value? {
        get { read() ?? local }
        set { if !place.write(newValue._rlmStored) { local = newValue } }
    }

    private func read() -> Value?? {
        place.read(nil) { stored in Value?._rlmFromStored(stored) }
    }

    /// The value as text; `nil` without a value.
    public override var description: String { value.map { "\($0)" } ?? "nil" }
}

/// Refers to the stored value of a `RealmProperty` or `RealmOptional`, once the object with that
/// property is managed.
private final class HolderLocation {
    /// A second accessor of the stored object. The object that owns the `RealmProperty` is not
    /// used, because it may be released before the `RealmProperty`.
    private var object: ObjectBase?
    /// The object that owns the property, if it records which properties a key path reads
    /// (`_KeyPathRecording`); nil otherwise.
    private weak var recording: ObjectBase?
    private var property = UInt16.max

    func bind(_ property: UInt16, of object: ObjectBase) {
        self.property = property
        guard let managed = object.managed else {
            recording = object
            return
        }
        let twin = ObjectBase()
        managed.take(twin, object.key, object.position)
        self.object = twin
    }

    /// Records that a key path reads this property, if the object that owns the property records
    /// key paths (`_KeyPathRecording`).
    func note() { _ = recording?.note(property) }

    /// Returns the stored value, converted by `body`; nil for an unmanaged object. If the object
    /// records which properties a key path reads, records this property and returns `nothing`.
    func read<T>(_ nothing: @autoclosure () -> T, _ body: (_Stored) -> T) -> T? {
        if recording?.note(property) == true { return nothing() }
        guard let object else { return nil }
        return body(object.placed(Int(property)))
    }

    /// Sets the property of the stored object to the value that `body` returns. Returns false for
    /// an unmanaged object.
    func write(_ body: (_Storing) -> RealmEngine.Value) -> Bool {
        guard let object else { return false }
        object.store(Int(property), body)
        return true
    }

    func adopt(
        _ object: ObjectBase, _ property: UInt16, _ storing: _Storing,
        _ value: some _ObjcBridgeable
    ) {
        object.adopt(value, in: Int(property), storing)
        bind(property, of: object)
    }
}

// MARK: - Persisted properties

extension RealmProperty: RecordedHolder {
    func note() { place.note() }
}

@available(*, deprecated)
extension RealmOptional: RecordedHolder {
    func note() { place.note() }
}

extension RealmProperty: HolderValue {
    static var shape: _PropertyShape { Value._rlmShape }
    var content: Any? { plain(value) }

    func setContent(_ any: Any?) -> Bool {
        guard let fit = Converted<Value>.of(any) else { return false }
        value = fit
        return true
    }

    func update(_ any: Any?, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing) -> Bool
    {
        guard let fit = Converted<Value>.of(any) else { return false }
        ValueSlot.property(object, Int(property)).update(fit, storing)
        return true
    }

    func stored(_ storing: _Storing) -> RealmEngine.Value { local._rlmStored(storing) }

    func attach(_ property: UInt16, of object: ObjectBase) { place.bind(property, of: object) }

    func adopt(_ object: ObjectBase, _ property: UInt16, _ storing: _Storing) {
        place.adopt(object, property, storing, local)
    }
}

@available(*, deprecated)
extension RealmOptional: HolderValue {
    static var shape: _PropertyShape {
        var shape = (Value.self as? any _RealmSchemaDiscoverable.Type)?._rlmShape
        shape?.isOptional = true
        return shape ?? _PropertyShape(.any)
    }
    var content: Any? { value.flatMap { plain($0) } }

    func setContent(_ any: Any?) -> Bool {
        guard let fit = Converted<Value?>.of(any) else { return false }
        value = fit
        return true
    }

    func update(_ any: Any?, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing) -> Bool
    {
        guard let fit = Converted<Value?>.of(any) else { return false }
        ValueSlot.property(object, Int(property)).update(fit, storing)
        return true
    }

    func stored(_ storing: _Storing) -> RealmEngine.Value { local._rlmStored(storing) }

    func attach(_ property: UInt16, of object: ObjectBase) { place.bind(property, of: object) }

    func adopt(_ object: ObjectBase, _ property: UInt16, _ storing: _Storing) {
        place.adopt(object, property, storing, local)
    }
}
