import Testing

@testable import RealmEngine
@testable import ToolQuery
@testable import ToolSupport

/// Files with equal leaves: their objects are skipped, unless equal bytes denote different values.
@Suite struct EqualFilesTests {
    private let lab = WriteLab()

    private static let schema = """
        {"schemaVersion":0,"classes":[
        {"name":"Pet","kind":"class","primaryKey":"id","properties":[{"name":"id","type":"int"},
        {"name":"name","type":"string","optional":true}]},
        {"name":"Owner","kind":"class","primaryKey":"id","properties":[{"name":"id","type":"int"},
        {"name":"pet","type":"object","target":"Pet","optional":true},
        {"name":"any","type":"mixed","optional":true}]}]}
        """

    /// Makes a file with 1 000 owners of `pets`.
    private func make(_ name: String, pets: [Int], target: (Int) -> Int) {
        lab.write("schema.json", Self.schema)
        lab.write("pets", pets.map { "{\"id\":\($0),\"name\":\"pet\"}\n" }.joined())
        lab.write(
            "owners", (0..<1000).map { "{\"id\":\($0),\"pet\":\(target($0))}\n" }.joined())
        let run = lab.shell(
            """
            set -e; $W -q -1 --create --schema-file schema.json \(name) Pet pets
            $W -q -1 \(name) Owner owners
            """)
        #expect(run.status == 0, "\(run.errorText)")
    }

    private func equal(_ a: String, _ b: String) throws -> EqualObjects {
        EqualObjects(
            try Database(immutable: lab.path(a)).snapshot(),
            try Database(immutable: lab.path(b)).snapshot())
    }

    /// Returns which of the ranges of owners, in ascending order, are equal in both files.
    private func equalOwners(_ ranges: [ClosedRange<Int64>]) throws -> [Bool] {
        var cursor = try equal("a.realm", "b.realm").cursor("Owner")
        return ranges.map {
            cursor.contains(ObjectKey($0.lowerBound), ObjectKey($0.upperBound))
        }
    }

    @Test func equalLeavesAreSkipped() throws {
        make("a.realm", pets: [1, 2, 3]) { $0 % 3 + 1 }
        make("b.realm", pets: [1, 2, 3]) { $0 % 3 + 1 }
        #expect(lab.shell("$Q --diff b.realm a.realm").status == 0)
        #expect(try equalOwners([0...255, 768...999]) == [true, true])
        let changed = lab.shell("$W -q --where 'id == 700' --set pet=1 b.realm Owner")
        #expect(changed.status == 0, "\(changed.errorText)")
        #expect(try equalOwners([0...255, 512...767, 768...999]) == [true, false, true])
        let run = lab.shell("$Q --diff b.realm a.realm")
        #expect(run.status == 1)
        #expect(run.text.split(separator: "\n").count == 1)
        #expect(run.text.contains("\"class\":\"Owner\",\"key\":700,\"changed\":[\"pet\"]"))
    }

    /// The links have equal object keys, which identify different objects in the two files.
    @Test func equalBytesMayBeDifferentLinks() throws {
        make("a.realm", pets: [1, 2]) { _ in 1 }
        make("b.realm", pets: [2, 1]) { _ in 2 }
        #expect(try equalOwners([0...255]) == [false])
        let run = lab.shell("$Q --diff b.realm --count a.realm")
        #expect(run.status == 1)
        #expect(
            run.text
                == "{\"class\":\"Owner\",\"inserts\":0,\"updates\":1000,\"deletes\":0,\"schema\":0}\n"
        )
    }

    /// A target whose primary key is equal is the same object, even if other properties differ.
    @Test func changedTargetsAreTheSameObjects() throws {
        make("a.realm", pets: [1, 2]) { _ in 1 }
        make("b.realm", pets: [1, 2]) { _ in 1 }
        let changed = lab.shell("$W -q --where 'id == 1' --set name='\"x\"' b.realm Pet")
        #expect(changed.status == 0, "\(changed.errorText)")
        // `any` has no values, but could contain a link to any class.
        #expect(try equalOwners([0...255]) == [true])
        let run = lab.shell("$Q --diff b.realm a.realm")
        #expect(run.text.split(separator: "\n").count == 1)
    }
}
