import Dispatch
import Foundation
import RealmEngine

/// A change of sections, or of the elements of one section, as observers receive it.
@frozen public enum SectionedResultsChange<Collection> {
    /// The first call, with the initial sections.
    case initial(Collection)
    /// A later call, with the changed sections. Deletions are positions in the previous sections.
    /// Insertions and modifications are positions in the changed sections. Elements that were
    /// deleted together with their section are not listed.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}
/// The SDK's other name of `SectionedResultsChange`.
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// Sectioned results or one of their sections, observed in the context of the realm.
protocol SectionsObserved: RealmSectionedResult {
    func begin(
        _ keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> ObservationToken
}

extension RealmSectionedResult {
    fileprivate func begin(
        any keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> ObservationToken {
        guard let me = self as? any SectionsObserved else {
            throwRealmException("Only sections of results can be observed so.")
        }
        func open<S: SectionsObserved>(_ sections: S) -> ObservationToken {
            sections.begin(keyPaths, block as! (SectionedResultsChange<S>) -> Void)
        }
        return open(me)
    }

    /// Calls `block` first with the initial sections, and then after each change.
    ///
    /// Traps for frozen sections, on a read-only realm, if `queue` is nil and the realm belongs to
    /// a plain thread (no queue or actor), in a write transaction that has made changes, and for an
    /// unknown property.
    ///
    /// - Parameter keyPaths: properties of the objects whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor. If the realm cannot be opened there, the error is logged, and `block` is not
    ///   called.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(any: keyPaths, $1) }
    }

    /// Calls `block` on an actor, first with the initial sections and then after each change. The
    /// observation has begun when this function returns.
    ///
    /// Must be called on the thread, queue or actor of the sections. Traps for frozen sections, on
    /// a read-only realm, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties of the objects whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled or the realm cannot be opened on the actor, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(any: keyPaths, $1) }
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    /// Calls `block` first with the initial sections, and then after each change. Modifications are
    /// reported only for the given properties. Traps under the same conditions as the overload
    /// whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `block` on an actor, first with the initial sections and then after each change.
    /// Modifications are reported only for the given properties. Traps under the same conditions as
    /// the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled or the realm cannot be opened on the actor, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element.Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension RealmSectionedResult where Element: ObjectBase {
    /// Calls `block` first with the initial section, and then after each change. Modifications are
    /// reported only for the given properties. Traps under the same conditions as the overload
    /// whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `block` on an actor, first with the initial section and then after each change.
    /// Modifications are reported only for the given properties. Traps under the same conditions as
    /// the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled or the realm cannot be opened on the actor, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension SectionedResults: SectionsObserved {
    func begin(
        _ keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> ObservationToken {
        source.begin(keyPaths) { change, _, _ in
            guard let change else { return block(.initial(self)) }
            if !change.isEmpty { block(change.update(self)) }
        }
    }
}

extension ResultsSection: SectionsObserved {
    func begin(
        _ keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> ObservationToken {
        source.begin(keyPaths) { change, before, now in
            guard let change else { return block(.initial(self)) }
            let mine = change.of(before.section(of: key), now.section(of: key))
            if !mine.isEmpty { block(mine.update(self)) }
        }
    }
}

extension SectionsSource {
    /// Begins an observation. `block` receives the change, and the sections before and after it.
    /// The change is nil at first, for the initial sections.
    func begin(
        _ keyPaths: [String]?,
        _ block: @escaping (SectionsChange?, SectionsLayout<Key>, SectionsLayout<Key>) -> Void
    ) -> ObservationToken {
        var before: (layout: SectionsLayout<Key>, elements: [Element])?
        return results.begin(keyPaths) { [self] change in
            let now = layout
            let elements = results.isOfValues ? Array(results) : []
            let old = before ?? (now, elements)
            before = (now, elements)
            switch change {
            case .initial: block(nil, now, now)
            case .update(_, let deletions, let insertions, let modifications):
                let flat =
                    results.isOfValues
                    ? FlatChange(from: old.elements, to: elements)
                    : FlatChange(deletions, insertions, modifications)
                block(SectionsChange(flat, from: old.layout, to: now), old.layout, now)
            case .error: return
            }
        }
    }
}
