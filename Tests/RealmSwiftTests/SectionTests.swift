import Foundation
import RealmSwift
import Testing

/// Sections of results, and projections.
@Suite struct SectionTests {
    final class Face: Projection<Dog> {
        @Projected(\Dog.name) var title
        @Projected(\Dog.name.count) var length
        @Projected(\Dog.owner?.name) var owner
        @Projected(\Dog.friends.projectTo.name) var friends: ProjectedCollection<String>
    }

    private func kennel() throws -> (RealmLab, Realm) {
        let lab = try RealmLab(RealmTests.types + [Things.self])
        let realm = try lab.open()
        try realm.write {
            for (id, name) in ["bo", "ace", "bell", "cy"].enumerated() {
                realm.create(Dog.self, value: ["id": id, "name": name])
            }
            realm.objects(Dog.self)[0].owner = Owner(value: ["name": "Ada"])
            realm.objects(Dog.self)[0].friends.append(realm.objects(Dog.self)[3])
        }
        return (lab, realm)
    }

    @Test func resultsAreSectionedByKey() throws {
        let (lab, realm) = try kennel()
        let sections = realm.objects(Dog.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
        #expect(sections.allKeys == ["a", "b", "c"])
        #expect(sections.map { $0.map(\.name) } == [["ace"], ["bell", "bo"], ["cy"]])
        #expect(sections[IndexPath(item: 1, section: 1)].id == 0)
        let (b, frozen) = (sections[1], sections.freeze())
        try realm.write {
            realm.delete(realm.objects(Dog.self).where { $0.name.starts(with: "b") })
            #expect(b.isEmpty && sections.count == 2)
        }
        #expect(frozen.count == 3 && frozen.thaw()?.allKeys == ["a", "c"])
        let numbers = List<Int>()
        numbers.append(objectsIn: [3, 1, 2, 5])
        let things = Things()
        things.anything.append(objectsIn: [.int(3), .int(1), .int(2)])
        try realm.write { realm.add(things) }
        #expect(
            things.anything.sectioned(by: { $0.intValue! % 2 == 0 }, ascending: false)
                .map { $0.map { $0.intValue! } } == [[3, 1], [2]])
        try lab.check()
    }

    @Test @MainActor func sectionsReportChanges() async throws {
        let (lab, realm) = try kennel()
        let dogs = realm.objects(Dog.self)
        let sections = dogs.sectioned(by: \.mood, ascending: true)
        var told: [String] = []
        let token = sections.observe { change in
            switch change {
            case .initial(let now): told.append("\(now.count)")
            case .update(_, let gone, let new, let changed, let sectionsNew, let sectionsGone):
                told.append(
                    "\(gone.map(Array.init)) \(new.map(Array.init)) \(changed.map(Array.init)) "
                        + "\(Array(sectionsNew)) \(Array(sectionsGone))")
            }
        }
        func turn(_ count: Int) async throws {
            for _ in 0..<2000 where told.count < count {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        try await turn(1)
        try realm.write { dogs[1].mood = .wild }
        try await turn(2)
        try realm.write { dogs[0].age = 3 }
        try await turn(3)
        #expect(told == ["1", "[[0, 1]] [[1, 0]] [] [1] []", "[] [] [[0, 0]] [] []"])
        token.invalidate()
        try lab.check()
    }

    @Test func projectionsAreQueriedAndSorted() throws {
        let (lab, realm) = try kennel()
        let faces = realm.objects(Face.self).filter("name BEGINSWITH 'b'")
            .sorted(byKeyPath: "name", ascending: false)
        #expect(faces.map(\.title) == ["bo", "bell"])
        let face = try #require(faces.first)
        #expect(face.length == 2 && face.owner == "Ada" && Array(face.friends) == ["cy"])
        try realm.write {
            face.title = "rex"
            face.friends[0] = "max"
        }
        #expect(
            realm.objects(Dog.self)[0].name == "rex" && realm.objects(Dog.self)[3].name == "max")
        #expect(_name(for: \Face.owner) == "owner.name")
        #expect(face == Face(projecting: realm.objects(Dog.self)[0]))
        #expect(face.freeze().title == "rex")
        try lab.check()
    }

    @Test func dynamicObjectsAreReadAndWritten() throws {
        let (lab, realm) = try kennel()
        let dogs = realm.dynamicObjects("Dog")
        #expect(dogs.filter("id > 1").map { $0["name"] as? String } == ["bell", "cy"])
        #expect(realm.dynamicObject(ofType: "Dog", forPrimaryKey: 1)?.name as? String == "ace")
        try realm.write {
            #expect(realm.dynamicCreate("Dog", value: ["id": 9, "name": "new"]).id as? Int == 9)
        }
        #expect(realm.objects(Dog.self)[0].dynamicList("friends")[0]["name"] as? String == "cy")
        try lab.check()
    }
}
