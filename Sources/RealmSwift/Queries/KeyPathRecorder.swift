import Foundation
import RealmEngine

/// Finds the properties that a key path reads (API specification 3.2). The key path is applied to
/// an object that records which of its properties are read. A property with a link returns another
/// object that records.
public final class _KeyPathRecording {
    fileprivate(set) var names: [String] = []

    fileprivate func note(_ name: String) { names.append(name) }
    func forget() { names = [] }

    /// Cache of the property names along key paths. Key paths are immutable, so any thread may read
    /// them.
    private struct Known: @unchecked Sendable {
        private var names: [AnyKeyPath: [String]] = [:]
        /// Recently used entries, indexed by the address of the key path, so that the key path need
        /// not be hashed. Each use of a key path literal in the program yields the same object.
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

    /// Returns the names of the properties along `keyPath`.
    static func names(for keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        if let names = known.withLock({ $0[keyPath] }) { return names }
        let recorder = _KeyPathRecording()
        let object = recorder.object(type)
        Self.end(object[keyPath: keyPath])
        let names = recorder.names
        known.withLock { $0[keyPath] = names }
        return names
    }

    /// Records the property with the value `value`, if `value` is a holder: an object such as
    /// `List` or `RealmProperty`. Called for the last property of a key path: a holder is recorded
    /// only when it is used, and the key path does not use it.
    static func end(_ value: Any?) { (value as? any RecordedHolder)?.note() }

    /// Returns an object that records which of its properties are read, as the element of a
    /// collection; nil if the elements are not objects.
    func element<T>(_ type: T.Type) -> T? {
        let known = (type as? any AnyOptional.Type)?.wrapped ?? type
        return (known as? ObjectBase.Type).flatMap { object($0) as? T }
    }

    /// Returns an object of class `type` that records which of its properties are read.
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

/// A property value that is an object ("holder"), such as `List` or `RealmProperty`. `note` records
/// that a key path reads the property with this value.
protocol RecordedHolder { func note() }

extension ObjectBase {
    fileprivate subscript(keyPath keyPath: AnyKeyPath) -> Any? {
        func open<T>(_ object: T) -> Any? { object[keyPath: keyPath] }
        return open(self)
    }
}

extension ObjectBase {
    /// Records that a key path reads the property with index `property`. Returns false if this
    /// object does not record key paths.
    func note(_ property: UInt16) -> Bool {
        guard let recorder else { return false }
        let field = Int(property - ManagedClass.firstRecorded)
        recorder.note(ClassModel.of(type(of: self)).fields[field].name)
        return true
    }
}

extension _Persistable {
    /// Records that the property with index `property` of `object` is read. Returns a value from
    /// which the rest of the key path can be read: for a link, an object that records its
    /// properties.
    @usableFromInline
    static func recorded(_ object: ObjectBase, _ property: UInt16) -> Self {
        guard object.note(property), let recorder = object.recorder else {
            return _rlmDefaultValue()
        }
        return _rlmRecorded(recorder)
    }
}

/// Returns the names of the properties along a key path, joined by dots: `owner.name`.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
    _KeyPathRecording.names(for: keyPath, of: T.self).joined(separator: ".")
}
