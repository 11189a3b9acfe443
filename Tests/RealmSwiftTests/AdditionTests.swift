import Foundation
@_spi(Testing) import RealmSwift
import Testing

final class Album: Object {
    @Persisted(primaryKey: true) var title: String
    @Persisted(cascades: true) var cover: Photo?
    @Persisted(cascades: true) var photos: List<Photo>
    @Persisted var favourites: MutableSet<Photo>
    @Persisted var pages: List<AlbumPage>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class AlbumPage: EmbeddedObject {
    @Persisted(cascades: true) var drawings: Map<String, Photo?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Photo: Object {
    @Persisted var name: String
    @Persisted(cascades: true) var copies: List<Photo>
    @Persisted var album: Album?
    @Persisted var notes: AnyRealmValue
    @Persisted var scores: MutableSet<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class WrongCascade: Object {
    @Persisted(cascades: true) var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Functions that the SDK does not have.
@Suite struct AdditionTests {
    private func lab() throws -> RealmLab {
        try RealmLab([Album.self, AlbumPage.self, Photo.self])
    }

    private func photo(_ name: String) -> Photo { Photo(value: ["name": name]) }

    // MARK: Cascades

    @Test func deletingAnObjectDeletesWhatItsPropertiesCascadeTo() throws {
        let lab = try lab()
        let realm = try lab.open()
        let album = Album(value: ["title": "a", "pages": [["drawings": ["x": photo("drawing")]]]])
        album.cover = photo("cover")
        album.photos.append(objectsIn: [photo("one"), photo("two"), album.cover!])
        let copy = photo("copy")
        album.photos[0].copies.append(copy)
        copy.copies.append(album.photos[0])
        album.favourites.insert(photo("favourite"))
        try realm.write { realm.add(album) }
        #expect(realm.objects(Photo.self).count == 6)
        try realm.write { album.photos.remove(at: 1) }
        #expect(realm.objects(Photo.self).count == 6)
        try realm.write { realm.delete(album) }
        #expect(Set(realm.objects(Photo.self).map(\.name)) == ["two", "favourite"])
        try lab.check()
    }

    @Test func cascadesApplyToSequencesAndObjectsByName() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write {
            for title in ["a", "b", "c"] {
                let album = realm.create(Album.self, value: ["title": title])
                album.photos.append(objectsIn: [photo(title), photo(title + title)])
                album.cover = album.photos[0]
            }
        }
        try realm.write { realm.delete(realm.objects(Album.self).where { $0.title != "c" }) }
        #expect(realm.objects(Photo.self).map(\.name) == ["c", "cc"])
        try realm.write { realm.delete(realm.dynamicObjects("Album")) }
        #expect(realm.objects(Photo.self).isEmpty)
        try lab.check()
    }

    @Test func onlyLinksCascade() throws {
        let lab = try RealmLab([WrongCascade.self])
        let misuse = RealmTesting.catchMisuse { _ = try? lab.open() }
        #expect(misuse?.reason.contains("'WrongCascade.name' cannot cascade") == true)
    }

    // MARK: Checked keys

    @Test func existingPrimaryKeysAreErrors() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write { try realm.add(checking: Album(value: ["title": "a"])) }
        try realm.write {
            do throws(Realm.DuplicateKey) {
                try realm.add(checking: Album(value: ["title": "a"]))
                Issue.record("no error")
            } catch {
                #expect(error.className == "Album" && error.property == "title")
                #expect(error.value == "a")
            }
        }
        try lab.check()
    }

    @Test func nothingIsAddedIfALinkedObjectHasAnExistingKey() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write { realm.add(Album(value: ["title": "a"])) }
        let inner = photo("x")
        inner.album = Album(value: ["title": "a"])
        let outer = photo("y")
        outer.notes = .fromArray([.object(inner)])
        try realm.write {
            #expect(throws: Realm.DuplicateKey.self) {
                try realm.add(checking: [photo("z"), outer])
            }
            let twice = ["b", "b"].map { Album(value: ["title": $0]) }
            #expect(throws: Realm.DuplicateKey.self) { try realm.add(checking: twice) }
        }
        #expect(realm.objects(Photo.self).isEmpty && realm.objects(Album.self).count == 1)
        try lab.check()
    }

    // MARK: Copies

    @Test func copiesReportProgressAndCanBeCancelled() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write {
            for i in 0..<40 {
                let bytes = Data(repeating: UInt8(i), count: 50_000)
                realm.create(Photo.self, value: ["notes": bytes])
            }
        }
        let copy = lab.configuration.fileURL!.appendingPathExtension("copy")
        #expect(throws: CancellationError.self) {
            try realm.writeCopy(toFile: copy) { if $0 > 600_000 { throw CancellationError() } }
        }
        let folder = copy.deletingLastPathComponent().path
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .allSatisfy { !$0.contains("copy") && !$0.contains("tmp") })
        var reports: [Int] = []
        try realm.freeze().writeCopy(toFile: copy) { reports.append($0) }
        #expect(reports.count > 3 && reports == reports.sorted() && reports.last! > 2_000_000)
        #expect(try Schema(fileURL: copy)["Photo"]?["notes"]?.type == .any)
        let source = try Schema.swiftSource(fileURL: copy)
        #expect(source.contains("final class Photo: Object {\n    @Persisted var name: String\n"))
        try lab.check()
    }

    // MARK: Parts of results

    @Test func theFirstObjectsOfResultsAreResults() throws {
        let lab = try lab()
        let realm = try lab.open()
        try realm.write {
            for i in 0..<25 { realm.create(Photo.self, value: ["name": "\(10 + i * 7 % 25)"]) }
        }
        let sorted = realm.objects(Photo.self).sorted(byKeyPath: "name", ascending: false)
        let first = sorted.first(3)
        #expect(first.map(\.name) == ["34", "33", "32"])
        #expect(sorted.first(0).isEmpty && sorted.first(100).count == 25)
        try realm.write { realm.create(Photo.self, value: ["name": "99"]) }
        #expect(first.map(\.name) == ["99", "34", "33"])
        let pages = sorted.freeze().pages(of: 10)
        #expect(pages.map(\.count) == [10, 10, 6])
        #expect(pages.flatMap { $0 }.map(\.name) == sorted.map(\.name))
        try lab.check()
    }
}
