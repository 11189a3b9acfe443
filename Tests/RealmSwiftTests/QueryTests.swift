import Foundation
import RealmSwift
import Testing

/// Conditions by closure and by text, and operations of results.
@Suite struct QueryTests {
    private func text(_ condition: (Query<Dog>) -> Query<Bool>) -> String {
        condition(Query<Dog>._constructForTesting())._constructPredicate().0
    }

    @Test func closuresPrintAsPredicates() {
        #expect(text { $0.name == "a" } == "(name == %@)")
        #expect(text { $0.name != "a" && $0.age > 3 } == "((name != %@) && (age > %@))")
        #expect(
            text { $0.name.contains("a", options: [.caseInsensitive, .diacriticInsensitive]) }
                == "(name CONTAINS[cd] %@)")
        #expect(
            text { $0.name.starts(with: "a") || !$0.name.ends(with: "b") }
                == "((name BEGINSWITH %@) || (NOT name ENDSWITH %@))")
        #expect(text { $0.id.contains(1...3) } == "(id BETWEEN {%@, %@})")
        #expect(text { $0.id.contains(1..<3) } == "((id >= %@) && (id < %@))")
        #expect(text { $0.id.in([1, 2]) } == "(id IN %@)")
        #expect(text { $0.owner.name == "Ada" } == "(owner.name == %@)")
        #expect(text { $0.collar.color == "red" } == "(collar.color == %@)")
        #expect(text { $0.friends.id == 3 } == "(ANY friends.id == %@)")
        #expect(text { $0.friends.count > 1 } == "(friends.@count > %@)")
        #expect(text { $0.friends.weight.sum > 1 } == "(friends.@sum.weight > %@)")
        #expect(text { $0.tags.contains("good") } == "(%@ IN tags)")
        #expect(
            text { ($0.friends.id == 3 && $0.friends.age > 1).count > 0 }
                == "(SUBQUERY(friends, $col1, (($col1.id == %@) && ($col1.age > %@))).@count > %@)")
        #expect(text { $0.mood == .wild } == "(mood == %@)")
    }

    private func kennel() throws -> (RealmLab, Realm) {
        let lab = try RealmLab(RealmTests.types)
        let realm = try lab.open()
        let ada = Owner(value: ["name": "Ada"])
        try realm.write {
            for id in 0..<20 {
                let dog = realm.create(
                    Dog.self,
                    value: [
                        "id": id, "name": "dog \(id % 5)", "age": id % 4 == 0 ? nil : id,
                        "weight": Double(id) / 2, "mood": id % 2 == 0 ? Mood.calm : .wild,
                        "tags": ["t\(id)", "all"],
                    ] as [String: Any?])
                if id % 3 == 0 { dog.owner = ada }
                if id > 0 {
                    dog.friends.append(realm.object(ofType: Dog.self, forPrimaryKey: id - 1)!)
                }
            }
        }
        return (lab, realm)
    }

    @Test func closuresSelectTheirObjects() throws {
        let (lab, realm) = try kennel()
        let dogs = realm.objects(Dog.self)
        func ids(_ results: Results<Dog>) -> [Int] { results.map(\.id) }
        #expect(ids(dogs.where { $0.name == "dog 2" }) == [2, 7, 12, 17])
        #expect(ids(dogs.where { $0.age > 17 }) == [18, 19])
        #expect(ids(dogs.where { $0.age == nil }) == [0, 4, 8, 12, 16])
        #expect(ids(dogs.where { $0.owner.name == "Ada" && $0.id < 7 }) == [0, 3, 6])
        #expect(ids(dogs.where { $0.mood == .wild && $0.id.contains(3..<8) }) == [3, 5, 7])
        #expect(ids(dogs.where { $0.tags.contains("t4") }) == [4])
        #expect(ids(dogs.where { $0.friends.id == 4 }) == [5])
        #expect(ids(dogs.where { ($0.friends.id > 16).count > 0 }) == [18, 19])
        #expect(ids(dogs.where { !$0.name.ends(with: "0") && $0.id <= 5 }) == [1, 2, 3, 4])
        #expect(ids(dogs.filter("name == %@ AND age > %d", "dog 1", 5)) == [6, 11])
        #expect(ids(dogs.filter("%K BEGINSWITH 'dog' && id IN %@", "name", [1, 3])) == [1, 3])
        #expect(ids(dogs.where { $0.id > 15 }.filter("age == nil")) == [16])
        #expect(dogs.where { $0.name == "dog 9" }.isEmpty)
        try lab.check()
    }

    @Test func resultsAreSortedAndAggregated() throws {
        let (lab, realm) = try kennel()
        let dogs = realm.objects(Dog.self)
        #expect(dogs.sorted(byKeyPath: "id", ascending: false).first?.id == 19)
        #expect(dogs.sorted(by: \.weight).map(\.id) == Array(0..<20))
        #expect(dogs.distinct(by: [\.name]).map(\.id) == [0, 1, 2, 3, 4])
        #expect(
            dogs.sorted(by: ["name", SortDescriptor(keyPath: "id", ascending: false)]).prefix(2)
                .map(\.id) == [15, 10])
        #expect(dogs.max(of: \.id) == 19 && dogs.min(of: \.id) == 0 && dogs.sum(of: \.id) == 190)
        #expect(dogs.average(of: \.weight) == 4.75)
        #expect(dogs.where { $0.id > 100 }.sum(of: \.weight) == 0)
        #expect(dogs.where { $0.id > 100 }.max(of: \.weight) == nil)
        #expect(
            dogs[3].tags.sorted(by: [SortDescriptor(keyPath: "self")]).map { $0 } == ["all", "t3"])
        #expect(dogs.index(of: dogs[4]) == 4)
        // Results reflect changes of the open write transaction before it is committed.
        let wild = dogs.where { $0.mood == .wild }
        #expect(wild.count == 10)
        try realm.write {
            dogs[0].mood = .wild
            #expect(wild.count == 11)
            // Each change removes the dog from `wild` during the iteration.
            for dog in wild { dog.mood = .calm }
        }
        #expect(wild.isEmpty)
        try lab.check()
    }
}
