import Foundation
import Observation

/// An object whose properties are tracked by the Observation module when they are read. An addition
/// to the SDK.
///
/// ```swift
/// let dog = realm.object(ofType: Dog.self, forPrimaryKey: 7)!.tracked
/// withObservationTracking {
///     print(dog.name)
/// } onChange: {
///     print("the name has changed")
/// }
/// ```
///
/// A tracked object has the properties of its object. It is live, and belongs to the same context
/// as the object. Changes are reported in that context, after each commit of any thread or process
/// that changes a tracked property. `onChange` and `Observations` therefore find the new value.
/// Changes of a transaction that is cancelled are not reported.
///
/// A persisted property is tracked by its name. For a computed property, the persisted properties
/// that it reads are tracked; they are found by evaluating the computed property on an object with
/// default values. For a link, a change of the link is reported, but no change of the linked
/// object. For a collection, changes of its elements are reported, but not of their properties. The
/// deletion of the object is reported as a change of all properties.
///
/// Properties are tracked as long as the tracked object exists. A frozen object does not change. If
/// the object is unmanaged, only writes through the tracked object are reported.
@dynamicMemberLookup
public final class TrackedObject<Root: ObjectBase>: Observable {
    private typealias Report = (TrackedObject) -> Void

    /// The object itself. Reading its properties directly does not register them with the
    /// Observation module.
    public let object: Root
    private let registrar = ObservationRegistrar()
    private var observation: NotificationToken?
    /// For each property name, the key paths that depend on the property and have been read through
    /// this object, with functions that notify the Observation module of a change. The empty name
    /// is for key paths that depend on every property.
    private var reports: [String: [AnyKeyPath: Report]] = [:]

    fileprivate init(_ object: Root) {
        self.object = object
        guard object.isManaged, !object.isFrozen else { return }
        let token = object.begin(nil) { [weak self] (change: ObjectChange<Root>) in
            switch change {
            case .change(_, let properties): self?.report(properties.map(\.name) + [""])
            case .deleted: self?.reportAll()
            case .error: return
            }
        }
        observation = NotificationToken(token, keeping: object.keepAlive)
    }

    /// A property of the object. Reading it registers the property with the Observation module,
    /// which reports the next change.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Root, Value>) -> Value {
        track(keyPath)
        return object[keyPath: keyPath]
    }

    /// A property of the object. Reading it registers the property with the Observation module,
    /// which reports the next change. Traps if it is set outside of a write transaction.
    public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Root, Value>) -> Value {
        get {
            track(keyPath)
            return object[keyPath: keyPath]
        }
        set {
            object[keyPath: keyPath] = newValue
            if !object.isManaged { report(Self.names(keyPath) + [""]) }
        }
    }

    private static func names(_ keyPath: AnyKeyPath) -> [String] {
        _KeyPathRecording.names(for: keyPath, of: Root.self)
    }

    private func track<Value>(_ keyPath: KeyPath<Root, Value>) {
        let tracked = \TrackedObject.[dynamicMember: keyPath]
        registrar.access(self, keyPath: tracked)
        let names = Self.names(keyPath)
        for name in names.isEmpty ? [""] : names where reports[name]?[keyPath] == nil {
            reports[name, default: [:]][keyPath] = { me in
                me.registrar.withMutation(of: me, keyPath: tracked) {}
            }
        }
    }

    /// Notifies the Observation module of changes of the properties `names`. Reports each tracked
    /// key path that depends on one of these properties.
    private func report(_ names: [String]) {
        var changed: [AnyKeyPath: Report] = [:]
        for name in names { changed.merge(reports[name] ?? [:]) { first, _ in first } }
        for report in changed.values { report(self) }
    }

    private func reportAll() {
        observation = nil
        report(Array(reports.keys))
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// The object with properties that the Observation module tracks. Keep the result as long as
    /// changes are of interest. An addition to the SDK.
    ///
    /// Traps for a deleted object, on a plain thread, and after changes in an open write
    /// transaction.
    public var tracked: TrackedObject<Self> { TrackedObject(self) }
}
