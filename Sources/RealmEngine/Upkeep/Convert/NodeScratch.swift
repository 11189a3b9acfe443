/// Where leaves are made that have other values than those of the original, or the same in another
/// order: in memory behind the file, one at a time, to be copied from there. Of one thread.
final class NodeScratch {
    private let memory: ReadContext
    private let part: MappingPart
    private let slab: Slab

    init(_ snapshot: Snapshot) throws(RealmError) {
        let mapping = snapshot.database.file.mapping
        guard let part = mapping.takePart() else {
            throw RealmError(
                .busy, code: "TooManyVersions", reason: "too-many-versions",
                "too many versions are converted at once")
        }
        self.part = part
        memory = snapshot.memory
        slab = Slab(mapping, part.range)
    }

    deinit { slab.detach() }

    /// A leaf of elements of a collection. It stays until the next is made.
    func leaf(_ values: ArraySlice<Value>, _ element: ElementType) throws(RealmError) -> Ref {
        let cells = LeafCells(LeafLayout(elements: element), capacity: values.count)
        let target = cells.target
        for (i, value) in values.enumerated() { target.store(value, at: i) }
        slab.attach(memory)
        let context = EditContext(space: memory.lookup, slab: slab, fanout: Fanout())
        return try LeafEncoder(context: context).encode(cells, count: values.count, isElement: true)
    }
}
