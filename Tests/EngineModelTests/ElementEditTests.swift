import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Edits of single elements that random edits rarely make.
@Suite struct ElementEditTests {
    /// The index of a mixed property contains values, but not the strings of lists in it.
    @Test func elementEditsUpdateTheIndexOfAMixedProperty() throws {
        let folder = try ScratchFolder()
        let path = folder.file("indexed.realm")
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let table = try transaction.createClass("Thing")
        var spec = PropertySpec("any", .mixed)
        (spec.isOptional, spec.isIndexed) = (true, true)
        try transaction.addProperty(table, spec)
        let key = try transaction.create(in: table)
        try transaction.set(table, key, 0, try transaction.makeList([]))
        let place = CollectionLocation(table, key, 0)
        try String(repeating: "x", count: 300).withView { text in
            Result { () throws(RealmError) in
                try transaction.insertElement(.string(text), at: 0, in: place)
            }
        }.get()
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// A rejected change leaves the index of the property, and everything else, unchanged.
    @Test func refusedChangesChangeNothing() throws {
        let folder = try ScratchFolder()
        let path = folder.file("refused.realm")
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let table = try transaction.createClass("Thing")
        var spec = PropertySpec("words", .string)
        (spec.collection, spec.isIndexed) = (.list, true)
        try transaction.addProperty(table, spec)
        let key = try transaction.create(in: table)
        let place = CollectionLocation(table, key, 0)
        try "word".withView { text in
            Result { () throws(RealmError) in
                try transaction.insertElement(.string(text), at: 0, in: place)
            }
        }.get()
        #expect(throws: RealmError.self) { try transaction.removeElement(at: 1, from: place) }
        #expect(throws: RealmError.self) {
            try transaction.setElement(.int(1), at: 0, in: place)
        }
        #expect(throws: RealmError.self) { try transaction.insertMember(.int(1), into: place) }
        #expect(throws: RealmError.self) { try transaction.insertEmbedded(at: 0, in: place) }
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }
}
