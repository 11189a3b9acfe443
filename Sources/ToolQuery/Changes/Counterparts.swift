import RealmEngine

/// Objects of one class that exist in both files, sorted by their object keys in the new file.
struct Counterparts {
    private struct Element {
        let new: ObjectKey
        let old: ObjectKey
    }

    /// Memory per object in bytes.
    static let elementSize = MemoryLayout<Element>.stride

    private var elements: ContiguousArray<Element> = []
    private var next = 0

    var count: Int { elements.count }

    mutating func append(old: ObjectKey, new: ObjectKey) {
        elements.append(Element(new: new, old: old))
    }

    /// Sorts the objects, as `old(of:)` requires. No object may be added afterwards.
    @_optimize(speed)
    mutating func sort() { elements.sort { $0.new.raw < $1.new.raw } }

    /// Returns the key in the old file of the object with key `new`; nil if the object is only in
    /// the new file. Must be called with ascending keys.
    mutating func old(of new: ObjectKey) -> ObjectKey? {
        while next < elements.count, elements[next].new.raw < new.raw { next += 1 }
        guard next < elements.count, elements[next].new == new else { return nil }
        return elements[next].old
    }
}
