extension Table {
    /// Bytes of the nodes that belong to the table: its columns, objects and indexes, headers and
    /// padding included. Walks all of them. Throws `corrupt` for nodes that are reached again and
    /// again.
    package func byteSize() throws(RealmError) -> Int {
        let space = snapshot.walk
        space.resetBudget()
        var total = 0
        var pending = [info.top]
        while let ref = pending.popLast() {
            let node = try space.node(ref)
            total &+= node.byteSize
            guard node.hasRefs, node.widthType == 0 else { continue }
            for i in 0..<node.count {
                if let child = node.slot(i).child { pending.append(child) }
            }
        }
        return total
    }
}
