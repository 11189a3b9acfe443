/// Compares values of two versions. Collections are compared by their elements.
struct ValueComparison {
    private let old: Snapshot
    private let new: Snapshot

    init(_ old: Snapshot, _ new: Snapshot) {
        self.old = old
        self.new = new
    }

    /// Whether type and bits are equal; links are compared by their target.
    func areSame(_ a: Value, _ b: Value) throws(RealmError) -> Bool {
        switch (a, b) {
        case (.list(let x), .list(let y)), (.set(let x), .set(let y)):
            if x.root == y.root { return true }
            return try haveSameElements(x, y)
        case (.dictionary(let x), .dictionary(let y)):
            if x.root == y.root { return true }
            return try haveSameEntries(x, y)
        default: return a.isIdentical(to: b)
        }
    }

    private func haveSameElements(
        _ a: CollectionView, _ b: CollectionView
    ) throws(RealmError) -> Bool {
        guard try isPlausible(a, b) else { return false }
        var x = old.elements(of: a, walking: true)
        var y = new.elements(of: b, walking: true)
        while let element = try x.next() {
            guard let other = try y.next(), try areSame(element, other) else { return false }
        }
        return try y.next() == nil
    }

    /// Compares the stored element counts as a quick test. Skipped for links, because the counts do
    /// not include unresolved links.
    private func isPlausible(_ a: CollectionView, _ b: CollectionView) throws(RealmError) -> Bool {
        if a.element.type == .link { return true }
        return try old.count(of: .list(a)) == new.count(of: .list(b))
    }

    private func haveSameEntries(
        _ a: CollectionView, _ b: CollectionView
    ) throws(RealmError) -> Bool {
        var x = try old.entries(of: a, walking: true)
        var y = try new.entries(of: b, walking: true)
        while let (key, value) = try x.next() {
            guard let other = try y.next(), key.isIdentical(to: other.key),
                try areSame(value, other.value)
            else { return false }
        }
        return try y.next() == nil
    }
}
