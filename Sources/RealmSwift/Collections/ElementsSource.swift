import RealmEngine

/// Results over the values of a list, set or map. Has no generic parameter for the type of the
/// values.
@usableFromInline
final class ElementsSource: @unchecked Sendable {
    let collection: ManagedCollection
    private let results: ElementResults

    convenience init(_ collection: ManagedCollection, _ steps: [ElementResults.Step] = []) {
        self.init(
            collection,
            collection.read { (handle) throws(RealmError) in try ElementResults(handle, steps) })
    }

    var steps: [ElementResults.Step] { results.steps }

    /// Whether a position in the results is also a position in their list or set: the results are
    /// not sorted, and no duplicates are removed.
    var hasCollectionsPositions: Bool {
        let handle = collection.handle
        let kind = handle.owner.objects.properties[handle.property].collection
        return steps.isEmpty && kind != .dictionary
    }

    private init(_ collection: ManagedCollection, _ results: ElementResults) {
        (self.collection, self.results) = (collection, results)
    }

    var count: Int { attempt { () throws(RealmError) in try results.count } }

    func element(_ position: Int) -> _Stored {
        _Stored(
            value: attempt { () throws(RealmError) in try results.element(at: position) },
            realm: collection.realm)
    }

    func index(of value: Value) -> Int? {
        attempt { () throws(RealmError) in try results.index(of: value) }
    }

    func aggregate(_ function: AggregateFunction) -> Value {
        attempt { () throws(RealmError) in try results.aggregate(function) }
    }

    private func arranged(_ step: ElementResults.Step) -> ElementsSource {
        ElementsSource(
            collection, attempt { () throws(RealmError) in try results.arranged(step) })
    }

    func sorted(_ descriptors: [SortDescriptor]) -> ElementsSource {
        guard let first = descriptors.first else { return self }
        for descriptor in descriptors where descriptor.keyPath != "self" {
            throwRealmException(
                "Cannot sort on key path '\(descriptor.keyPath)': arrays of values can only be sorted on 'self'"
            )
        }
        return arranged(.sort(isAscending: first.ascending, first.collation))
    }

    func distinct(_ keyPaths: [String]) -> ElementsSource {
        for keyPath in keyPaths where keyPath != "self" {
            throwRealmException(
                "Cannot distinct on key path '\(keyPath)': arrays of values can only be distinct on 'self'"
            )
        }
        return arranged(.distinct)
    }

    // MARK: Freezing and thawing

    private func moved(to realm: RealmInstance) -> ElementsSource? {
        collection.moved(to: realm).map(at)
    }

    private func at(_ collection: ManagedCollection) -> ElementsSource {
        ElementsSource(
            collection,
            collection.read { (handle) throws(RealmError) in
                try ElementResults(handle, results.steps)
            })
    }

    /// Returns the same elements in the frozen version of the realm. Traps if the owner of the
    /// collection was deleted, or created in the open write transaction.
    func frozen() -> ElementsSource {
        collection.realm.isFrozen ? self : at(collection.frozen())
    }

    func thawed() -> ElementsSource? {
        collection.realm.isFrozen ? moved(to: collection.realm.thaw()) : self
    }
}
