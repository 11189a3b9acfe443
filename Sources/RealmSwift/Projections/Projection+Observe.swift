import Dispatch
import Foundation
import RealmEngine

extension ProjectionObservable {
    /// Calls `block` after each change of a property that the projection shows, and once when the
    /// object is deleted.
    ///
    /// Traps for an unmanaged, deleted or frozen object, on a read-only realm, if `queue` is nil
    /// and the realm belongs to a plain thread (no queue or actor), in a write transaction that has
    /// made changes, and for an unknown property.
    ///
    /// - Parameter keyPaths: names of the projection or of its object; nil for all properties of
    ///   the projection.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` after each change of the given properties, and once when the object is
    /// deleted. Traps under the same conditions as the overload whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let names = names(of: keyPaths)
        return RealmSwift.observe(self, on: queue, block) { $0.begin(names, $1) }
    }

    /// Calls `block` on an actor after each change of a property that the projection shows, and
    /// once when the object is deleted. The observation has begun when this function returns.
    ///
    /// Must be called on the thread, queue or actor of the object. Traps for an unmanaged, deleted
    /// or frozen object, on a read-only realm, and for an unknown property.
    ///
    /// - Parameter keyPaths: names of the projection or of its object; nil for all properties of
    ///   the projection.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the object has been deleted, the
    ///   token has no observation.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` on an actor after each change of the given properties, and once when the
    /// object is deleted. The observation has begun when this function returns. Traps under the
    /// same conditions as the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the object has been deleted, the
    ///   token has no observation.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let names = names(of: keyPaths)
        return await RealmSwift.observe(self, on: actor, block) { $0.begin(names, $1) }
    }

    /// Converts key paths of the projection to names of the object's properties.
    private func names(of keyPaths: [PartialKeyPath<Self>]) -> [String] {
        let recorder = _KeyPathRecording()
        let projection = Self(projecting: recorder.object(Root.self))
        return keyPaths.map { recorder.names(of: projection, $0) }
    }

    func begin(
        _ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> ObservationToken {
        guard let me = self as? any AnyProjection else {
            throwRealmException("Only projections can be observed so.")
        }
        let model = ProjectionModel.of(me)
        let paths = keyPaths.map { model.paths($0) } ?? model.fields.map(\.path)
        let wanted = Set(paths)
        let watch = ProjectionWatch(me, model.fields.filter { wanted.contains($0.path) })
        return rootObject.begin(paths) { (change: ObjectChange<Root>) in
            switch change {
            case .error(let error): block(.error(error))
            case .deleted: block(.deleted)
            case .change(_, let changes):
                let seen = watch.changes(changes)
                if !seen.isEmpty { block(.change(self, seen)) }
            }
        }
    }
}

/// The values that an observer of a projection received last. Confined to the context of the
/// projection.
private final class ProjectionWatch {
    private let projection: any AnyProjection
    private let fields: [ProjectionModel.Field]
    private var values: [Any]

    init(_ projection: any AnyProjection, _ fields: [ProjectionModel.Field]) {
        (self.projection, self.fields) = (projection, fields)
        values = fields.map { $0.value(projection) }
    }

    /// Converts changed properties of the object to the properties of the projection that show
    /// them.
    func changes(_ changes: [PropertyChange]) -> [PropertyChange] {
        let known = Dictionary(changes.map { ($0.name, $0) }) { first, _ in first }
        var result: [PropertyChange] = []
        for (i, field) in fields.enumerated() {
            guard let change = known[String(field.rootName)] else { continue }
            let (old, new) = (values[i], field.value(projection))
            values[i] = new
            let isCollection = new is any Sequence && !(new is any StringProtocol || new is Data)
            if !field.isDirect, !isCollection, Self.areEqual(old, new) { continue }
            // As for objects, there is no old value if the change was made through the observed
            // realm.
            let before = change.oldValue == nil && field.isDirect || isCollection ? nil : old
            result.append(
                PropertyChange(
                    name: field.name, oldValue: before.flatMap { unwrapped($0) },
                    newValue: unwrapped(new)))
        }
        return result
    }

    private static func areEqual(_ a: Any, _ b: Any) -> Bool {
        guard let a = unwrapped(a), let b = unwrapped(b) else {
            return unwrapped(a) == nil && unwrapped(b) == nil
        }
        guard let a = a as? AnyHashable, let b = b as? AnyHashable else { return false }
        return a == b
    }
}
