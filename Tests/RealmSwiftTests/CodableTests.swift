import Foundation
import RealmSwift
import Testing

final class Parcel: Object, Codable {
    @Persisted var weight: Double
    @Persisted var note: String?
    @Persisted var stops: List<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var prices: Map<String, Int?>
    @Persisted var sent: Date?
}

/// Encodes and decodes model classes and collections as JSON.
@Suite struct CodableTests {
    private let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    @Test func columnsAreEncodedAsTheirValues() throws {
        let parcel = Parcel(value: ["weight": 1.5, "stops": ["a"], "marks": [7]])
        parcel.prices["x"] = .some(nil)
        let text = String(decoding: try encoder.encode(parcel), as: UTF8.self)
        let expected =
            #"{"marks":[7],"note":null,"prices":{"x":null},"sent":null,"#
            + #""stops":["a"],"weight":1.5}"#
        #expect(text == expected)
        let again = try JSONDecoder().decode(Parcel.self, from: Data(text.utf8))
        #expect(again.weight == 1.5 && Array(again.stops) == ["a"] && again.note == nil)
        #expect(again.prices["x"] == .some(nil) && again.marks.contains(7))
    }

    @Test func missingNullsAreDecoded() throws {
        let text = #"{"weight":1,"stops":[],"marks":[],"prices":{}}"#
        let parcel = try JSONDecoder().decode(Parcel.self, from: Data(text.utf8))
        #expect(parcel.sent == nil && parcel.note == nil && parcel.weight == 1)
    }

    @Test func encodingManagedObjectsIsRefused() throws {
        let lab = try RealmLab([Parcel.self])
        let realm = try lab.open()
        let parcel = Parcel(value: ["stops": ["a", "b"]])
        try realm.write { realm.add(parcel) }
        let error = #expect(throws: EncodingError.self) { try encoder.encode(parcel) }
        #expect("\(try #require(error))".contains("Only unmanaged Realm objects can be encoded"))
        #expect(String(decoding: try encoder.encode(parcel.stops), as: UTF8.self) == #"["a","b"]"#)
    }
}
