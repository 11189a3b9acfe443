/// Writes the nodes of an open transaction to the file before its commit.
///
/// Uses only space that no version uses. Without a commit, that space is still free, or beyond the
/// file's logical size. The syncs of the commit cover the nodes.
struct Spill {
    private let transaction: WriteTransaction
    private let known: FreeSpace?

    /// - Parameter known: free space after the last spill of the transaction; nil at the first one.
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
