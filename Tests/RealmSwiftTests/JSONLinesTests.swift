import Dispatch
import Foundation
import RealmSwift
import Testing

final class Reader: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "unknown"
    @Persisted var born: Date?
    @Persisted var score = 1.5
    @Persisted var photo: Data?
    @Persisted var tags: List<String>
    @Persisted var numbers: Map<String, Int>
    @Persisted var address: ReaderAddress?
    @Persisted var best: Volume?
    @Persisted var volumes: List<Volume>
    @Persisted var note: AnyRealmValue
    override class func propertiesMapping() -> [String: String] { ["score": "points"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class ReaderAddress: EmbeddedObject {
    @Persisted var street: String
    @Persisted var town: String?
    override class func propertiesMapping() -> [String: String] { ["town": "city"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Volume: Object {
    @Persisted(primaryKey: true) var title: String
    @Persisted var pages = 100
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Visit: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var day = Date()
    @Persisted var reader: Reader?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class VisitWithTags: Object {
    @Persisted var id: Int
    @Persisted var tags: List<String>
    required init() {
        super.init()
        tags.append("first")
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Adding objects from JSON lines.
@Suite struct JSONLinesTests {
    private func lab() throws -> RealmLab {
        try RealmLab([
            Reader.self, ReaderAddress.self, Volume.self, Visit.self, VisitWithTags.self,
        ])
    }

    private func lines(_ records: String...) -> Data {
        Data(records.joined(separator: "\n").utf8)
    }

    @Test func createsObjectsWithAllKindsOfValues() throws {
        let lab = try lab()
        let realm = try lab.open()
        let added = try realm.write {
            try realm.add(
                jsonLines: lines(#"{"title":"one"}"#, "", #"{"title":"two","pages":7}"#),
                as: Volume.self)
        }
        #expect(added.created == 2 && added.updated == 0)
        try realm.write {
            try realm.add(
                jsonLines: lines(
                    #"{"id":1,"name":"Ann","born":"2001-02-03T04:05:06Z","score":2,"#
                        + #""photo":"AQI=","tags":["a","b"],"numbers":{"x":1},"best":"two","#
                        + #""volumes":["two","one"],"note":[1,"x"],"#
                        + #""address":{"street":"High","town":"Rye"}}"#,
                    #"{"id":2}"#),
                as: Reader.self)
        }
        let ann = try #require(realm.object(ofType: Reader.self, forPrimaryKey: 1))
        #expect(ann.name == "Ann" && ann.score == 2 && ann.photo == Data([1, 2]))
        #expect(ann.born == Date(timeIntervalSince1970: 981_173_106))
        #expect(Array(ann.tags) == ["a", "b"] && ann.numbers["x"] == 1)
        #expect(ann.address?.street == "High" && ann.address?.town == "Rye")
        #expect(ann.best?.pages == 7 && ann.volumes.map(\.title) == ["two", "one"])
        #expect(ann.note.listValue?.count == 2)
        let other = try #require(realm.object(ofType: Reader.self, forPrimaryKey: 2))
        #expect(other.name == "unknown" && other.score == 1.5 && other.born == nil)
        #expect(other.tags.isEmpty && other.best == nil)
        try lab.check()
    }

    @Test func updatesOnlyGivenProperties() throws {
        let lab = try lab()
        let realm = try lab.open()
        let ann = try realm.write {
            realm.create(Reader.self, value: ["id": 1, "name": "Ann", "score": 3.0])
        }
        let records = lines(
            #"{"id":1,"name":"Anna","tags":["x"]}"#, #"{"id":2,"name":"Bob"}"#, #"{"id":1}"#)
        let added = try realm.write {
            try realm.add(jsonLines: records, as: Reader.self, update: .modified)
        }
        #expect((added.created, added.updated, added.unchanged) == (1, 1, 1))
        #expect(ann.name == "Anna" && ann.score == 3 && Array(ann.tags) == ["x"])
        #expect(realm.objects(Reader.self).count == 2)
        try lab.check()
    }

    @Test func linksToObjectsOfLaterLines() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write {
            try realm.add(
                jsonLines: lines(
                    #"{"id":1,"best":{"title":"new","pages":3},"volumes":["new"]}"#,
                    #"{"id":2,"best":"new"}"#),
                as: Reader.self)
        }
        #expect(realm.object(ofType: Reader.self, forPrimaryKey: 2)?.best?.pages == 3)
        let error = try #require(throws: Realm.RejectedRecord.self) {
            try realm.write {
                try realm.add(
                    jsonLines: lines(#"{"id":3}"#, #"{"id":4,"best":"none"}"#), as: Reader.self)
            }
        }
        #expect(error.line == 2 && error.property == "best")
        #expect(realm.objects(Reader.self).count == 2)
        try lab.check()
    }

    @Test(arguments: [
        (#"{"id":1,"name":5}"#, "name", 16), (#"{"id":1,"nam":"x"}"#, "nam", 15),
        (#"{"id":2}"#, "id", 1), (#"{"name":"x"}"#, "id", 1), (#"{"id":1,"#, nil, 9),
    ])
    func rejectsRecordsWithTheirPosition(
        _ record: String, _ property: String?, _ column: Int
    ) throws {
        let lab = try lab()
        let realm = try lab.open()
        let error = try #require(throws: Realm.RejectedRecord.self) {
            try realm.write {
                try realm.add(jsonLines: lines(#"{"id":2}"#, "", record), as: Reader.self)
            }
        }
        #expect(error.record == 2 && error.line == 3 && error.column == column)
        #expect(error.property == property)
        #expect(error.description.hasPrefix("record 2, line 3, column \(column): "))
        #expect(realm.objects(Reader.self).isEmpty)
        try lab.check()
    }

    @Test func ignoresUnknownFieldsOnRequest() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write {
            try realm.add(
                jsonLines: lines(#"{"title":"a","colour":[{"red":1}]}"#), as: Volume.self,
                ignoringUnknownFields: true)
        }
        #expect(realm.objects(Volume.self).map(\.title) == ["a"])
    }

    @Test func givesEachNewObjectItsOwnGeneratedDefaults() throws {
        let lab = try lab()
        let realm = try lab.open()
        let id = UUID()
        let records = lines("{}", "{}", #"{"id":"\#(id)","day":"2001-01-01T00:00:00Z"}"#)
        try realm.write { try realm.add(jsonLines: records, as: Visit.self, update: .all) }
        let visits = realm.objects(Visit.self)
        #expect(Set(visits.map(\.id)).count == 3 && Set(visits.map(\.day)).count == 3)
        let given = try #require(realm.object(ofType: Visit.self, forPrimaryKey: id))
        let day = given.day
        try realm.write {
            try realm.add(jsonLines: lines(#"{"id":"\#(id)"}"#), as: Visit.self, update: .all)
        }
        #expect(given.day == day && visits.count == 3)
        #expect(throws: Realm.Error.self) {
            try realm.write { try realm.add(jsonLines: lines("{}"), as: VisitWithTags.self) }
        }
        try lab.check()
    }

    /// The records of a random load, as lines and as values for `create`.
    private func records(
        _ count: Int, _ random: inout SystemRandomNumberGenerator
    ) -> [[String: Any]] {
        (0..<count).map { _ in
            var record: [String: Any] = ["id": Int.random(in: 0..<count, using: &random)]
            if Bool.random(using: &random) { record["name"] = "n\(Int.random(in: 0..<50))é\"" }
            if Bool.random(using: &random) { record["score"] = Double(Int.random(in: 0..<9)) }
            if Bool.random(using: &random) { record["tags"] = ["a", "b\n"] }
            if Bool.random(using: &random) {
                record["best"] = ["title": "t\(Int.random(in: 0..<9, using: &random))"]
            }
            return record
        }
    }

    @Test func recordsOfManyBatchesBecomeObjects() throws {
        let lab = try lab()
        let realm = try lab.open()
        let count = 2000
        func lines(_ name: String) -> Data {
            var text = ""
            for i in 0..<count {
                // The object that a record links to is in another batch.
                text += #"{"id":\#(i),"name":"\#(name)","volumes":["v\#(count - i)"]}"# + "\n"
            }
            return Data(text.utf8)
        }
        let volumes = (1...count).map { #"{"title":"v\#($0)"}"# }.joined(separator: "\n")
        try realm.write {
            try realm.add(jsonLines: Data(volumes.utf8), as: Volume.self)
            let added = try realm.add(jsonLines: lines("Ann"), as: Reader.self)
            #expect(added.created == count)
        }
        let readers = realm.objects(Reader.self)
        #expect(readers.count == count && readers.where { $0.name == "Ann" }.count == count)
        #expect(readers.allSatisfy { $0.volumes.map(\.title) == ["v\(count - $0.id)"] })
        #expect(readers.allSatisfy { $0.score == 1.5 })
        try realm.write {
            let added = try realm.add(jsonLines: lines("Bo"), as: Reader.self, update: .modified)
            #expect(added.updated == count)
            let same = try realm.add(jsonLines: lines("Bo"), as: Reader.self, update: .modified)
            #expect(same.updated + same.unchanged == count)
        }
        #expect(readers.where { $0.name == "Bo" }.count == count)
        try lab.check()
    }

    @Test(arguments: [3, 700, 1999]) func errorsOfLaterBatchesNameTheirRecord(_ bad: Int) throws {
        let lab = try lab()
        let realm = try lab.open()
        var text = ""
        for i in 1...2000 { text += i == bad ? #"{"id":"x"}"# + "\n" : #"{"id":\#(i)}"# + "\n" }
        let rejection = #expect(throws: Realm.RejectedRecord.self) {
            try realm.write { try realm.add(jsonLines: Data(text.utf8), as: Reader.self) }
        }
        #expect(rejection?.record == bad && rejection?.line == bad)
        #expect(realm.objects(Reader.self).isEmpty)
        // An object that a later record creates again is an error of the writer, which must not
        // leave the reading thread behind.
        let twice = (0..<1600).map { #"{"id":\#($0 % 800)}"# }.joined(separator: "\n")
        #expect(throws: Realm.RejectedRecord.self) {
            try realm.write { try realm.add(jsonLines: Data(twice.utf8), as: Reader.self) }
        }
        #expect(realm.objects(Reader.self).isEmpty)
        try lab.check()
    }

    @Test func hasTheEffectOfCreatingObjectsOneByOne() throws {
        var random = SystemRandomNumberGenerator()
        let records = records(1500, &random)
        let (a, b) = (try lab(), try lab())
        let (one, all) = (try a.open(), try b.open())
        try one.write {
            for record in records { one.create(Reader.self, value: record, update: .modified) }
        }
        var data = Data()
        for record in records {
            data += try JSONSerialization.data(withJSONObject: record) + Data("\n".utf8)
        }
        try all.write { try all.add(jsonLines: data, as: Reader.self, update: .modified) }
        func text(_ realm: Realm) -> [String] {
            realm.objects(Reader.self).sorted(byKeyPath: "id").map {
                "\($0.id) \($0.name) \($0.score) \(Array($0.tags)) \($0.best?.title ?? "-")"
            }
        }
        #expect(text(one) == text(all))
        let file = b.configuration.fileURL!.appendingPathExtension("ndjson")
        try data.write(to: file)
        let again = try all.write {
            try all.add(jsonLinesOf: file, as: Reader.self, update: .modified)
        }
        #expect(again.created == 0 && text(one) == text(all))
        try a.check()
        try b.check()
    }

    @Test func notifiesObserversOfAddedAndChangedObjects() throws {
        let lab = try lab()
        let queue = DispatchQueue(label: "observer")
        let seen = try queue.sync { () -> [String] in
            let realm = try Realm(configuration: lab.configuration, queue: queue)
            try realm.write {
                try realm.add(jsonLines: lines(#"{"id":5}"#, #"{"id":7}"#), as: Reader.self)
            }
            var seen: [String] = []
            let token = realm.objects(Reader.self).sorted(byKeyPath: "id").observe { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    seen.append("\(deletions) \(insertions) \(modifications)")
                }
            }
            realm.refresh()
            try realm.write {
                try realm.add(
                    jsonLines: lines(#"{"id":6}"#, #"{"id":7,"name":"x"}"#, #"{"id":5}"#),
                    as: Reader.self, update: .modified)
            }
            realm.refresh()
            token.invalidate()
            return seen
        }
        #expect(seen == ["[] [1] [1]"])
    }

    private actor Shelf {
        private let configuration: Realm.Configuration
        init(_ configuration: Realm.Configuration) { self.configuration = configuration }

        func add(_ pieces: AsyncThrowingStream<Data, any Error>) async throws -> Realm.AddedRecords
        {
            let realm = try await Realm.open(configuration: configuration)
            return try await realm.add(jsonLines: pieces, as: Volume.self)
        }
    }

    @Test func addsStreamsInTransactionsOfWholeLines() async throws {
        let lab = try lab()
        let padding = String(repeating: "x", count: 400)
        let text = (0..<6000).map { #"{"title":"\#($0)\#(padding)","pages":\#($0)}"# }
        let bytes = Data((text + ["broken"]).joined(separator: "\n").utf8)
        let pieces = AsyncThrowingStream<Data, any Error> { stream in
            var at = 0
            while at < bytes.count {
                let end = min(bytes.count, at + Int.random(in: 1...100_000))
                stream.yield(bytes[at..<end])
                at = end
            }
            stream.finish()
        }
        let shelf = Shelf(lab.configuration)
        let error = try await #require(throws: Realm.RejectedRecord.self) {
            try await shelf.add(pieces)
        }
        #expect(error.record == 6001 && error.line == 6001)
        let stored = try lab.open().objects(Volume.self)
        #expect(stored.count > 2000 && stored.count < 6000)
        #expect(stored.sum(of: \.pages) == (0..<stored.count).reduce(0, +))
        try lab.check()
    }
}
