import Foundation
import RealmSwift
import Testing

/// Conditions in the text form of `NSPredicate`, which Foundation does not parse on Linux.
@Suite struct PredicateTests {
    private func kennel() throws -> (RealmLab, Results<Dog>) {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let ada = Owner(value: ["name": "Ada"])
        try realm.write {
            for id in 0..<6 {
                let dog = realm.create(
                    Dog.self, value: ["id": id, "name": "dog \(id)", "age": id, "tags": ["t\(id)"]])
                if id % 2 == 0 { dog.owner = ada }
            }
        }
        return (lab, realm.objects(Dog.self).sorted(byKeyPath: "id"))
    }

    @Test func predicatesSelectTheirObjects() throws {
        let (lab, dogs) = try kennel()
        func ids(_ predicate: NSPredicate) -> [Int] { dogs.filter(predicate).map(\.id) }
        #expect(ids(NSPredicate(format: "name == %@ or age > %d", "dog 1", 4)) == [1, 5])
        #expect(ids(NSPredicate(format: "age BETWEEN %@", [2, 4])) == [2, 3, 4])
        #expect(ids(NSPredicate(format: "id in %@ and not id = 3", [1, 3])) == [1])
        #expect(ids(NSPredicate(format: "some tags == 't2' || age =< 0")) == [0, 2])
        #expect(ids(NSPredicate(format: "%K.name beginswith[c] 'aD'", "owner")) == [0, 2, 4])
        #expect(
            ids(NSPredicate(format: "owner == nil AND age <> %@", NSNumber(value: 3))) == [1, 5])
        #expect(ids(NSPredicate(value: false)) == [])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "age > 1"), NSPredicate(value: true),
            NSCompoundPredicate(
                notPredicateWithSubpredicate: NSPredicate(format: "owner.name == 'Ada'")),
        ])
        #expect(ids(both) == [3, 5])
        #expect(dogs.index(matching: NSPredicate(format: "age > 2")) == 3)
        #expect(dogs.index(matching: "name == %@", "dog 9") == nil)
        #expect(dogs.index(matching: { $0.age == 4 }) == 4)
        try lab.check()
    }

    @Test func diacriticsAreIgnoredIfModified() throws {
        let (lab, dogs) = try kennel()
        try #require(dogs.realm).write {
            dogs[0].name = "Zoë"
            dogs[1].name = "zoe"
            dogs[2].owner?.name = "Ádá"
        }
        func ids(_ format: String, _ args: Any...) -> [Int] {
            dogs.filter(NSPredicate(format: format, argumentArray: args)).map(\.id)
        }
        #expect(ids("name == 'Zoe'") == [])
        #expect(ids("name ==[d] 'Zoe'") == [0])
        #expect(ids("name ==[cd] %@", "ZOË") == [0, 1])
        #expect(ids("name !=[dc] 'zoe' AND id < 3") == [2])
        #expect(ids("name ENDSWITH[d] 'e'") == [0, 1])
        #expect(ids("owner.name CONTAINS[d] 'Ada'") == [0, 2, 4])
        #expect(dogs.where { $0.name.equals("zoé", options: [.diacriticInsensitive]) }.count == 1)
        try lab.check()
    }

    @Test func predicatesWithEqualTextAreEqual() {
        #expect(
            NSPredicate(format: "a == %@", [1, 2]) == NSPredicate(format: "a == %@", [1, 2]))
        #expect(NSPredicate(format: "a == %@", 1) != NSPredicate(format: "a == %@", 2))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(value: true))
    }

    @Test func predicatesApplyToUnmanagedObjects() {
        let list = List<Dog>()
        for id in 0..<3 { list.append(Dog(value: ["id": id, "owner": ["name": "o\(id)"]])) }
        #expect(list.index(matching: "owner.name == 'o2'") == 2)
        #expect(list[2].owner?.realm == nil)
        #expect(list.max(ofProperty: "id") as Int? == 2)
        #expect(list.value(forKeyPath: "@sum.id") as Any? as? Int == 3)
    }
}
