extension Table {
    /// Returns the number of bytes of the table's nodes: columns, objects and indexes, including
    /// headers and padding. Visits all nodes. Throws `corrupt` if nodes are reachable too many
    /// times.
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
