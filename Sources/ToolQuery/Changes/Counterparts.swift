import RealmEngine

/// Objects of one class that are in two files, by their keys in the new one.
struct Counterparts {
    private struct Element {
        let new: ObjectKey
        let old: ObjectKey
    }

    /// Bytes of memory that an object takes.
    static let elementSize = MemoryLayout<Element>.stride

    private var elements: ContiguousArray<Element> = []
    private var next = 0

    var count: Int { elements.count }

    mutating func append(old: ObjectKey, new: ObjectKey) {
        elements.append(Element(new: new, old: old))
    }

    /// Puts the objects in the order in which `old` finds them. No object is added afterwards.
    @_optimize(speed)
    mutating func sort() { elements.sort { $0.new.raw < $1.new.raw } }

    /// Key in the old file of the object with key `new`; nil if it is only in the new file. Keys are looked up
    /// in ascending order.
    mutating func old(of new: ObjectKey) -> ObjectKey? {
        while next < elements.count, elements[next].new.raw < new.raw { next += 1 }
        guard next < elements.count, elements[next].new == new else { return nil }
        return elements[next].old
    }
}
