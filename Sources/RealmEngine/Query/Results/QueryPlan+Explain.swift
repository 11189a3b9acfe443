extension QueryPlan {
    /// Describes the plan in words, one step per line: how candidates are found, the terms in the
    /// order in which they are tested, the method of each test, and the clauses applied to the
    /// matches.
    public func explanation(in snapshot: Snapshot) throws(RealmError) -> String {
        var lines: [String] = []
        let total = try snapshot.table(query.table).count()
        let name = query.table.className
        if let candidates {
            lines.append("index \(candidates.property): \(candidates.count) of \(total) objects")
            for condition in candidates.trueTerms(of: filter) {
                lines.append("  " + settledLine(condition))
            }
        } else {
            lines.append("scan \(name): \(total) objects, every leaf")
        }
        let builder = TermBuilder(QueryEvaluator(snapshot, maximumReads: 1), options)
        if candidates?.isFinal != true { describe(condition, depth: 1, builder, to: &lines) }
        for descriptor in RowArranger.merged(query.descriptors) {
            lines.append(describe(descriptor))
        }
        return lines.joined(separator: "\n")
    }

    private func describe(
        _ condition: BoundCondition, depth: Int, _ builder: TermBuilder, to lines: inout [String]
    ) {
        let pad = String(repeating: "  ", count: depth)
        func list(_ word: String, _ children: [BoundCondition]) {
            lines.append(pad + word)
            for child in children { describe(child, depth: depth + 1, builder, to: &lines) }
        }
        switch condition {
        case .and(let children): list("all of", children)
        case .or(let children): list("any of", children)
        case .not(let child): list("not", [child])
        case .constant(let value): lines.append(pad + (value ? "everything" : "nothing"))
        case .test(let test):
            lines.append(pad + line(test.range, builder.term(for: condition)))
        case .comparison(let comparison):
            let range = comparison.left.range.through(comparison.right.range)
            lines.append(pad + line(range, builder.term(for: condition)))
        case .fullText: lines.append(pad + "TEXT: words of each text")
        case .geoWithin: lines.append(pad + "GEOWITHIN: each point")
        }
    }

    /// Describes a term that is true for all candidates from the indexes and is not tested again.
    private func settledLine(_ condition: BoundCondition) -> String {
        if case .test(let test) = condition { return "\(query.source.quote(test.range)): by index" }
        return "TEXT: by index"
    }

    private func line(_ range: SourceRange, _ term: QueryTerm) -> String {
        "\(query.source.quote(range)): \(term.label)"
    }

    private func describe(_ descriptor: BoundDescriptor) -> String {
        switch descriptor {
        case .limit(let count): return "limit \(count)"
        case .distinct(let keys):
            let names = keys.map { $0.name + $0.collation.suffix }
            return "distinct " + names.joined(separator: ", ")
        case .sort(let keys):
            let names = keys.map {
                $0.name + $0.collation.suffix + ($0.isAscending ? " ascending" : " descending")
            }
            return "sort " + names.joined(separator: ", ")
        }
    }
}
