import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Cost of reads and commits, in bytes.
@Suite struct CostRuleTests {
    @Test("THR-98: a commit writes the changed nodes and their ancestors")
    func commitsWriteOnlyChangedNodes() throws {
        let few = try bytes(objects: 2_000)
        let many = try bytes(objects: 40_000)
        print("bytes of commits that change 1, 16 and all of 2000: \(few), of 40000: \(many)")
        // The path is as long as the tree is high: a database twenty times as large costs a little
        // more, not twenty times as much.
        #expect(many[0] < 3 * few[0])
        // Changes in more leaves write more; changing all objects writes the whole column.
        #expect(many[0] < many[1] && many[1] < many[2])
        #expect(many[1] < 16 * many[0])
        #expect(many[2] > 20 * many[0] && many[2] > 40_000 * 2)
    }

    /// Number of bytes written by commits that change one object, sixteen evenly spread ones, and
    /// all.
    private func bytes(objects count: Int) throws -> [Int] {
        let lab = try InstanceLab()
        let here = try lab.open()
        var keys: [ObjectKey] = []
        try here.write { (_) throws(RealmError) in
            for i in 0..<count { keys.append(try lab.add(here, age: Int64(i))) }
        }
        // The first commits create free space for the measured ones.
        for round in 0..<3 {
            try here.write { (transaction) throws(RealmError) in
                try transaction.set(lab.table, keys[round], 0, .int(-1))
            }
        }
        let result = try [1, 16, count].map { some in
            let before = here.writeStatistics.bytes
            try here.write { (transaction) throws(RealmError) in
                for i in 0..<some {
                    let key = keys[i * (count / some)]
                    try transaction.set(lab.table, key, 0, .int(Int64(70_000 + i)))
                }
            }
            return here.writeStatistics.bytes - before
        }
        here.close()
        try lab.audit()
        return result
    }

    @Test("THR-98: versions share nodes that did not change")
    func versionsShareUnchangedNodes() throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let old = try here.freeze()
        try here.write { (transaction) throws(RealmError) in
            let dog = try here.snapshot().table(lab.dog).keys()[0]
            try transaction.set(lab.dog, dog, 0, .int(77))
        }
        let tops = { (instance: Instance, key: TableKey) in instance.schema.table(key)?.top }
        for table in [lab.person, lab.address] { #expect(tops(here, table) == tops(old, table)) }
        #expect(tops(here, lab.dog) != tops(old, lab.dog))
        #expect(try lab.read(lab.thing(.list, of: old)) == "dog 5")
        #expect(try lab.read(lab.thing(.list, of: here)) == "dog 77")
        here.close()
        try lab.audit()
    }

    /// A file with sixteen megabytes of blobs and a class of numbers.
    @Test("THR-100: reading maps the pages it uses and copies nothing")
    func readingCopiesNothing() throws {
        let folder = try ScratchFolder()
        let path = folder.file("mapped.realm")
        let blobs = try Self.makeFile(path)
        let database = try Database(immutable: path)
        let snapshot = database.snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Dog")))
        var sum: Int64 = 0
        for key in try table.keys() {
            if case .int(let age)? = try table.row(key)?.value(0) { sum += age }
        }
        #expect(sum == 10_000 * 9_999 / 2)
        let scanned = try ResidentMemory.bytes(ofFile: path)
        #expect(scanned > 0 && scanned < blobs / 8, "\(scanned) bytes are mapped")
        let base = UInt(bitPattern: database.file.mapping.base)
        let size = UInt(database.file.size)
        let pictures = snapshot.table(try #require(snapshot.schema.table(named: "Picture")))
        for key in try pictures.keys() {
            guard case .binary(let view)? = try pictures.row(key)?.value(0) else {
                Issue.record("no blob")
                continue
            }
            // The value references the mapped bytes of the file.
            let place = UInt(bitPattern: view.base) &- base
            #expect(place < size && size - place >= UInt(view.count))
            #expect(view.buffer.allSatisfy { $0 == 0x5A })
        }
        let all = try ResidentMemory.bytes(ofFile: path)
        #expect(all >= blobs, "what is read does show")
    }

    /// Makes the file; returns the number of bytes in blobs.
    private static func makeFile(_ path: String) throws -> Int {
        let session = try WriteSession(path: path, options: .scratch())
        let (count, size) = (64, 256 << 10)
        let transaction = try session.begin()
        let dogs = try transaction.createClass("Dog")
        try transaction.addProperty(dogs, PropertySpec("age", .int))
        let pictures = try transaction.createClass("Picture")
        try transaction.addProperty(pictures, PropertySpec("data", .binary))
        let blob = [UInt8](repeating: 0x5A, count: size)
        try blob.withUnsafeBytes { bytes in
            for _ in 0..<count {
                let key = try transaction.create(in: pictures)
                let view = ByteView(bytes.baseAddress!, count: size)
                try transaction.set(pictures, key, 0, .binary(view))
            }
        }
        for i in 0..<10_000 {
            let key = try transaction.create(in: dogs)
            try transaction.set(dogs, key, 0, .int(Int64(i)))
        }
        try transaction.commit()
        return count * size
    }
}
