/// Memory in which a conversion builds one leaf at a time, before the leaf is copied to the new
/// file. Its refs are offsets after the end of the mapped file. Needed if the new leaf has other
/// values than the leaf of the source, or the same values in another order. Confined to one thread.
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

    /// Builds a leaf of collection elements. The leaf is valid until the next call.
    func leaf(_ values: ArraySlice<Value>, _ element: ElementType) throws(RealmError) -> Ref {
        let cells = LeafCells(LeafLayout(elements: element), capacity: values.count)
        let target = cells.target
        for (i, value) in values.enumerated() { target.store(value, at: i) }
        slab.attach(memory)
        let context = EditContext(space: memory.lookup, slab: slab, fanout: Fanout())
        return try LeafEncoder(context: context).encode(cells, count: values.count, isElement: true)
    }
}
