import Foundation
import RealmSwift

/// A class of the same properties as `Person`, with objects that come from records.
final class Member: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var email: String
    @Persisted var score: Double
    @Persisted var active: Bool
    @Persisted var city: String
    @Persisted var visits: Int?
    @Persisted var note: String?
    @Persisted var boss: Member?
}

private func record(_ i: Int) -> [String: Any] {
    [
        "id": i, "name": "name \(i & 1023)", "age": i % 100, "email": "someone@example.org",
        "score": Double(i), "active": i & 1 == 0, "city": "Oslo", "visits": i,
    ]
}

private func line(_ i: Int) -> String {
    #"{"id":\#(i),"name":"name \#(i & 1023)","age":\#(i % 100),"email":"someone@example.org","#
        + #""score":\#(Double(i)),"active":\#(i & 1 == 0),"city":"Oslo","visits":\#(i)}"# + "\n"
}

/// Measures records of eight fields that become objects, in one transaction without its commit. If
/// the environment has `BENCH_LINES`, writes the lines to the file of that name, for `realm-write`.
func records(_ realm: Realm, _ count: Int) throws {
    var text = ""
    for i in 0..<count { text += line(i) }
    let lines = Data(text.utf8)
    if let path = ProcessInfo.processInfo.environment["BENCH_LINES"] {
        try lines.write(to: URL(fileURLWithPath: path))
    }
    realm.beginWrite()
    defer { realm.cancelWrite() }
    let empty = { realm.delete(realm.objects(Member.self)) }
    let values = (0..<count).map { record($0) }
    line(
        "create an object from a dictionary",
        best(count, after: empty) {
            for value in values { realm.create(Member.self, value: value) }
        })
    line(
        "add(jsonLines:), a record",
        try best(count, after: empty) { try realm.add(jsonLines: lines, as: Member.self) })
    line(
        "add(jsonLines:update:), equal objects",
        try best(count) { try realm.add(jsonLines: lines, as: Member.self, update: .modified) })
}
