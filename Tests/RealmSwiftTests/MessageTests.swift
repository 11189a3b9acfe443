import Foundation
@_spi(Testing) import RealmSwift
import Testing

/// Messages name the property, predicate or class that they are about.
@Suite struct MessageTests {
    private func reason(_ body: @escaping () -> Void) -> String {
        RealmTesting.catchMisuse(body)?.reason ?? "no trap"
    }

    @Test(arguments: [
        ("age == 'x'", "age"), ("name == 'a' AND age > 'x'", "age"),
        ("owner.name == 5", "owner.name"),
        ("owner == 5", "owner"), ("ANY tags == 5", "tags"), ("age BETWEEN {'a', 'b'}", "age"),
    ])
    func typeMismatchesNamePropertyAndPredicate(_ text: String, _ property: String) throws {
        let lab = try RealmLab(RealmTests.types)
        let dogs = try lab.open().objects(Dog.self)
        let said = reason { _ = dogs.filter(text).count }
        #expect(said.contains("cannot be compared with"))
        #expect(
            said.contains(property + "')") && said.hasSuffix(", in predicate: \(text)"), "\(said)")
        #expect(reason { _ = dogs.index(matching: text) } == said)
    }

    @Test func argumentsOfAnotherTypeNamePropertyAndPredicate() throws {
        let lab = try RealmLab(RealmTests.types)
        let dogs = try lab.open().objects(Dog.self)
        let said = reason { _ = dogs.filter("name == %@ AND age > %@", "a", Date()).count }
        #expect(said.contains("of type date cannot be compared with an int (property 'age')"))
        #expect(said.hasSuffix("in predicate: name == %@ AND age > %@"), "\(said)")
    }

    @Test func sizeLimitsNameTheProperty() throws {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        let (text, data) = (String(repeating: "x", count: 16_777_300), Data(count: 16_777_300))
        realm.beginWrite()
        let dog = realm.create(Dog.self, value: ["id": 1])
        let things = realm.create(Things.self)
        func refusal(_ body: @escaping () -> Void) -> String {
            let said = reason(body)
            return said.range(of: " holds at most ").map { String(said[..<$0.lowerBound]) } ?? said
        }
        #expect(refusal { dog.name = text } == "name")
        #expect(refusal { dog.photo = data } == "photo")
        #expect(refusal { dog.tags.append(text) } == "tags")
        #expect(refusal { things.any = .string(text) } == "any")
        #expect(refusal { things.anything.append(.data(data)) } == "anything")
        #expect(refusal { things.names["a"] = text } == "names")
        #expect(refusal { things.names[text] = "a" } == "a key of names")
        #expect(refusal { _ = realm.create(Dog.self, value: ["id": 2, "name": text]) } == "name")
        #expect(refusal { realm.add(Dog(value: ["id": 3, "photo": data])) } == "photo")
        realm.cancelWrite()
        try lab.check()
    }

    @Test func messagesNameTheModulesOfEqualClassNames() {
        let said = reason { Lead().setValue(There.Item(), forKey: "item") }
        #expect(
            said.contains(
                "of type 'RealmSwiftTests.There.Item', not 'RealmSwiftTests.Here.Item', for"),
            "\(said)")
    }

    @Test func errorsPrintTheirSentence() throws {
        let sentence = "The sentence."
        let error = Realm.Error(.fail, userInfo: [NSLocalizedDescriptionKey: sentence])
        #expect("\(error)" == sentence && String(reflecting: error) == sentence)
        let url = URL(fileURLWithPath: "/nonexistent/file.realm")
        let configuration = Realm.Configuration(
            fileURL: url, objectTypes: [Owner.self, Dog.self, Collar.self])
        do {
            _ = try Realm(configuration: configuration)
            Issue.record("opened")
        } catch {
            #expect("\(error)" == error.localizedDescription)
            #expect("\(error)".hasPrefix("Failed to open Realm file at path '/nonexistent/"))
        }
    }
}

final class Lead: Hidden { @Persisted var item: Here.Item? }
