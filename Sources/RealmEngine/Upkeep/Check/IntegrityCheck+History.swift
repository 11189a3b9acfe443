/// Checks the list of changesets (storage format 7.2; 9.1, point 16).
extension IntegrityCheck {
    private static let inRealm: UInt64 = 2

    func checkHistory(_ top: TopArray) {
        if top.historyType > 4 {
            found(.historyType, topRef, "a history of the unknown type \(top.historyType)")
        }
        if top.historyType == 0, top.historySchema != 0 || !top.history.isNone {
            found(.unusedValue, topRef, "a history without a type")
        }
        if top.historyType == Self.inRealm, top.historySchema > 1 {
            found(.historyType, topRef, "history schema \(top.historySchema) is unknown")
        }
        guard top.historyType == Self.inRealm, !top.history.isNone else { return }
        let element = ElementType(type: .binary, isNullable: true)
        let count = visitTree(top.history) { ref in
            guard let count = checkForm(ref, element) else { return nil }
            if level == .full { checkChangesets(ref, count) }
            return count
        }
        guard let count else { return }
        report.facts.historyEntries = count
        if count >= top.version {
            found(
                .historyCount, top.history,
                "\(count) changesets before version \(top.version)")
        }
    }

    @_optimize(size)
    private func checkChangesets(_ ref: Ref, _ count: Int) {
        _ = reading(ref) { () throws(RealmError) in
            let leaf = try BytesLeaf(binaries: space, ref)
            for i in 0..<count {
                guard let bytes = try leaf.value(i) else {
                    found(.historyNull, ref, "a changeset that is null")
                    continue
                }
                _ = reading(ref, .changeset) { () throws(RealmError) in
                    var parser = ChangeLogParser(bytes)
                    while try parser.next() != nil {}
                }
            }
        }
    }
}
