/// Writes the nodes of an open transaction to the file before the commit, to free memory.
///
/// Writes only to space that no version uses. If the transaction does not commit, that space stays
/// free or is after the end of the newest version. The nodes are synced by the commit.
struct Spill {
    private let transaction: WriteTransaction
    private let known: FreeSpace?

    /// - Parameter known: free space after the transaction's previous spill; nil for the first
    ///   spill.
    init(_ transaction: WriteTransaction, _ known: FreeSpace?) {
        self.transaction = transaction
        self.known = known
    }

    struct Result {
        let names: Ref
        let tables: Ref
        let others: [Ref]
        let space: FreeSpace
    }

    func run(names: Ref, tables: Ref, others: [Ref]) throws(RealmError) -> Result {
        let (session, context) = (transaction.session, transaction.context)
        var space: FreeSpace
        if let known {
            space = known
            space.addUnused(context.takeSpilledExtents())
        } else {
            let reachable = try session.database.session!.purge()
            space = try session.freeSpace(of: transaction.base, context.space, reachable)
        }
        var order = NodeOrder(context.space, context.slab, fileSize: space.logicalSize)
        for ref in [names, tables] + others { try order.add(ref) }
        var writer = NodeWriter(order, free: space, page: Commit.page)
        let written = try writer.write()
        let rest = writer.finish()
        try session.store(writer.runs, logicalSize: rest.logicalSize)
        context.wroteAhead(
            writer.runs.map { Extent(start: $0.start, count: $0.end - $0.start) })
        return Result(
            names: written[0], tables: written[1], others: Array(written[2...]), space: rest)
    }
}
