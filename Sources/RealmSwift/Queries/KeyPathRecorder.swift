import Foundation
import RealmEngine

/// Which properties a key path goes along (API specification 3.2): it is applied to an object that
/// writes down what it is asked for, and answers with objects that do the same.
public final class _KeyPathRecording {
    fileprivate(set) var names: [String] = []

    fileprivate func note(_ name: String) { names.append(name) }
    func forget() { names = [] }

    /// Key paths do not change, so that any thread may look at them.
    private struct Path: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private static let known = LockedValue<[Path: String]>([:])

    /// The names of the properties along `keyPath`, with dots between them; of classes, not of files.
    static func name(for keyPath: AnyKeyPath, of type: ObjectBase.Type) -> String {
        let path = Path(keyPath: keyPath)
        if let name = known.withLock({ $0[path] }) { return name }
        let recorder = _KeyPathRecording()
        let object = recorder.object(type)
        Self.end(object[keyPath: keyPath])
        let name = recorder.names.joined(separator: ".")
        known.withLock { $0[path] = name }
        return name
    }

    /// A key path that ends at a holder has not asked it for its value.
    static func end(_ value: Any?) { (value as? any RecordedHolder)?.note() }

    /// An element of a collection of objects, which writes down too; nil where elements are none.
    func element<T>(_ type: T.Type) -> T? {
        let known = (type as? any AnyOptional.Type)?.wrapped ?? type
        return (known as? ObjectBase.Type).flatMap { object($0) as? T }
    }

    /// An object that writes down.
    func object<T: ObjectBase>(_ type: T.Type) -> T {
        let object = type.init()
        object.recorder = self
        let base = Unmanaged.passUnretained(object).toOpaque()
        for (i, field) in ClassModel.of(type).fields.enumerated() {
            let property = ManagedClass.firstRecorded + UInt16(i)
            if field.isHolder {
                field.wrapper.attach(at: base + field.offset, object, property)
            } else {
                base.storeBytes(of: property, toByteOffset: field.bindingOffset, as: UInt16.self)
            }
        }
        return object
    }
}

/// A member that is an object of its own and can write down that it was met.
protocol RecordedHolder { func note() }

extension ObjectBase {
    fileprivate subscript(keyPath keyPath: AnyKeyPath) -> Any? {
        func open<T>(_ object: T) -> Any? { object[keyPath: keyPath] }
        return open(self)
    }
}

extension ObjectBase {
    /// Writes down that a property was asked for; false for an object that does not.
    func note(_ property: UInt16) -> Bool {
        guard let recorder else { return false }
        let field = Int(property - ManagedClass.firstRecorded)
        recorder.note(ClassModel.of(type(of: self)).fields[field].name)
        return true
    }
}

extension _Persistable {
    /// The property of an object that writes down what it is asked for.
    @usableFromInline
    static func recorded(_ object: ObjectBase, _ property: UInt16) -> Self {
        guard object.note(property), let recorder = object.recorder else {
            return _rlmDefaultValue()
        }
        return _rlmRecorded(recorder)
    }
}

/// The names of the properties a key path goes along, with dots between them.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    _KeyPathRecording.name(for: keyPath, of: T.self)
}
