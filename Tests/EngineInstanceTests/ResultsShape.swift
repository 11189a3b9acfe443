@testable import EngineSupport
@testable import RealmEngine

/// Model of results: the origin of the objects and the steps applied to them.
struct ResultsShape {
    enum Origin {
        case all
        case friends(ObjectKey)
        case circle(ObjectKey)
        case book(ObjectKey)
        case linking(ObjectKey)
    }

    enum Filter {
        case older(Int64)
        case notOlder(Int64)
        case named(String)
        case friendYounger(Int64)
        case friendsCount(Int64)
        case livesAt(Int64)
        case friendIs(Int64)
        case anyFriendAged(Int64)
        case everything
    }

    enum Key: CaseIterable { case age, name, weight, friendAge }

    enum Step {
        case filter(Filter)
        case sort([(Key, isAscending: Bool)])
        case distinct([Key])
        case limit(Int)
    }

    var origin: Origin
    var steps: [Step]

    /// Sort rank of a value: nulls first, values across a null link last.
    struct Rank: Comparable, Hashable {
        var kind = 1
        var number = 0.0
        var text = ""

        static func < (a: Rank, b: Rank) -> Bool {
            (a.kind, a.number) != (b.kind, b.number)
                ? (a.kind, a.number) < (b.kind, b.number)
                : Array(a.text.utf8).lexicographicallyPrecedes(Array(b.text.utf8))
        }
    }
}

extension ResultsLab {
    func shape() -> ResultsShape {
        let owner = model.people.isEmpty ? ObjectKey(99) : values.pick(model.keys)
        let origin: ResultsShape.Origin =
            switch values.below(8) {
            case 0: .friends(owner)
            case 1: .circle(owner)
            case 2: .book(owner)
            case 3: .linking(owner)
            default: .all
            }
        var steps: [ResultsShape.Step] = []
        var isLimited = false
        for _ in 0..<values.below(6) {
            switch values.below(7) {
            case 0..<3 where !isLimited: steps.append(.filter(filter()))
            case 3, 4:
                steps.append(.sort((0...values.below(2)).map { _ in (key(), values.chance(50)) }))
            case 5: steps.append(.distinct((0...values.below(2)).map { _ in key() }))
            case 6 where values.chance(40):
                steps.append(.limit(values.below(20)))
                isLimited = true
            default: continue
            }
        }
        return ResultsShape(origin: origin, steps: steps)
    }

    private func key() -> ResultsShape.Key { values.pick(ResultsShape.Key.allCases) }

    private func filter() -> ResultsShape.Filter {
        let number = Int64(values.below(9))
        return switch values.below(9) {
        case 0: .older(number)
        case 1: .notOlder(number)
        case 2: .named(values.pick(["a", "b"]))
        case 3: .friendYounger(number)
        case 4: .friendsCount(number / 3)
        case 5: .livesAt(number % 4)
        case 6: .friendIs(Int64(values.below(12)))
        case 7: .anyFriendAged(number)
        default: .everything
        }
    }

    // MARK: Results of the engine

    func results(_ shape: ResultsShape, _ people: ObjectClass) throws -> ObjectResults {
        var results: ObjectResults
        switch shape.origin {
        case .all: results = ObjectResults(people)
        case .friends(let key): results = try collection(.friends, of: key, people)
        case .circle(let key): results = try collection(.circle, of: key, people)
        case .book(let key): results = try collection(.book, of: key, people)
        case .linking(let key):
            results = try ObjectResults(
                people, linkingTo: ObjectHandle(people, key), by: Column.friends.rawValue)
        }
        for step in shape.steps { results = try apply(step, results) }
        return results
    }

    private func collection(
        _ column: Column, of key: ObjectKey, _ people: ObjectClass
    ) throws -> ObjectResults {
        try ObjectResults(
            people, in: CollectionHandle(ObjectHandle(people, key), column.rawValue))
    }

    private func apply(
        _ step: ResultsShape.Step, _ results: ObjectResults
    ) throws -> ObjectResults {
        switch step {
        case .filter(let filter): try results.filtered(query(filter))
        case .sort(let keys):
            try results.arranged(
                .sort(keys.map { QuerySortKey(Self.path($0.0), isAscending: $0.isAscending) }))
        case .distinct(let keys):
            try results.arranged(
                .distinct(keys.map { QueryDistinctKey(.path(Self.path($0))) }))
        case .limit(let count): try results.arranged(.limit(count))
        }
    }

    private static func path(_ key: ResultsShape.Key) -> QueryPath {
        switch key {
        case .age: ["age"]
        case .name: ["name"]
        case .weight: ["weight"]
        case .friendAge: ["friend", "age"]
        }
    }

    /// Makes the query from text with arguments, or from an expression tree.
    private func query(_ filter: ResultsShape.Filter) throws -> Query {
        let isText = values.chance(50)
        switch filter {
        case .older(let n):
            return isText
                ? try Query("age > $0", arguments: [.int(n)])
                : try Query(.comparison(.property("age"), .greater, .constant(.int(n))))
        case .notOlder(let n):
            return isText
                ? try Query("NOT age > \(n)")
                : try Query(.not(.comparison(.property("age"), .greater, .constant(.int(n)))))
        case .named(let name):
            return isText
                ? try Query("name BEGINSWITH $0", arguments: [.string(name)])
                : try Query(
                    .comparison(.property("name"), .beginsWith, .constant(.string(name))))
        case .friendYounger(let n):
            return isText
                ? try Query("friend.age < $0", arguments: [.int(n)])
                : try Query(
                    .comparison(.path(["friend", "age"]), .less, .constant(.int(n))))
        case .friendsCount(let n):
            return isText
                ? try Query("friends.@count >= \(n)")
                : try Query(
                    .comparison(.count(["friends"]), .greaterEqual, .constant(.int(n))))
        case .livesAt(let n):
            return isText
                ? try Query("home.number == \(n)")
                : try Query(
                    .comparison(.path(["home", "number"]), .equal, .constant(.int(n))))
        case .friendIs(let id):
            return isText
                ? try Query("friend == obj('Person', \(id))")
                : try Query(
                    .comparison(
                        .property("friend"), .equal,
                        .constant(.object(className: "Person", primaryKey: .int(id)))))
        case .anyFriendAged(let n):
            return isText
                ? try Query("ANY friends.age == \(n)")
                : try Query(
                    .comparison(
                        .path(["friends", "age"], .any), .equal, .constant(.int(n))))
        case .everything: return try Query("TRUEPREDICATE")
        }
    }

    // MARK: Results of the model

    func expected(_ shape: ResultsShape, _ snapshot: Snapshot) throws -> [ObjectKey] {
        var keys = try members(shape.origin, snapshot)
        for case .filter(let filter) in shape.steps { keys.removeAll { !holds(filter, $0) } }
        for step in Self.merged(shape.steps) {
            switch step {
            case .filter: continue
            case .limit(let count): keys = Array(keys.prefix(count))
            case .sort(let order): keys = sorted(keys, order)
            case .distinct(let paths):
                var seen: Set<[ResultsShape.Rank]> = []
                keys.removeAll { key in
                    let ranks = paths.map { rank($0, key) }
                    return ranks.contains { $0.kind == 2 } || !seen.insert(ranks).inserted
                }
            }
        }
        return keys
    }

    /// Combines adjacent sorts; the later one takes precedence.
    private static func merged(_ steps: [ResultsShape.Step]) -> [ResultsShape.Step] {
        var result: [ResultsShape.Step] = []
        for step in steps {
            if case .filter = step { continue }
            if case .sort(let keys) = step, case .sort(let earlier)? = result.last {
                result[result.count - 1] = .sort(keys + earlier)
            } else {
                result.append(step)
            }
        }
        return result
    }

    private func sorted(
        _ keys: [ObjectKey], _ order: [(ResultsShape.Key, isAscending: Bool)]
    ) -> [ObjectKey] {
        let ranked = keys.enumerated().map { (place: $0.offset, key: $0.element) }
        return ranked.sorted { a, b in
            for (path, isAscending) in order {
                let (x, y) = (rank(path, a.key), rank(path, b.key))
                if x != y { return isAscending ? x < y : y < x }
            }
            return a.place < b.place
        }.map(\.key)
    }

    private func rank(_ path: ResultsShape.Key, _ key: ObjectKey) -> ResultsShape.Rank {
        let person = model.people[key]!
        switch path {
        case .age: return Self.rank(person.age)
        case .name: return ResultsShape.Rank(text: person.name)
        case .weight: return ResultsShape.Rank(number: person.weight)
        case .friendAge:
            guard let friend = person.friend else { return ResultsShape.Rank(kind: 2) }
            return Self.rank(model.people[friend]!.age)
        }
    }

    private static func rank(_ age: Int64?) -> ResultsShape.Rank {
        age.map { ResultsShape.Rank(number: Double($0)) } ?? ResultsShape.Rank(kind: 0)
    }

    private func members(
        _ origin: ResultsShape.Origin, _ snapshot: Snapshot
    ) throws -> [ObjectKey] {
        switch origin {
        case .all: return model.keys
        case .friends(let key): return model.people[key]?.friends ?? []
        case .circle(let key): return model.people[key]?.circle.sorted() ?? []
        case .book(let key):
            return model.people[key]?.book.sorted { $0.key < $1.key }.compactMap(\.value) ?? []
        case .linking(let key): return try linking(to: key, snapshot)
        }
    }

    /// Keys in the file's order, which the model does not define; checks that the model has the
    /// same set.
    private func linking(to key: ObjectKey, _ snapshot: Snapshot) throws -> [ObjectKey] {
        let table = snapshot.table(snapshot.schema.table(person)!)
        guard let row = try table.row(key) else { return [] }
        let column = table.info.columns[Column.friends.rawValue].key
        let end = table.info.backlinks.first { $0.originColumn == column }!
        var keys: [ObjectKey] = []
        var cursor = try row.backlinks(end)
        while let key = try cursor.next() { keys.append(key) }
        let known = model.people.flatMap { entry in
            entry.value.friends.filter { $0 == key }.map { _ in entry.key }
        }
        precondition(keys.sorted() == known.sorted())
        return keys
    }

    private func holds(_ filter: ResultsShape.Filter, _ key: ObjectKey) -> Bool {
        let person = model.people[key]!
        let friend = person.friend.flatMap { model.people[$0] }
        switch filter {
        case .older(let n): return person.age.map { $0 > n } ?? false
        case .notOlder(let n): return person.age.map { $0 <= n } ?? true
        case .named(let name): return person.name.hasPrefix(name)
        case .friendYounger(let n): return friend?.age.map { $0 < n } ?? false
        case .friendsCount(let n): return person.friends.count >= n
        case .livesAt(let n): return person.home.map { model.houses[$0] == n } ?? false
        case .friendIs(let id): return friend?.id == id
        case .anyFriendAged(let n): return person.friends.contains { model.people[$0]!.age == n }
        case .everything: return true
        }
    }
}
