@testable import EngineSupport
@testable import RealmEngine

/// Naive evaluation of query trees, object by object and straight from the rules, as a reference
/// for the engine. Supports the part of the language that the generator uses.
struct NaiveEvaluator {
    let model: NaiveModel

    typealias Object = (table: UInt32, object: NaiveModel.Object)

    /// Values with their shape: a list of lists for groups.
    enum Operand {
        case scalar(NaiveValue)
        case list([NaiveValue])
        case groups([[NaiveValue]])

        var lists: [[NaiveValue]] {
            switch self {
            case .scalar(let value): [[value]]
            case .list(let values): [values]
            case .groups(let groups): groups
            }
        }

        var isScalar: Bool {
            if case .scalar = self { return true }
            return false
        }
    }

    func holds(_ condition: QueryCondition, _ at: Object) -> Bool {
        switch condition.kind {
        case .constant(let value): return value
        case .and(let all): return all.allSatisfy { holds($0, at) }
        case .or(let all): return all.contains { holds($0, at) }
        case .not(let one): return !holds(one, at)
        case .comparison(let comparison): return holds(comparison, at)
        case .between(let operand, let limits, _):
            return zip([QueryRelation.greaterEqual, .lessEqual], limits.elements).allSatisfy {
                compare(
                    $0, false, operand, self.operand(operand, at),
                    QueryOperand(kind: .constant($1.constant), range: .none),
                    .scalar(constant($1.constant)))
            }
        case .geoWithin: return false
        }
    }

    private func holds(_ c: QueryComparison, _ at: Object) -> Bool {
        compare(
            c.relation, c.foldsCase, c.left, operand(c.left, at), c.right, operand(c.right, at))
    }

    private func compare(
        _ relation: QueryRelation, _ folds: Bool, _ leftTree: QueryOperand, _ left: Operand,
        _ rightTree: QueryOperand, _ right: Operand
    ) -> Bool {
        if let direct = directly(relation, folds, leftTree, left, rightTree, right) {
            return direct
        }
        let (p, q) = (quantifier(leftTree), quantifier(rightTree))
        for a in left.lists {
            for b in right.lists {
                if left.isScalar, right.isScalar {
                    if NaiveValue.holds(relation, a[0], b[0], folds: folds) { return true }
                } else if !left.isScalar, !right.isScalar, p == nil, q == nil {
                    if a.count != b.count {
                        if relation == .notEqual { return true }
                    } else if zip(a, b).allSatisfy({
                        NaiveValue.holds(relation, $0, $1, folds: folds)
                    }) {
                        return true
                    }
                } else if quantified(
                    p ?? .any, a,
                    { x in
                        quantified(q ?? .any, b) { NaiveValue.holds(relation, x, $0, folds: folds) }
                    })
                {
                    return true
                }
            }
        }
        return false
    }

    private func quantified(
        _ quantifier: QueryQuantifier, _ values: [NaiveValue], _ test: (NaiveValue) -> Bool
    ) -> Bool {
        switch quantifier {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }

    private func quantifier(_ tree: QueryOperand) -> QueryQuantifier? {
        switch tree.kind {
        case .property(let property): property.quantifier
        case .list(let list): list.quantifier
        case .arithmetic(let first, let terms):
            quantifier(first) ?? terms.compactMap { quantifier($0.operand) }.first
        default: nil
        }
    }

    /// Rules of direct properties (query language 10 and 12); nil if they do not apply.
    private func directly(
        _ relation: QueryRelation, _ folds: Bool, _ leftTree: QueryOperand, _ left: Operand,
        _ rightTree: QueryOperand, _ right: Operand
    ) -> Bool? {
        guard case .property(let property) = leftTree.kind, steps(property.path).count == 1,
            property.suffix == .none, case .scalar(let value) = left
        else { return nil }
        if case .list(let list) = rightTree.kind, case .list(let members) = right,
            list.quantifier == nil || list.quantifier == .any,
            relation == .equal || relation == .in
        {
            return members.contains {
                if case .double(let x) = $0, x.isNaN { return false }
                // An integer constant does not equal values of a column of doubles.
                if case .double = value, case .int = $0 { return false }
                return NaiveValue.order(value, $0) == 0
            }
        }
        guard case .constant = rightTree.kind, case .scalar(let constant) = right else {
            return nil
        }
        switch (value, constant) {
        case (.double(let x), .double(let y)) where x.isNaN || y.isNaN: return relation == .notEqual
        case (.null, .text) where [.less, .lessEqual].contains(relation): return true
        case (.text, .null) where [.greater, .greaterEqual].contains(relation): return true
        default: return nil
        }
    }

    // MARK: Operands

    private func operand(_ tree: QueryOperand, _ at: Object) -> Operand {
        switch tree.kind {
        case .constant(let constant): return .scalar(self.constant(constant))
        case .list(let list): return .list(list.elements.map { constant($0.constant) })
        case .property(let property): return self.property(property, at)
        case .aggregate, .function: return .scalar(.other)
        case .subquery(let subquery):
            let path = steps(subquery.path)
            let reached = follow(path[...], [at]).objects
            let count = reached.count { holds(subquery.condition, $0) }
            return .scalar(.int(Int64(count)))
        case .arithmetic(let first, let terms):
            return terms.reduce(operand(first, at)) {
                combine($0, $1.sign, operand($1.operand, at))
            }
        }
    }

    private func constant(_ constant: QueryConstant) -> NaiveValue {
        switch constant {
        case .null: .null
        case .bool(let x): .bool(x)
        case .int(let x): .int(x)
        case .double(let x, _): .double(x)
        case .float(let x, _): .double(Double(x))
        case .nan: .double(.nan)
        case .infinity(let isNegative): .double(isNegative ? -.infinity : .infinity)
        case .string(let x): .text(x)
        case .binary(let x): .bytes(x)
        case .timestamp(let x): .date(x.seconds, x.nanoseconds)
        case .objectID(let x): .id([x.high, UInt64(x.low)])
        case .uuid(let x): .id([x.high, x.low])
        case .object, .objectKey, .argument, .value: .other
        case .typedKey(let table, let key): .link(table, key)
        }
    }

    private func combine(_ a: Operand, _ sign: QueryArithmetic, _ b: Operand) -> Operand {
        switch (a, b) {
        case (.scalar(let x), .scalar(let y)): .scalar(combine(x, sign, y))
        case (_, .scalar(let y)): mapped(a) { combine($0, sign, y) }
        case (.scalar(let x), _): mapped(b) { combine(x, sign, $0) }
        default: .list([])
        }
    }

    private func mapped(_ operand: Operand, _ body: (NaiveValue) -> NaiveValue) -> Operand {
        switch operand {
        case .scalar(let value): .scalar(body(value))
        case .list(let values): .list(values.map(body))
        case .groups(let groups): .groups(groups.map { $0.map(body) })
        }
    }

    private func combine(
        _ a: NaiveValue, _ sign: QueryArithmetic, _ b: NaiveValue
    ) -> NaiveValue {
        switch (a, b) {
        case (.int(let x), .int(let y)):
            switch sign {
            case .add: return .int(x &+ y)
            case .subtract: return .int(x &- y)
            case .multiply: return .int(x &* y)
            case .divide: return .int(y == 0 ? (x < 0 ? .min : .max) : x / y)
            }
        case (.int(let x), .double(let y)): return combine(.double(Double(x)), sign, .double(y))
        case (.double(let x), .int(let y)): return combine(.double(x), sign, .double(Double(y)))
        case (.double(let x), .double(let y)):
            switch sign {
            case .add: return .double(x + y)
            case .subtract: return .double(x - y)
            case .multiply: return .double(x * y)
            case .divide: return .double(x / y)
            }
        default: return .null
        }
    }

    // MARK: Paths

    private enum Step {
        case name(String)
        case backlink(String, String)
    }

    /// Names of the path; variables of subqueries are removed.
    private func steps(_ path: QueryPath) -> [Step] {
        var names = path.steps.compactMap { step -> String? in
            guard case .name(let name) = step.kind, !name.hasPrefix("$") else { return nil }
            return name
        }
        var result: [Step] = []
        while let name = names.first {
            if name == "@links" {
                result.append(.backlink(names[1], names[2]))
                names.removeFirst(3)
            } else {
                result.append(.name(name))
                names.removeFirst()
            }
        }
        return result
    }

    /// Follows links; paths end at null links.
    private func follow(
        _ steps: ArraySlice<Step>, _ start: [Object]
    ) -> (objects: [Object], isMany: Bool) {
        var current = start
        var isMany = false
        for step in steps {
            var next: [Object] = []
            for at in current {
                let (links, many) = links(step, at)
                isMany = isMany || many
                for case .link(let table, let key) in links {
                    if let object = model.object(table, key) { next.append((table, object)) }
                }
            }
            if case .backlink = step { isMany = true }
            current = next
        }
        return (current, isMany)
    }

    private func links(_ step: Step, _ at: Object) -> (links: [NaiveValue], isMany: Bool) {
        switch step {
        case .name(let name):
            switch value(name, at) {
            case .list(let all): return (all, true)
            case .dictionary(let entries): return (entries.map(\.1), true)
            case let one: return ([one], false)
            }
        case .backlink(let className, let property):
            let origin = model.snapshot.schema.table(named: className)!
            let column = origin.columnIndex(named: property)!
            var found: [Int64] = []
            for object in model.objects[origin.key.raw]! {
                let links: [NaiveValue] =
                    if case .list(let all) = object.values[column] { all } else {
                        [object.values[column]]
                    }
                for case .link(at.table, at.object.key) in links { found.append(object.key) }
            }
            let stored = model.backlinks(from: origin, column, to: at.table, at.object.key)
            precondition(stored.sorted() == found.sorted(), "backlinks that are no links")
            return (stored.map { .link(origin.key.raw, $0) }, true)
        }
    }

    private func value(_ name: String, _ at: Object) -> NaiveValue {
        at.object.values[model.table(at.table).columnIndex(named: name)!]
    }

    /// Whether a path leads to several objects according to the schema, whatever the data is.
    private func isMany(_ steps: ArraySlice<Step>, _ start: UInt32) -> (Bool, UInt32) {
        var table = start
        var many = false
        for step in steps {
            switch step {
            case .name(let name):
                let info = model.table(table)
                let column = info.columns[info.columnIndex(named: name)!]
                many = many || column.collection != nil
                table = column.target.raw
            case .backlink(let name, _):
                many = true
                table = model.snapshot.schema.table(named: name)!.key.raw
            }
        }
        return (many, table)
    }

    private func property(_ property: QueryProperty, _ at: Object) -> Operand {
        let steps = steps(property.path)
        let front = steps.dropLast()
        let (many, table) = isMany(front, at.table)
        let owners = follow(front, [at]).objects
        let isCount = property.suffix == .count
        if case .backlink = steps.last! {
            return isCount
                ? linkCounts(steps.last!, owners, isOwn: steps.count == 1)
                : .list(owners.flatMap { links(steps.last!, $0).links })
        }
        guard case .name(let name) = steps.last! else { return .list([]) }
        let info = model.table(table)
        let column = info.columns[info.columnIndex(named: name)!]
        if column.type == .link {
            if isCount { return linkCounts(steps.last!, owners, isOwn: steps.count == 1) }
            let all = owners.flatMap { links(steps.last!, $0).links }
            if !many, column.collection == nil { return .scalar(all.first ?? .null) }
            return .list(all.filter { !$0.isNull })
        }
        let values = owners.map { value(name, $0) }
        if isCount { return counts(values, column, many) }
        guard column.collection == nil else {
            let lists = values.map { value -> [NaiveValue] in
                switch value {
                case .list(let all): all
                case .dictionary(let entries): entries.map(\.1)
                default: []
                }
            }
            if !many { return .list(lists.first ?? []) }
            return .groups(lists.isEmpty ? [[]] : lists)
        }
        return many ? .list(values) : .scalar(values.first ?? .null)
    }

    private func counts(_ values: [NaiveValue], _ column: ColumnInfo, _ many: Bool) -> Operand {
        let counts = values.map { value -> NaiveValue in
            switch value {
            case .text(let x), .bytes(let x): .int(Int64(x.count))
            case .list(let all): .int(Int64(all.count))
            case .dictionary(let all): .int(Int64(all.count))
            default: .null
            }
        }
        if many { return .list(counts) }
        return .scalar(counts.first ?? (column.collection == nil ? .null : .int(0)))
    }

    private func linkCounts(_ step: Step, _ owners: [Object], isOwn: Bool) -> Operand {
        let counts = owners.map { owner in
            NaiveValue.int(Int64(links(step, owner).links.count { !$0.isNull }))
        }
        return isOwn ? .scalar(counts[0]) : .list(counts)
    }

    // MARK: Whole queries

    /// Keys of a query's results on `table`, in order.
    func rows(_ tree: QueryTree, _ table: UInt32) -> [Int64] {
        var objects: [Object] = model.objects[table]!.filter { holds(tree.condition, (table, $0)) }
            .map { (table, $0) }
        var pending: [QuerySortKey] = []
        func sort() {
            guard !pending.isEmpty else { return }
            let keys = pending
            objects = objects.enumerated().sorted { a, b in
                for key in keys {
                    let order = sortOrder(key.operand, a.element, b.element)
                    if order != 0 { return key.isAscending ? order < 0 : order > 0 }
                }
                return a.offset < b.offset
            }.map(\.element)
            pending = []
        }
        for clause in tree.clauses {
            if case .sort(let keys) = clause {
                pending = keys + pending
                continue
            }
            sort()
            switch clause {
            case .sort: break
            case .limit(let count): objects = Array(objects.prefix(count))
            case .distinct(let paths): objects = distinct(objects, paths.map(\.operand))
            }
        }
        sort()
        return objects.map { $0.object.key }
    }

    private func sortValue(_ key: QueryOperand, _ at: Object) -> NaiveValue? {
        guard case .property(let property) = key.kind else { return nil }
        let steps = steps(property.path)
        guard let owner = follow(steps.dropLast(), [at]).objects.first,
            case .name(let name) = steps.last!
        else { return nil }
        return value(name, owner)
    }

    private func sortOrder(_ path: QueryOperand, _ a: Object, _ b: Object) -> Int {
        switch (sortValue(path, a), sortValue(path, b)) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (let x?, let y?): NaiveValue.order(x, y)
        }
    }

    private func distinct(_ objects: [Object], _ paths: [QueryOperand]) -> [Object] {
        var seen: [[NaiveValue]] = []
        return objects.filter { object in
            var key: [NaiveValue] = []
            for path in paths {
                guard let value = sortValue(path, object) else { return false }
                key.append(value)
            }
            let isNew = !seen.contains { other in
                zip(other, key).allSatisfy { NaiveValue.order($0, $1) == 0 }
            }
            if isNew { seen.append(key) }
            return isNew
        }
    }
}
