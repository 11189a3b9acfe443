import Foundation
import RealmEngine

/// A column of a class that does not use `@Persisted`, for types that an Objective-C property could
/// not have: `let age = RealmProperty<Int?>()`.
public final class RealmProperty<Value: RealmPropertyType>: NSObject {
    private var local = Value._rlmNothing()
    private let place = HolderLocation()

    /// The value, which is stored in the realm once the object is managed. Setting it traps then
    /// outside of a write transaction.
    public var value: Value {
        get { place.read(Value._rlmNothing()) { Value._rlmFromStored($0) } ?? local }
        set { if !place.write(newValue._rlmStored) { local = newValue } }
    }

    public override var description: String { unwrapped(value).map { "\($0)" } ?? "nil" }
}

/// An optional number in a class that does not use `@Persisted`. New code uses `@Persisted`.
@available(*, deprecated, message: "Use @Persisted or RealmProperty")
public final class RealmOptional<Value: RealmOptionalType>: NSObject {
    private var local: Value?
    private let place = HolderLocation()

    /// Creates the column with a value for an unmanaged object.
    public init(_ value: Value? = nil) {
        local = value
        super.init()
    }

    /// The value, which is stored in the realm once the object is managed. Setting it traps then
    /// outside of a write transaction.
    public var value: Value? {
        get { read() ?? local }
        set { if !place.write(newValue._rlmStored) { local = newValue } }
    }

    private func read() -> Value?? {
        place.read(nil) { stored in Value?._rlmFromStored(stored) }
    }

    public override var description: String { value.map { "\($0)" } ?? "nil" }
}

/// Location of a holder's value once its object is managed.
private final class HolderLocation {
    /// An accessor of the same stored object: the accessor that has the holder may be released
    /// earlier.
    private var object: ObjectBase?
    /// The object that has the holder, while it records a key path.
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

    /// Notes that the key path visits this property.
    func note() { _ = recording?.note(property) }

    /// Reads the stored value; nil for an unmanaged object.
    func read<T>(_ nothing: @autoclosure () -> T, _ body: (_Stored) -> T) -> T? {
        if recording?.note(property) == true { return nothing() }
        guard let object else { return nil }
        return body(object.placed(Int(property)))
    }

    /// Writes the stored value; false for an unmanaged object.
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
