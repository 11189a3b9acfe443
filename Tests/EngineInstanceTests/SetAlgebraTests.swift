import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares set algebra with sets of the standard library.
@Suite struct SetAlgebraTests {
    private final class Lab {
        let folder: ScratchFolder
        let instance: Instance
        let handle: ObjectHandle

        init(_ type: ColumnType) throws {
            folder = try ScratchFolder()
            var configuration = Instance.Configuration(path: folder.file("sets.realm"))
            configuration.isDurable = false
            configuration.creation = .ifMissing
            instance = try Instance.open(configuration)
            let made = try instance.write { (transaction) throws(RealmError) in
                let table = try transaction.createClass("Thing")
                for name in ["a", "b"] {
                    var spec = PropertySpec(name, type)
                    spec.collection = .set
                    if type == .link { spec.target = table }
                    try transaction.addProperty(table, spec)
                }
                return ObjectLink(table: table, key: try transaction.create(in: table))
            }
            let objects = try #require(ObjectClass(instance, made.table))
            handle = try ObjectHandle(objects, made.key)
        }

        var a: CollectionHandle { CollectionHandle(handle, 0) }
        var b: CollectionHandle { CollectionHandle(handle, 1) }

        func integers(_ set: CollectionHandle) throws -> [Int] {
            try set.elements().map {
                guard case .int(let number) = $0 else { return -1 }
                return Int(number)
            }
        }

        func fill(_ set: CollectionHandle, _ numbers: Set<Int>) throws {
            try set.removeAll()
            for number in numbers { try set.insert(.int(Int64(number))) }
        }

        func end() throws {
            try instance.commitWrite()
            let path = instance.database.path
            instance.close()
            try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
        }
    }

    @Test(arguments: [(0, 0), (0, 40), (3, 2500), (2500, 3), (900, 1000), (1500, 1500)])
    func integerSetsFollowSetAlgebra(_ sizes: (Int, Int)) throws {
        let lab = try Lab(.int)
        try lab.instance.beginWrite()
        var random = SeededRandom(seed: UInt64(sizes.0 + 7 * sizes.1))
        func numbers(_ count: Int) -> Set<Int> {
            Set((0..<count).map { _ in Int.random(in: -2000..<2000, using: &random) })
        }
        for isContained in [false, true] {
            let b = numbers(sizes.1)
            let a = isContained ? Set(b.prefix(sizes.0)) : numbers(sizes.0)
            try lab.fill(lab.b, b)
            let steps: [(CollectionHandle, Set<Int>) throws -> Set<Int>] = [
                { (set, old) in
                    try set.formIntersection(lab.b)
                    return old.intersection(b)
                },
                { (set, old) in
                    try set.formUnion(lab.b)
                    return old.union(b)
                },
                { (set, old) in
                    try set.subtract(lab.b)
                    return old.subtracting(b)
                },
            ]
            for step in steps {
                try lab.fill(lab.a, a)
                #expect(try lab.a.isSubset(of: lab.b) == a.isSubset(of: b))
                #expect(try lab.a.intersects(lab.b) == !a.isDisjoint(with: b))
                let expected = try step(lab.a, a)
                #expect(try lab.integers(lab.a) == expected.sorted())
                #expect(try lab.integers(lab.b) == b.sorted())
                // The set stays usable after the change.
                try lab.a.insert(.int(5000))
                #expect(try lab.a.index(of: .int(5000)) == lab.a.count - 1)
            }
        }
        try lab.a.subtract(lab.a)
        #expect(try lab.a.count == 0)
        try lab.end()
    }

    /// The logged steps of a bulk change turn the old set into the new one.
    @Test func changesAreLoggedOneByOne() throws {
        let lab = try Lab(.int)
        try lab.instance.beginWrite()
        try lab.fill(lab.a, [1, 2, 3, 4])
        try lab.fill(lab.b, [2, 4, 6])
        try lab.instance.commitWrite()
        try lab.instance.beginWrite()
        var members = [1, 2, 3, 4]
        try lab.a.formIntersection(lab.b)
        try lab.a.formUnion(lab.b)
        let now = try lab.integers(lab.a)
        var parser = ChangeLogParser(lab.instance.write.changeset.rest)
        while let instruction = try parser.next() {
            switch instruction {
            case .collectionErase(let i): members.remove(at: Int(i))
            case .collectionInsert(let i): members.insert(now[Int(i)], at: Int(i))
            default: continue
            }
        }
        #expect(members == now)
        #expect(now == [2, 4, 6])
        try lab.end()
    }

    @Test func linkSetsKeepTheirBacklinks() throws {
        let lab = try Lab(.link)
        try lab.instance.beginWrite()
        let table = lab.handle.objects.key
        var links: [Value] = []
        for _ in 0..<40 {
            let key = try lab.instance.write.create(in: table)
            links.append(.link(ObjectLink(table: table, key: key)))
        }
        for link in links[..<30] { try lab.a.insert(link) }
        for link in links[20...] { try lab.b.insert(link) }
        #expect(try lab.a.index(of: links[35]) == nil)
        #expect(try lab.a.index(of: links[7]) == 7)
        try lab.a.formIntersection(lab.b)
        #expect(try lab.a.count == 10)
        try lab.a.formUnion(lab.b)
        #expect(try lab.b.isSubset(of: lab.a))
        try lab.b.subtract(lab.a)
        #expect(try lab.b.count == 0)
        try lab.end()
    }

    @Test func textSetsStayInOrder() throws {
        let lab = try Lab(.string)
        try lab.instance.beginWrite()
        func insert(_ text: String, into set: CollectionHandle) throws {
            try text.withView { (view) throws(RealmError) in _ = try set.insert(.string(view)) }
        }
        for i in 0..<1500 { try insert("text \(i)", into: lab.a) }
        for i in stride(from: 0, to: 3000, by: 2) { try insert("text \(i)", into: lab.b) }
        try lab.a.formIntersection(lab.b)
        #expect(try lab.a.count == 750)
        #expect(try lab.a.isSubset(of: lab.b))
        try lab.a.formUnion(lab.b)
        #expect(try lab.a.count == 1500)
        try lab.end()
    }
}
