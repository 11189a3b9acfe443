extension NodeView {
    /// Returns element `i` of a list of names. Names are stored as short strings that cannot be
    /// null; a null is read as an empty name.
    func name(_ i: Int, at ref: Ref) throws(RealmError) -> String {
        if width == 0 { return "" }
        let cell = payload + i * width
        let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
        if padding == width { return "" }
        guard padding < width else { throw .corrupt("a name longer than its cell", at: ref) }
        return ByteView(cell, count: width - 1 - padding).string
    }
}

extension NodeSpace {
    /// Opens the node at `ref`, which contains the names of the tables. It must have `count`
    /// elements, one per table. `tables` is the ref of the array of tables, for errors.
    func names(_ ref: Ref, count: Int, of tables: Ref) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard !node.hasRefs, node.widthType == 1 || node.count == 0 else {
            throw wrongShape(ref, "table names")
        }
        guard node.count == count, count < 1 << 16 else {
            throw .corrupt("\(node.count) table names for \(count) tables", at: tables)
        }
        return node
    }
}
