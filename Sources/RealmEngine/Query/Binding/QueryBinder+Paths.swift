/// An element of a path whose syntax and arguments are resolved: `['a']` is a name, and `[$0]` a
/// name or an index.
struct PathElement {
    enum Kind {
        /// A name. `isKey` is true if it was written in brackets, as in `['a']`.
        case name(String, isKey: Bool)
        case at(ListIndex)
        case all
    }

    let kind: Kind
    let range: SourceRange
    /// Whether the name is a property's name even if it begins with `@`, as in a quoted `@links`.
    var isQuoted = false
    /// Whether the element comes from a text that was split at its dots. A dot may also be part of
    /// a property's name, so the binder may join such elements again.
    var isSplit = false
}

extension QueryBinder {
    /// Resolves a path from the current class (query language 5).
    func resolve(_ path: QueryPath) throws(RealmError) -> ResolvedPath {
        if let own = ownProperty(path) { return own }
        return try resolve(elements(of: path)[...], from: table)
    }

    /// Resolves the most common path: one property of the queried class that is neither a link nor
    /// a collection. Nil for other paths.
    private func ownProperty(_ path: QueryPath) -> ResolvedPath? {
        guard path.rest.isEmpty, case .name(let name) = path.first.kind,
            aliases.path(for: name, in: table.key) == nil,
            let index = table.columnIndex(named: name), let column = table.ownValue(index)
        else { return nil }
        return ResolvedPath(table: table, end: .scalar(column))
    }

    /// Returns the elements of a path, with arguments replaced by their values.
    func elements(of path: QueryPath) throws(RealmError) -> [PathElement] {
        var elements: [PathElement] = []
        for step in path.steps {
            switch step.kind {
            case .name(let name):
                elements.append(
                    PathElement(
                        kind: .name(name, isKey: false), range: step.range,
                        isQuoted: step.isQuoted))
            case .argument(let number):
                guard path.rest.isEmpty else {
                    throw invalid(
                        "keyPathArgument", step.range,
                        "$K\(number) must be the whole path, without further steps")
                }
                return try pathArgument(number, step.range)
            case .index(let index):
                elements.append(
                    PathElement(kind: try elementKind(index, step.range), range: step.range))
            }
        }
        return elements
    }

    private func pathArgument(
        _ number: Int, _ range: SourceRange
    ) throws(RealmError) -> [PathElement] {
        switch try argument(number, range) {
        case .string(let text), .text(let text): return Self.split(text, range)
        default:
            throw invalid(
                "keyPathArgument", range, "argument $K\(number) is not the text of a path")
        }
    }

    /// Splits a text at its dots. Returns a path element for each part.
    static func split(_ text: String, _ range: SourceRange) -> [PathElement] {
        text.split(separator: ".", omittingEmptySubsequences: false).map {
            PathElement(kind: .name(String($0), isKey: false), range: range, isSplit: true)
        }
    }

    /// Joins elements of a text that was split at its dots, if the property name itself contains
    /// dots. With a property `a.b` of `table`, the elements `a`, `b`, `c` become `a.b`, `c`. The
    /// longest name that is a property is used.
    private func joined(
        _ elements: ArraySlice<PathElement>, in table: TableInfo
    ) -> ArraySlice<PathElement> {
        guard elements.first?.isSplit == true else { return elements }
        var name = ""
        var longest: (name: String, count: Int)?
        for (i, element) in elements.enumerated() {
            guard element.isSplit, case .name(let part, _) = element.kind else { break }
            name += i == 0 ? part : "." + part
            // Without a dot, a name is found as a property later. Check it here only if it begins
            // with `@`, because such a property takes precedence over an operator of that name.
            guard i > 0 || name.hasPrefix("@") else { continue }
            if table.columnIndex(named: name) != nil { longest = (name, i + 1) }
        }
        guard let longest, let first = elements.first else { return elements }
        let whole = PathElement(
            kind: .name(longest.name, isKey: false), range: first.range, isQuoted: true)
        return [whole] + elements.dropFirst(longest.count)
    }

    private func elementKind(
        _ index: QueryStep.Index, _ range: SourceRange
    ) throws(RealmError) -> PathElement.Kind {
        switch index {
        case .at(let n): return .at(.at(n))
        case .first: return .at(.first)
        case .last: return .at(.last)
        case .all: return .all
        case .key(let key): return .name(key, isKey: true)
        case .argument(let number):
            switch try argument(number, range) {
            case .int(let n): return .at(.at(n))
            case .string(let key): return .name(key, isKey: true)
            default:
                throw invalid(
                    "indexArgument", range,
                    "argument $\(number) used as an index must be an integer or a string")
            }
        }
    }

    private func resolve(
        _ elements: ArraySlice<PathElement>, from start: TableInfo
    ) throws(RealmError) -> ResolvedPath {
        var path = ResolvedPath(table: start)
        var rest = elements
        var budget = KeyPathAliases.limit
        while !rest.isEmpty {
            rest = joined(rest, in: path.table)
            guard let element = rest.first else { break }
            guard path.hops.count + rest.count <= QueryLimits.steps else {
                throw source.exceeded(
                    "this path has too many steps", QueryLimits.steps, at: element.range)
            }
            guard case .name(let name, let isKey) = element.kind else {
                try select(element, of: &path)
                rest = rest.dropFirst()
                continue
            }
            if !isKey, let other = aliases.path(for: name, in: path.table.key) {
                budget -= 1
                guard budget >= 0 else {
                    throw invalid(
                        "unknownProperty", element.range,
                        "the alias '\(name)' leads in a circle")
                }
                let names = other.isEmpty ? [] : Self.split(other, element.range)
                rest = (names + rest.dropFirst())[...]
                continue
            }
            if name == "@links", !isKey, !element.isQuoted {
                if rest.count == 1 {
                    path.end = .incoming
                    return path
                }
                try followBacklink(&rest, &path)
                continue
            }
            if let index = column(name, isKey: isKey, path) {
                let info = path.table.columns[index]
                rest = rest.dropFirst()
                guard info.type == .link else {
                    path.end = try end(of: info, BoundColumn(info), rest, path.table)
                    return path
                }
                try follow(info, element.range, &path)
                continue
            }
            try selectEntry(name, element, &path)
            rest = rest.dropFirst()
        }
        return path
    }

    /// Returns the index of the property called `name` in the class at the end of the path. Nil if
    /// there is none, or if `name` is in brackets after a dictionary and thus a dictionary key.
    private func column(_ name: String, isKey: Bool, _ path: ResolvedPath) -> Int? {
        if isKey, let hop = path.hops.last, hop.kind == .dictionary, hop.selector.isAll {
            return nil
        }
        return path.table.columnIndex(named: name)
    }

    /// Adds a link property, or a collection of links, to the links of a path.
    private func follow(
        _ info: ColumnInfo, _ range: SourceRange, _ path: inout ResolvedPath
    ) throws(RealmError) {
        guard let target = schema.table(info.target) else {
            throw .corrupt("property \(info.name) links to no table", in: path.table.className)
        }
        let kind: PathHop.Kind =
            switch info.collection {
            case nil: .toOne
            case .list: .list
            case .set: .set
            case .dictionary: .dictionary
            }
        path.hops.append(
            PathHop(
                kind: kind, source: TableContext(path.table), target: TableContext(target),
                column: BoundColumn(info)))
        path.table = target
    }

    /// Adds the way from the class to the objects that link to it: `@links`, then a class and its
    /// link property.
    private func followBacklink(
        _ rest: inout ArraySlice<PathElement>, _ path: inout ResolvedPath
    ) throws(RealmError) {
        let words = rest.prefix(3)
        let range = words.first!.range.through(words.last!.range)
        guard words.count == 3, case .name(let className, _) = words[words.startIndex + 1].kind,
            case .name(let property, _) = words[words.startIndex + 2].kind
        else {
            throw invalid("unknownBacklink", range, "@links is followed by a class and a property")
        }
        let wanted = aliases.className(for: className) ?? className
        guard
            let origin = schema.table(named: wanted), origin.isClass
        else {
            throw invalid("unknownBacklink", range, "no class '\(wanted)' links here")
        }
        var name = property
        if let other = aliases.path(for: property, in: origin.key), !other.isEmpty { name = other }
        guard let index = origin.columnIndex(named: name) else {
            throw unknownProperty(name, in: origin, range, reason: "unknownBacklink")
        }
        let column = origin.columns[index]
        guard
            let backlink = path.table.backlinks.first(where: {
                $0.origin == origin.key && $0.originColumn == column.key
            })
        else {
            throw invalid(
                "unknownBacklink", range,
                "property \(origin.className).\(name) does not link to \(path.table.className)")
        }
        path.hops.append(
            PathHop(
                kind: .backlink, source: TableContext(path.table), target: TableContext(origin),
                column: BoundColumn(backlink, origin: column)))
        path.table = origin
        rest = rest.dropFirst(3)
    }

    /// Applies an index in brackets to the collection of links at the end of the path.
    private func select(
        _ element: PathElement, of path: inout ResolvedPath
    ) throws(RealmError) {
        guard let hop = path.hops.last, hop.selector.isAll else { throw indexed(element) }
        if case .all = element.kind {
            guard !hop.isToOne, hop.kind != .backlink else { throw indexed(element) }
            return
        }
        guard case .at(let index) = element.kind, hop.kind == .list else { throw indexed(element) }
        path.hops[path.hops.count - 1].selector = .at(index)
    }

    private func indexed(_ element: PathElement) -> RealmError {
        invalid(
            "indexUnsupported", element.range,
            "'\(source.quote(element.range))' cannot be applied here")
    }

    /// Uses a name as a key of the dictionary before it in the path, if the name is not a property.
    /// Throws if there is no dictionary.
    private func selectEntry(
        _ name: String, _ element: PathElement, _ path: inout ResolvedPath
    ) throws(RealmError) {
        guard let hop = path.hops.last, hop.kind == .dictionary, hop.selector.isAll else {
            throw unknownProperty(name, in: path.table, element.range)
        }
        if name == "@values" { return }
        let last = path.hops.count - 1
        if name == "@keys" {
            path.hops[last].selector = .keys
        } else {
            path.hops[last].selector = .key(pool.view(name))
        }
    }
}
