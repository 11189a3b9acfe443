import Dispatch
import Foundation
import RealmSwift
import Testing

final class PupName: Projection<Pup> {
    @Projected(\Pup.name) var name
}

final class LitterNames: Projection<Litter> {
    @Projected(\Litter.pups.projectTo.name) var names: ProjectedCollection<String>
}

/// Observers of collections whose owner is deleted.
@Suite struct LostOwnerTests {
    private let lab: RealmLab
    private let realm: Realm
    private let news = News()

    init() throws {
        lab = try RealmLab(DeletionTests.types)
        realm = try lab.open()
        try realm.write {
            let pup: [String: Any] = ["name": "Rex"]
            let litter = realm.create(
                Litter.self,
                value: [
                    "pups": [pup, pup], "collars": [["red", 1], ["blue", 2]],
                    "spares": ["a": ["red", 1], "b": NSNull()], "words": ["a", "b"],
                ] as [String: Any])
            litter.best.insert(litter.pups[0])
            litter.byName["x"] = litter.pups[0]
        }
    }

    /// Returns the notes of observers for a deletion by `body`. Waits until observers have reported
    /// later writes, so that all notes have been made.
    private func notes(
        _ count: Int, _ tokens: (Realm, Litter) -> [NotificationToken], _ body: () -> Void
    ) throws -> Set<String> {
        let (queue, configuration) = (DispatchQueue(label: "observer"), lab.configuration)
        let held = queue.sync { () -> News.Tokens in
            let realm = try! Realm(configuration: configuration, queue: queue)
            let ends = ["end 1", "end 2"].map { name in
                news.token(realm.objects(Pup.self).where { $0.name == name }, name)
            }
            return News.Tokens([realm, ends, tokens(realm, realm.objects(Litter.self)[0])])
        }
        news.wait { $0.filter { $0.hasSuffix("initial") }.count == count + 2 }
        try realm.write(body)
        for name in ["end 1", "end 2"] {
            try realm.write { realm.create(Pup.self, value: [name]) }
            news.wait { $0.contains { $0.hasPrefix("\(name) -") } }
        }
        queue.sync { withExtendedLifetime(held) {} }
        let notes = news.all.filter { !$0.hasPrefix("end") && !$0.hasSuffix("initial") }
        // No observer reported the same change twice.
        #expect(notes.count == Set(notes).count)
        return Set(notes)
    }

    @Test func collectionsReportAllElementsAsDeletedOnce() throws {
        let log = news
        let notes = try notes(9) { realm, litter in
            [
                log.token(litter.pups, "pups"), log.token(litter.best, "best"),
                log.token(litter.byName, "byName"), log.token(litter.collars, "collars"),
                log.token(litter.spares, "spares"),
                log.token(litter.pups.where { $0.name == "Rex" }, "filtered"),
                log.token(AnyRealmCollection(litter.pups), "any"),
                log.token(litter.pups.sorted(byKeyPath: "name"), "sorted"),
                litter.pups.projectTo.name.observe { change in
                    switch change {
                    case .initial: log.note("names initial")
                    case .update(_, let deletions, let insertions, let modifications):
                        log.note("names -\(deletions) +\(insertions) *\(modifications)")
                    case .error: log.note("names error")
                    }
                },
            ]
        } _: {
            realm.delete(realm.objects(Litter.self))
        }
        #expect(
            notes == [
                "pups -[0, 1] +[] *[]", "best -[0] +[] *[]", "byName -[\"x\"] +[] *[]",
                "collars -[0, 1] +[] *[]", "spares -[\"a\", \"b\"] +[] *[]",
                "filtered -[0, 1] +[] *[]", "any -[0, 1] +[] *[]", "sorted -[0, 1] +[] *[]",
                "names -[0, 1] +[] *[]",
            ])
        try lab.check()
    }

    @Test func sectionsReportTheirDeletionOnce() throws {
        let log = news
        func note<C>(_ name: String) -> (SectionedResultsChange<C>) -> Void {
            return { change in
                switch change {
                case .initial: log.note("\(name) initial")
                case .update(_, let rows, let new, let changed, let newSections, let sections):
                    #expect(new.isEmpty && changed.isEmpty && newSections.isEmpty)
                    log.note("\(name) -\(rows.count) -\(Array(sections))")
                }
            }
        }
        let notes = try notes(2) { realm, litter in
            [
                litter.pups.sectioned(by: \.name).observe(note("pups")),
                litter.words.sectioned(by: { $0 }).observe(note("words")),
            ]
        } _: {
            realm.delete(realm.objects(Litter.self))
        }
        #expect(notes == ["pups -0 -[0]", "words -0 -[0, 1]"])
        try lab.check()
    }

    @Test func objectsAndProjectionsReportTheirDeletionOnce() throws {
        let log = news
        let notes = try notes(1) { realm, litter in
            func noteDeletion<T>(_ name: String) -> (ObjectChange<T>) -> Void {
                return { if case .deleted = $0 { log.note("\(name) deleted") } }
            }
            return [
                log.token(litter.pups[0].litters, "litters"),
                litter.observe(noteDeletion("litter") as (ObjectChange<Litter>) -> Void),
                LitterNames(projecting: litter).observe(noteDeletion("names")),
                PupName(projecting: litter.pups[0]).observe(noteDeletion("pup")),
            ]
        } _: {
            realm.delete(realm.objects(Pup.self)[0])
            realm.delete(realm.objects(Litter.self))
        }
        #expect(
            notes == ["litters -[0] +[] *[]", "litter deleted", "names deleted", "pup deleted"])
        try lab.check()
    }

    @Test func emptyCollectionsReportNothing() throws {
        let log = news
        try realm.write {
            let litter = realm.objects(Litter.self)[0]
            litter.pups.removeAll()
            litter.best.removeAll()
            litter.byName.removeAll()
        }
        let notes = try notes(3) { realm, litter in
            [
                log.token(litter.pups, "pups"), log.token(litter.best, "best"),
                log.token(litter.byName, "byName"),
            ]
        } _: {
            realm.delete(realm.objects(Litter.self))
        }
        #expect(notes == [])
        try lab.check()
    }

    @Test func changesBeforeTheDeletionAreNotReported() throws {
        let log = news
        let notes = try notes(2) { realm, litter in
            [log.token(litter.pups, "pups"), log.token(litter.spares, "spares")]
        } _: {
            let litter = realm.objects(Litter.self)[0]
            litter.pups.append(litter.pups[0])
            litter.pups[0].name = "Max"
            litter.spares["c"] = Collar()
            realm.delete(litter)
        }
        #expect(notes == ["pups -[0, 1] +[] *[]", "spares -[\"a\", \"b\"] +[] *[]"])
        try lab.check()
    }
}
