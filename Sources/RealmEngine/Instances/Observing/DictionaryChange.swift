/// How a dictionary became another one, by keys in the order of the dictionary. Free to cross threads.
package struct DictionaryChange: Sendable, Equatable {
    package private(set) var deletions: [String] = []
    package private(set) var insertions: [String] = []
    /// Keys that stayed, whose value is another one or an object that changed.
    package private(set) var modifications: [String] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
    }

    /// All entries were deleted.
    init(removing entries: [ObservedContent.Entry]) { deletions = entries.map(\.key) }

    /// - Parameter isModified: whether a value that stayed changed all the same.
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
