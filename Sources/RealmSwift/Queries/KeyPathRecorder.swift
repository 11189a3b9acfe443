import Foundation
import RealmEngine

/// Finds the properties that a key path visits (API specification 3.2). The key path is applied to
/// an object that records each property read and returns objects that record, too.
public final class _KeyPathRecording {
    fileprivate(set) var names: [String] = []

    fileprivate func note(_ name: String) { names.append(name) }
    func forget() { names = [] }

    /// A cache of the properties along key paths. Key paths never change, so any thread may read
    /// them.
    private struct Known: @unchecked Sendable {
        private var names: [AnyKeyPath: [String]] = [:]
        /// Entries by address, found without hashing the path: a key path literal of the program is
        /// one object.
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

    /// Returns the properties along `keyPath`, by their names in the classes.
    static func names(for keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        if let names = known.withLock({ $0[keyPath] }) { return names }
        let recorder = _KeyPathRecording()
        let object = recorder.object(type)
        Self.end(object[keyPath: keyPath])
        let names = recorder.names
        known.withLock { $0[keyPath] = names }
        return names
    }

    /// Notes a holder at the end of a key path, whose value the key path does not read.
    static func end(_ value: Any?) { (value as? any RecordedHolder)?.note() }

    /// Returns an element of a collection of objects that records, too; nil if the elements are not
    /// objects.
    func element<T>(_ type: T.Type) -> T? {
        let known = (type as? any AnyOptional.Type)?.wrapped ?? type
        return (known as? ObjectBase.Type).flatMap { object($0) as? T }
    }

    /// Returns an object that records.
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

/// A column that is an object of its own and can note that a key path visits it.
protocol RecordedHolder { func note() }

extension ObjectBase {
    fileprivate subscript(keyPath keyPath: AnyKeyPath) -> Any? {
        func open<T>(_ object: T) -> Any? { object[keyPath: keyPath] }
        return open(self)
    }
}

extension ObjectBase {
    /// Notes that a property was read; false for an object that does not record.
    func note(_ property: UInt16) -> Bool {
        guard let recorder else { return false }
        let field = Int(property - ManagedClass.firstRecorded)
        recorder.note(ClassModel.of(type(of: self)).fields[field].name)
        return true
    }
}

extension _Persistable {
    /// Value of a property of an object that records.
    @usableFromInline
    static func recorded(_ object: ObjectBase, _ property: UInt16) -> Self {
        guard object.note(property), let recorder = object.recorder else {
            return _rlmDefaultValue()
        }
        return _rlmRecorded(recorder)
    }
}

/// Returns the names of the properties along a key path, with dots between them: `owner.name`.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    _KeyPathRecording.names(for: keyPath, of: T.self).joined(separator: ".")
}
