import Foundation
import RealmEngine

extension SectionedResults {
    /// The changes of the sections, as a sequence for `for await` on the realm's actor. The first
    /// change is `initial`. An addition to the SDK.
    ///
    /// ```swift
    /// for await change in realm.objects(Dog.self).sectioned(by: \.age).changes { print(change) }
    /// ```
    public var changes: RealmChanges<SectionedResultsChange<Self>> {
        RealmChanges(
            source.changes { change, _, _ in change.map { $0.update(self) } ?? .initial(self) })
    }
}

extension ResultsSection {
    /// The changes of the section, as a sequence for `for await` on the realm's actor. The first
    /// change is `initial`. An addition to the SDK.
    public var changes: RealmChanges<SectionedResultsChange<Self>> {
        RealmChanges(
            source.changes { change, before, now in
                guard let change else { return .initial(self) }
                let mine = change.of(before.section(of: key), now.section(of: key))
                return mine.isEmpty ? nil : mine.update(self)
            })
    }
}

extension SectionsSource {
    /// Creates a source of changes of sections. Changes that the consumer missed are merged into
    /// one change of the results, from which the change of the sections is computed.
    ///
    /// - Parameter make: converts a change to the element of the sequence, given the sections
    ///   before and after it. Receives nil at first, for the initial sections. Returns nil for a
    ///   change that is not reported.
    fileprivate func changes<Change>(
        _ make:
            @escaping (SectionsChange?, SectionsLayout<Key>, SectionsLayout<Key>) -> Change?
    ) -> ChangeSource<Change> {
        ChangeSource(results.owningRealm) { [self] wake, end in
            let state = SectionsBacklog<Key, Element>()
            let token = results.begin(nil, ended: end) { [self] change in
                state.add(change, layout, results.isOfValues ? Array(results) : nil)
                wake()
            }
            return ChangeSource.Observation(token: token) {
                state.take().flatMap {
                    $0.change?.isEmpty == true ? nil : make($0.change, $0.old, $0.new)
                }
            }
        }
    }
}

/// Changes of sections that a consumer has not yet received. Confined to the context of the
/// sections.
private final class SectionsBacklog<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    private struct State {
        let layout: SectionsLayout<Key>
        /// Elements of the results, if they are values such as numbers or texts; changes are then
        /// found by comparing the elements of two states. Nil if the elements of the results are
        /// objects.
        let elements: [Element]?
    }

    /// The sections that the consumer received last; nil before it has received any.
    private var received: State?
    private var newest: State?
    /// Merged changes of the results between `received` and `newest`.
    private var change: FlatChange?

    func add<C>(
        _ next: RealmCollectionChange<C>, _ layout: SectionsLayout<Key>, _ elements: [Element]?
    ) {
        newest = State(layout: layout, elements: elements)
        guard case .update(_, let deletions, let insertions, let modifications) = next,
            received != nil
        else { return }
        let flat = FlatChange(deletions, insertions, modifications)
        change = change.map { $0.followed(by: flat) } ?? flat
    }

    /// Returns the sections before and after the changes since the last call, and the change; nil
    /// if nothing changed. At the first call the change is nil, for the initial sections.
    func take() -> (change: SectionsChange?, old: SectionsLayout<Key>, new: SectionsLayout<Key>)? {
        guard let newest else { return nil }
        defer { (received, self.newest, change) = (newest, nil, nil) }
        guard let received else { return (nil, newest.layout, newest.layout) }
        let flat: FlatChange
        if let old = received.elements, let new = newest.elements {
            flat = FlatChange(from: old, to: new)
        } else {
            flat = change ?? FlatChange([], [], [])
        }
        return (
            SectionsChange(flat, from: received.layout, to: newest.layout), received.layout,
            newest.layout
        )
    }
}
