import Foundation
import RealmEngine

/// Which properties a key path goes along (API specification 3.2): it is applied to an object that
/// writes down what it is asked for, and answers with objects that do the same.
public final class _KeyPathRecording {
    fileprivate(set) var names: [String] = []

    fileprivate func note(_ name: String) { names.append(name) }
    func forget() { names = [] }

    /// A cache of the properties along key paths. Key paths never change, so any thread may read them.
    private struct Known: @unchecked Sendable {
        private var names: [AnyKeyPath: [String]] = [:]
        /// Found by address, without a look at the path: one in the text of a program is one object.
        private var recent = [(keyPath: AnyKeyPath, names: [String])?](repeating: nil, count: 64)

        subscript(keyPath: AnyKeyPath) -> [String]? {
            mutating get {
                let place = Int(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque()) >> 4 & 63
                if let last = recent[place], last.keyPath === keyPath { return last.names }
                guard let found = names[keyPath] else { return nil }
                recent[place] = (keyPath, found)
                return found
            }
            set { names[keyPath] = newValue }
        }
    }

    private static let known = LockedValue(Known())

    /// The names of the properties along `keyPath`; of classes, not of files.
    static func names(for keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        if let names = known.withLock({ $0[keyPath] }) { return names }
        let recorder = _KeyPathRecording()
        let object = recorder.object(type)
        Self.end(object[keyPath: keyPath])
        let names = recorder.names
        known.withLock { $0[keyPath] = names }
        return names
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
    _KeyPathRecording.names(for: keyPath, of: T.self).joined(separator: ".")
}
