extension QueryPlan {
    /// How the query is run, for people: where candidates come from and what is done with them.
    public var explanation: String {
        var lines: [String] = []
        if let candidates {
            lines.append(
                "\(query.table.className): \(candidates.count) candidates from \(candidates.description), then tested"
            )
        } else {
            lines.append("\(query.table.className): every object is tested, leaf by leaf")
        }
        for descriptor in query.descriptors {
            switch descriptor {
            case .sort(let keys): lines.append("then sorted by \(keys.count) keys")
            case .distinct: lines.append("then the first of equal ones kept")
            case .limit(let count): lines.append("then at most \(count) kept")
            }
        }
        return lines.joined(separator: "; ")
    }
}
