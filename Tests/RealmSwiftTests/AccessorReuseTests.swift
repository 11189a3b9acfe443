import RealmSwift
import Testing

final class Mark: Object {
    @Persisted var number: Int
    @Persisted var text: String?
    @Persisted var next: Mark?
}

/// A class with a stored property that is not a column.
final class Noted: Object {
    @Persisted var number: Int
    var note = 0
}

/// A class whose accessors cache the list that was read.
final class Listing: Object {
    @Persisted var number: Int
    @Persisted var numbers: List<Int>
}

/// An accessor without other references is reused for the next element. The program must not be
/// able to notice that.
@Suite struct AccessorReuseTests {
    private let lab: RealmLab
    private let realm: Realm

    init() throws {
        lab = try RealmLab([Mark.self, Noted.self, Listing.self])
        realm = try lab.open()
        let realm = realm
        try realm.write {
            for i in 0..<1000 {
                realm.create(Mark.self, value: ["number": i, "text": "\(i)"])
                realm.create(Noted.self, value: ["number": i])
                realm.create(Listing.self, value: ["number": i, "numbers": [i, -i]])
            }
        }
    }

    @Test func unretainedAccessorsAreReused() {
        var places: Set<ObjectIdentifier> = []
        var sum = 0
        for mark in realm.objects(Mark.self) {
            places.insert(ObjectIdentifier(mark))
            #expect(mark.text == "\(mark.number)")
            sum += mark.number
        }
        #expect(sum == 499_500 && places.count < 3)
    }

    /// An accessor that is retained in any way keeps referring to its object.
    @Test(arguments: [1, 2, 3, 7]) func retainedAccessorsKeepTheirObjects(_ step: Int) {
        var kept: [Mark] = []
        for (i, mark) in realm.objects(Mark.self).enumerated() where i % step == 0 {
            kept.append(mark)
        }
        #expect(kept.map(\.number) == Array(stride(from: 0, to: 1000, by: step)))
        #expect(Set(kept.map { ObjectIdentifier($0) }).count == kept.count)
        #expect(Array(realm.objects(Mark.self)).map(\.number) == Array(0..<1000))
    }

    @Test func accessorsRetainedByClosuresKeepTheirObjects() {
        var later: [() -> Int] = []
        for mark in realm.objects(Mark.self).where({ $0.number < 10 }) {
            later.append { mark.number }
        }
        #expect(later.map { $0() } == Array(0..<10))
        var iterator = realm.objects(Mark.self).makeIterator()
        let (first, second) = (iterator.next(), iterator.next())
        #expect(first?.number == 0 && second?.number == 1)
    }

    /// A weak reference becomes nil when the accessor is released; it never refers to another
    /// object.
    @Test func weakReferencesBecomeNil() {
        weak var seen: Mark?
        for mark in realm.objects(Mark.self) {
            if mark.number == 3 { seen = mark }
            if mark.number > 4 { #expect(seen == nil || seen?.number == 3) }
        }
        #expect(seen == nil)
    }

    /// Properties that are not columns have their initial values in each accessor: such an accessor
    /// is not reused for the next element.
    @Test func propertiesWithoutColumnsHaveTheirInitialValues() {
        for noted in realm.objects(Noted.self) {
            #expect(noted.note == 0)
            noted.note = noted.number + 1
        }
        for listing in realm.objects(Listing.self) {
            #expect(Array(listing.numbers) == [listing.number, -listing.number])
        }
    }

    @Test func changesInsideTransactionsReachTheirObjects() throws {
        try realm.write {
            for mark in realm.objects(Mark.self) where mark.number % 2 == 0 {
                mark.number += 1000
                if mark.number % 10 == 0 { realm.delete(mark) }
            }
        }
        #expect(realm.objects(Mark.self).where { $0.number >= 1000 }.count == 400)
        #expect(realm.objects(Mark.self).allSatisfy { !$0.isInvalidated })
        try lab.check()
    }

    @Test func frozenAccessorsAreNotReused() {
        var places: Set<ObjectIdentifier> = []
        let frozen = realm.freeze().objects(Mark.self)
        var kept: [Mark] = []
        for mark in frozen {
            places.insert(ObjectIdentifier(mark))
            kept.append(mark)
        }
        #expect(places.count == 1000 && kept.map(\.number) == Array(0..<1000))
    }
}
