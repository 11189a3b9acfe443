/// Binds the steps of a path from the first property that is not a link (query language 5.3 to
/// 5.5).
extension QueryBinder {
    func end(
        of info: ColumnInfo, _ column: BoundColumn, _ rest: ArraySlice<PathElement>,
        _ table: TableInfo
    ) throws(RealmError) -> PathEnd {
        switch info.collection {
        case nil: return try scalarEnd(info, column, rest, table)
        case .list, .set: return try listEnd(info, column, rest, table)
        case .dictionary: return try dictionaryEnd(info, column, rest, table)
        }
    }

    private func scalarEnd(
        _ info: ColumnInfo, _ column: BoundColumn, _ rest: ArraySlice<PathElement>,
        _ table: TableInfo
    ) throws(RealmError) -> PathEnd {
        guard let next = rest.first else { return .scalar(column) }
        guard info.type == .mixed else { throw nothingBelow(info, next, table) }
        return .nested(column, .all, nestedSteps(rest))
    }

    private func nothingBelow(
        _ info: ColumnInfo, _ next: PathElement, _ table: TableInfo
    ) -> RealmError {
        if case .name(let name, _) = next.kind {
            return invalid(
                "noSubProperty", next.range,
                "property \(table.className).\(info.name) has no property "
                    + "'\(name)'")
        }
        return invalid(
            "indexUnsupported", next.range,
            "property \(table.className).\(info.name) cannot be indexed that way")
    }

    private func listEnd(
        _ info: ColumnInfo, _ column: BoundColumn, _ rest: ArraySlice<PathElement>,
        _ table: TableInfo
    ) throws(RealmError) -> PathEnd {
        guard let next = rest.first else { return .collection(column, .all) }
        let more = rest.dropFirst()
        let selector: CollectionSelector
        switch next.kind {
        case .name(let name, _):
            let isLength = name.lowercased() == "length"
            let hasLength = info.type == .string || info.type == .binary || info.type == .mixed
            guard isLength, hasLength, more.isEmpty else { throw nothingBelow(info, next, table) }
            return .lengths(column)
        case .all: selector = .all
        case .at(let index):
            guard info.collection == .list else { throw nothingBelow(info, next, table) }
            selector = .at(index)
        }
        return try element(of: info, column, selector, more)
    }

    private func dictionaryEnd(
        _ info: ColumnInfo, _ column: BoundColumn, _ rest: ArraySlice<PathElement>,
        _ table: TableInfo
    ) throws(RealmError) -> PathEnd {
        guard let next = rest.first else { return .collection(column, .all) }
        let more = rest.dropFirst()
        switch next.kind {
        case .at: throw nothingBelow(info, next, table)
        case .all: return try element(of: info, column, .all, more)
        case .name(let name, _):
            if name == "@values" {
                return try element(of: info, column, .all, more)
            }
            if name == "@keys" {
                if let step = more.first { throw nothingBelow(info, step, table) }
                return .collection(column, .keys)
            }
            return try element(of: info, column, .key(pool.view(name)), more)
        }
    }

    /// Binds the end of a path at elements of a collection. Path steps after the elements, `more`,
    /// are allowed only if the elements are mixed values.
    private func element(
        of info: ColumnInfo, _ column: BoundColumn, _ selector: CollectionSelector,
        _ more: ArraySlice<PathElement>
    ) throws(RealmError) -> PathEnd {
        guard let next = more.first else { return .collection(column, selector) }
        guard info.type == .mixed else {
            throw invalid(
                "nestedPath", next.range,
                "only mixed properties hold collections of collections; \(info.name) is none")
        }
        return .nested(column, selector, nestedSteps(more))
    }

    private func nestedSteps(_ elements: ArraySlice<PathElement>) -> [NestedStep] {
        elements.map {
            switch $0.kind {
            case .at(let index): .at(index)
            case .all: .all
            case .name(let name, _): .name(pool.view(name), name)
            }
        }
    }
}
