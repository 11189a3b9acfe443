import Dispatch
import Foundation
import RealmEngine

/// What happened to sections, or to one of them. Deletions are places before, insertions and
/// modifications places now; what went with its section is not listed.
@frozen public enum SectionedResultsChange<Collection> {
    case initial(Collection)
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// What can be observed as sections are.
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

    /// As collections are observed.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(any: keyPaths, $1) }
    }

    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(any: keyPaths, $1) }
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    public func observe(
        keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element.Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension RealmSectionedResult where Element: ObjectBase {
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

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
    /// `block` gets nil first, later what changed, and the sections before and now.
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
