/// Binds operands other than constants: properties with suffixes such as `.@count`, aggregates and
/// subqueries.
extension QueryBinder {
    /// Binds one side of a comparison. Constants are converted to `target`, the type of the other
    /// side.
    mutating func operand(
        _ tree: QueryOperand, target: OperandType?
    ) throws(RealmError) -> BoundOperand {
        switch tree.kind {
        case .constant(let constant): return try self.constant(constant, target, tree.range)
        case .list(let list): return try self.list(list, target)
        case .property(let property): return try self.property(property)
        case .aggregate(let aggregate): return try self.aggregate(aggregate, tree.range).operand
        case .subquery(let subquery): return try self.subquery(subquery, tree.range)
        case .arithmetic(let first, let terms):
            return try arithmetic(first, terms, target: target, tree.range)
        case .function(let call): return try function(call, tree.range)
        }
    }

    /// Returns the type to which constants on the other side of the comparison are converted; nil
    /// if `tree` is a constant.
    func staticType(of tree: QueryOperand) throws(RealmError) -> OperandType? {
        switch tree.kind {
        case .constant, .list: return nil
        case .property(let property): return try self.property(property).type
        case .aggregate(let aggregate): return try self.aggregate(aggregate, tree.range).target
        case .subquery: return .int
        case .function(let call): return try type(of: call)
        case .arithmetic(let first, let terms):
            if let type = try staticType(of: first) { return type }
            for term in terms {
                if let type = try staticType(of: term.operand) { return type }
            }
            return nil
        }
    }

    func property(_ tree: QueryProperty) throws(RealmError) -> BoundOperand {
        let path = try closed(resolve(tree.path), tree.path.range)
        let bound: BoundOperand
        switch tree.suffix {
        case .none: bound = plain(path, tree.range)
        case .count: bound = try count(path, tree.range)
        case .type: bound = try typeOf(path, tree.range)
        }
        if tree.quantifier != nil, !allowsQuantifier(path) { throw quantifierError(tree) }
        return tree.quantifier == nil ? bound : bound.with(tree.quantifier)
    }

    /// Returns the complete path, after its last step was bound. The last step may select one entry
    /// of a dictionary of links, as in `friends['best']`, or its keys, as in `friends.@keys`. A
    /// `PathEnd` then replaces the last link of the path.
    private func closed(
        _ path: ResolvedPath, _ range: SourceRange
    ) throws(RealmError) -> ResolvedPath {
        var path = path
        for hop in path.hops.dropLast() {
            guard case .keys = hop.selector else { continue }
            throw invalid("noSubProperty", range, "the keys of a dictionary have no properties")
        }
        guard let last = path.hops.last else {
            if case .objects = path.end {
                throw invalid("unknownProperty", range, "a property is missing here")
            }
            return path
        }
        if case .keys = last.selector {
            guard case .objects = path.end else {
                throw invalid("noSubProperty", range, "the keys of a dictionary have no properties")
            }
        }
        guard case .objects = path.end else { return path }
        switch last.selector {
        case .all: return path
        case .at:
            throw invalid(
                "indexUnsupported", range,
                "an index cannot be the last step of a list of links; use SUBQUERY or a property")
        case .key(let key): path.end = .linkEntry(last.column, key)
        case .keys: path.end = .linkKeys(last.column)
        }
        path.hops.removeLast()
        if let owner = schema.table(last.source.key) { path.table = owner }
        return path
    }

    /// Whether ANY, ALL or NONE may precede the path.
    func allowsQuantifier(_ path: ResolvedPath) -> Bool {
        switch path.end {
        case .scalar: !path.isToOne
        default: true
        }
    }

    /// Makes the error for ANY, ALL or NONE before a single value.
    func quantifierError(_ tree: QueryProperty) -> RealmError {
        invalid(
            "quantifierNeedsList", tree.range,
            "'\(source.quote(tree.path.range))' is not a list: ANY, ALL and NONE need one")
    }

    private func plain(_ path: ResolvedPath, _ range: SourceRange) -> BoundOperand {
        let type: OperandType
        let shape: OperandShape
        let isOwn = path.isToOne
        switch path.end {
        case .objects:
            type = .link(path.table.key)
            shape = isOwn ? .scalar : .list
        case .linkEntry(let column, _):
            type = column.type
            shape = isOwn ? .scalar : .groups
        case .linkKeys:
            type = .string
            shape = isOwn ? .list : .groups
        case .scalar(let column):
            type = column.type
            shape = isOwn ? .scalar : .list
        case .collection(let column, .keys):
            type = column.layout.hasIntegerKeys ? .int : .string
            shape = isOwn ? .list : .groups
        case .collection(let column, .key):
            type = dictionaryType(column)
            shape = isOwn ? .scalar : .groups
        case .collection(let column, _):
            type = column.layout.collection == .dictionary ? dictionaryType(column) : column.type
            shape = isOwn ? .list : .groups
        case .lengths:
            type = .int
            shape = .list
        case .nested:
            type = .mixed
            shape = .groups
        case .incoming:
            type = .int
            shape = .scalar
        }
        let kind: BoundOperand.Kind
        if case .incoming = path.end {
            kind = .count(BoundPath(path))
        } else {
            kind = .path(BoundPath(path))
        }
        return BoundOperand(kind: kind, type: type, shape: shape, range: range)
    }

    /// Returns the type by which a dictionary is compared: mixed, because dictionaries of every
    /// type store mixed values.
    private func dictionaryType(_ column: BoundColumn) -> OperandType { .mixed }

    private func count(
        _ path: ResolvedPath, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        let isOwn = path.isToOne
        switch path.end {
        case .objects:
            let owners = path.hops.dropLast()
            let shape: OperandShape = owners.isEmpty ? .scalar : .list
            return BoundOperand(
                kind: .count(BoundPath(path)), type: .int, shape: shape, range: range)
        case .incoming:
            return BoundOperand(
                kind: .count(BoundPath(path)), type: .int, shape: .scalar, range: range)
        case .linkEntry, .collection(_, .all), .collection(_, .at), .collection(_, .key):
            let shape: OperandShape = isOwn ? .scalar : .list
            return BoundOperand(
                kind: .count(BoundPath(path)), type: .int, shape: shape, range: range)
        case .scalar(let column):
            guard column.type.isText else { break }
            let shape: OperandShape = isOwn ? .scalar : .list
            return BoundOperand(
                kind: .size(BoundPath(path)), type: .int, shape: shape, range: range)
        case .nested:
            return BoundOperand(
                kind: .size(BoundPath(path)), type: .int, shape: .groups, range: range)
        case .collection(_, .keys), .linkKeys, .lengths: break
        }
        throw invalid(
            "sizeUnsupported", range,
            "@count and @size are not available for '\(source.quote(range))'")
    }

    private func typeOf(
        _ path: ResolvedPath, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        let plain = plain(path, range)
        let isDynamic: Bool
        switch path.end {
        case .objects: isDynamic = false
        case .scalar(let column): isDynamic = column.type == .mixed
        case .collection(let column, .all) where column.layout.collection == .dictionary:
            isDynamic = true
        case .collection(_, .key), .nested, .linkEntry: isDynamic = true
        case .collection(let column, .all), .collection(let column, .at):
            guard column.type == .mixed else { fallthrough }
            isDynamic = true
        case .collection(_, .keys), .linkKeys, .lengths, .incoming:
            throw invalid(
                "sizeUnsupported", range, "@type is not available for '\(source.quote(range))'")
        }
        guard !isDynamic else {
            return BoundOperand(
                kind: .typeOf(BoundPath(path)), type: .typeName, shape: plain.shape, range: range)
        }
        let mask = Value.int(Int64(TypeMask(plain.type).rawValue))
        return BoundOperand(
            kind: .constant(ValueBuffer([mask])), type: .typeName, shape: .scalar, range: range)
    }
}
