/// Difference of two dictionaries, as keys in dictionary order. Free to cross threads.
package struct DictionaryChange: Sendable, Equatable {
    package private(set) var deletions: [String] = []
    package private(set) var insertions: [String] = []
    /// Keys in both dictionaries whose value was replaced, or whose value is an object that
    /// changed.
    package private(set) var modifications: [String] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
    }

    /// Makes the change of a dictionary whose entries were all deleted.
    init(removing entries: [ObservedContent.Entry]) { deletions = entries.map(\.key) }

    /// - Parameter isModified: returns whether an object changed. Called for entries that have the
    ///   same object in both dictionaries.
    init(
        from old: [ObservedContent.Entry], to new: [ObservedContent.Entry],
        _ isModified: (ObservedContent.Element) throws(RealmError) -> Bool
    ) throws(RealmError) {
        var before = Dictionary(
            old.map { ($0.key, $0.element) }, uniquingKeysWith: { first, _ in first })
        for entry in new {
            guard let known = before.removeValue(forKey: entry.key) else {
                insertions.append(entry.key)
                continue
            }
            let isOther = known != entry.element
            if try isOther ? true : isModified(entry.element) { modifications.append(entry.key) }
        }
        deletions = old.map(\.key).filter { before[$0] != nil }
    }
}
