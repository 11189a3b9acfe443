import Foundation

/// A change of results as positions. Deletions and modifications are positions in the previous
/// results, insertions are positions in the current results.
struct FlatChange {
    let deletions: [Int]
    let insertions: [Int]
    let modifications: [Int]

    init(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) {
        (self.deletions, self.insertions, self.modifications) = (
            deletions, insertions, modifications
        )
    }

    /// Computes the deletions and insertions that convert `old` to `new`. Values have no
    /// modifications.
    init<Element: Hashable>(from old: [Element], to new: [Element]) {
        var (deletions, insertions): ([Int], [Int]) = ([], [])
        for step in new.difference(from: old) {
            switch step {
            case .remove(let offset, _, _): deletions.append(offset)
            case .insert(let offset, _, _): insertions.append(offset)
            }
        }
        self.init(deletions.sorted(), insertions.sorted(), [])
    }
}

/// Changes of sections and of their elements, as reported to an observer.
struct SectionsChange {
    private(set) var deletions: [IndexPath] = []
    private(set) var insertions: [IndexPath] = []
    private(set) var modifications: [IndexPath] = []
    private(set) var inserted = IndexSet()
    private(set) var deleted = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && inserted.isEmpty
            && deleted.isEmpty
    }

    private init() {}

    init<Key>(
        _ change: FlatChange, from old: SectionsLayout<Key>, to new: SectionsLayout<Key>
    ) {
        for (i, key) in old.keys.enumerated() where new.section(of: key) == nil {
            deleted.insert(i)
        }
        for (i, key) in new.keys.enumerated() where old.section(of: key) == nil {
            inserted.insert(i)
        }
        let (before, now) = (old.paths, new.paths)
        let (gone, came) = (Set(change.deletions), Set(change.insertions))
        let modified = Set(change.modifications)
        insertions = change.insertions.filter { $0 < now.count }.map { now[$0] }
        deletions = change.deletions.filter { $0 < before.count }.map { before[$0] }
        // Elements that were neither deleted nor inserted keep their order, so the first of them
        // before the change is the first of them after it, and so on.
        let stayed = before.indices.filter { !gone.contains($0) }
        let places = now.indices.filter { !came.contains($0) }
        for (from, to) in zip(stayed, places) {
            let hasKey = old.flat[from] == new.flat[to]
            if !modified.contains(from), hasKey { continue }
            if hasKey, before[from] == now[to] {
                modifications.append(now[to])
            } else {
                deletions.append(before[from])
                insertions.append(now[to])
            }
        }
        deletions = deletions.filter { !deleted.contains($0.section) }.sorted()
        insertions.sort()
        modifications.sort()
    }

    /// Returns the part of the change that concerns one section.
    ///
    /// - Parameter before: position in the previous sections; nil if the section did not exist.
    /// - Parameter now: position in the current sections; nil if the section does not exist any
    ///   more.
    func of(_ before: Int?, _ now: Int?) -> SectionsChange {
        var mine = SectionsChange()
        mine.deletions = deletions.filter { $0.section == before }
        mine.insertions = insertions.filter { $0.section == now }
        mine.modifications = modifications.filter { $0.section == now }
        if let before, deleted.contains(before) { mine.deleted = [before] }
        if let now, inserted.contains(now) { mine.inserted = [now] }
        return mine
    }

    func update<Collection>(_ collection: Collection) -> SectionedResultsChange<Collection> {
        .update(
            collection, deletions: deletions, insertions: insertions,
            modifications: modifications, sectionsToInsert: inserted, sectionsToDelete: deleted)
    }
}
