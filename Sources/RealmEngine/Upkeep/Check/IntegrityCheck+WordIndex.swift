/// Checks full-text indexes and indexes on lists of strings (object format 5.6).
extension IntegrityCheck {
    func checkWordIndex(_ index: Int, _ info: CheckedColumn) {
        let checked = tables[index]
        let isList = info.layout.collection != nil
        var indexed = PairSum()
        let visitor = wordVisitor(isList) { indexed.add($0, $1) }
        let isComplete = visitIndex(info.indexRoot, visitor)
        var wanted = PairSum()
        silently { visitWords(checked, info) { wanted.add($0, $1) } }
        guard isComplete, indexed != wanted else { return }
        nameWords(checked, info, isList)
    }

    @_optimize(size)
    private func nameWords(_ checked: CheckedTable, _ info: CheckedColumn, _ isList: Bool) {
        nameDifference(
            info, isStale: isList, missing: "a word of this object is not in the index",
            extra: { _ in "an index entry too many for this object" },
            wanted: { visitWords(checked, info, $0) },
            indexed: { _ = visitIndex(info.indexRoot, wordVisitor(isList, $0)) })
    }

    /// Makes a visitor that calls `visit` with the hash of each word and the key of each of its
    /// objects.
    private func wordVisitor(
        _ isList: Bool, _ visit: @escaping (UInt64, UInt64) -> Void
    ) -> IndexVisitor {
        IndexVisitor(maximumOffset: SearchIndex.maximumWordOffset) { path, keys, list in
            var word = WordHash()
            for chunk in path { word.add(chunk) }
            for i in keys.indices {
                if i > 0, keys[i - 1] >= keys[i] {
                    self.found(
                        isList ? .indexStale : .indexListOrder, list,
                        "keys of a list that do not ascend")
                }
                visit(word.value, UInt64(bitPattern: keys[i]))
            }
        }
    }

    /// Hash of a word's four-byte chunks, without a last chunk that only marks the end of the word.
    /// The index stores that chunk only if a longer word begins with the same characters.
    private struct WordHash {
        private var hash: UInt64 = 0
        private var last: Int32?

        mutating func add(_ chunk: Int32) {
            if let last { hash = PairSum.hash(hash, UInt64(UInt32(bitPattern: last))) }
            last = chunk
        }

        var value: UInt64 {
            guard let last, last != IndexString.end || hash == 0 else { return hash }
            return PairSum.hash(hash, UInt64(UInt32(bitPattern: last)))
        }

        static func of(_ word: ByteView) -> UInt64 {
            let string = IndexString(word)
            var hash = WordHash()
            var offset = 0
            repeat {
                hash.add(string.chunk(at: offset))
                offset += 4
            } while offset < string.count
            return hash.value
        }
    }

    /// Calls `visit` with the hash of each distinct word of each object and the object's key.
    private func visitWords(
        _ checked: CheckedTable, _ info: CheckedColumn, _ visit: (UInt64, UInt64) -> Void
    ) {
        _ = visitClusters(checked.root) { leaf in
            _ = reading(leaf.ref) { () throws(RealmError) in
                let values = try leaf.column(info.key.leafIndex, info.layout)
                for row in 0..<leaf.count {
                    let key = UInt64(bitPattern: leaf.key(row).raw)
                    if case .list(let view) = try values.stored(row) {
                        var hashes: Set<UInt64> = []
                        var cursor = ElementCursor(space, view)
                        while let element = try cursor.nextStored() {
                            if case .string(let text) = element { hashes.insert(WordHash.of(text)) }
                        }
                        for hash in hashes { visit(hash, key) }
                    } else {
                        try WordSet(try values.stored(row)).visit { (word) throws(RealmError) in
                            visit(WordHash.of(word), key)
                        }
                    }
                }
            }
        }
    }
}
