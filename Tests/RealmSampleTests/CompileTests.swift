import Foundation
import Testing

/// Code that must compile, and code that must not, in both language modes. The compiler judges it,
/// with the modules built for the tests. In code that must not compile, each wrong line ends with a
/// comment that has a part of the compiler's message.
@Suite struct CompileTests {
    private static let preamble = """
        import Foundation
        import RealmSwift
        final class Cat: Object { @Persisted var name: String; @Persisted var kittens: List<Cat> }
        final class Tag: EmbeddedObject { @Persisted var text: String }
        func requireSendable<T: Sendable>(_: T.Type) {}

        """

    @Test("TYP-01 THR-46: values and references are Sendable", arguments: ["5", "6"])
    func valuesAndReferencesAreSendable(mode: String) throws {
        let names = [
            "Decimal128", "ObjectId", "Schema", "ObjectSchema", "Property",
            "RealmSwift.SortDescriptor",
            "ThreadSafeReference<Cat>", "ThreadSafeReference<Results<Cat>>", "ThreadSafe<Cat>",
            "Realm.AsyncOpenTask", "Realm.Configuration", "Realm.Error", "Realm.UpdatePolicy",
            "Realm.OpenBehavior", "NotificationToken", "StringOptions", "PropertyType",
        ]
        try judge(
            "func f() {\n" + names.map { "    requireSendable(\($0).self)" }.joined(separator: "\n")
                + "\n}", mode: mode)
    }

    @Test(
        "TYP-03 CD-24: confined types are not Sendable, and the compiler reports it",
        arguments: ["6"])
    func confinedTypesAreNotSendable(mode: String) throws {
        let names = [
            "Cat", "Tag", "Realm", "Results<Cat>", "List<Int>", "MutableSet<Int>",
            "Map<String, Int>",
            "LinkingObjects<Cat>", "AnyRealmCollection<Cat>", "AnyRealmValue",
        ]
        try judge(
            "func f() {\n"
                + names.map { "    requireSendable(\($0).self) // Sendable" }.joined(
                    separator: "\n")
                + "\n}", mode: mode)
    }

    @Test("ACT-29 TYP-03: objects cannot be sent to another actor", arguments: ["6"])
    func objectsCannotBeSentToAnotherActor(mode: String) throws {
        try judge(
            """
            actor Shelter { func take(_ cat: Cat) {} }
            @MainActor func f(_ cat: Cat, _ shelter: Shelter) async {
                await shelter.take(cat) // sending
            }
            @MainActor func g(_ realm: Realm) {
                let cats = realm.objects(Cat.self)
                Task.detached { print(cats.count) } // sending
            }
            """, mode: mode)
    }

    @Test("TYP-02: names of online services do not compile", arguments: ["5", "6"])
    func namesOfOnlineServicesDoNotCompile(mode: String) throws {
        try judge(
            """
            func f() {
                _ = App(id: "x") // cannot find 'App'
                let user: User? = nil // cannot find type 'User'
                var configuration = Realm.Configuration()
                configuration.syncConfiguration = nil // no member 'syncConfiguration'
            }
            """, mode: mode)
    }

    @Test("THR-47: a wrapped variable is optional", arguments: ["5", "6"])
    func aWrappedVariableIsOptional(mode: String) throws {
        try judge(
            """
            struct Holder { @ThreadSafe var cat: Cat? }
            func f(_ holder: Holder) -> String? {
                let name: String = holder.cat.name // must be unwrapped
                _ = name
                return holder.cat?.name
            }
            """, mode: mode)
    }

    @Test("ACT-04 ACT-05 ACT-06: strict checking has no complaint about the code of the guides")
    func strictCheckingAcceptsTheGuides() throws {
        try judge(
            """
            actor Shelter {
                var realm: Realm!
                init() async throws { realm = try await Realm(actor: self) }
                func add() async throws {
                    try await realm.asyncWrite { _ = realm.create(Cat.self, value: ["name": "Tom"]) }
                }
            }
            @MainActor func f(_ shelter: Shelter) async throws {
                let realm = try await Realm()
                let token = await realm.objects(Cat.self).observe(on: shelter) { shelter, change in
                    shelter.assertIsolated()
                }
                token.invalidate()
                await realm.asyncRefresh()
            }
            """, mode: "5",
            ["-strict-concurrency=complete", "-Xfrontend", "-enable-actor-data-race-checks"])
    }

    // MARK: The compiler

    /// Compiles `text` and compares the compiler's messages with the comments at the ends of its
    /// lines.
    private func judge(_ text: String, mode: String, _ options: [String] = []) throws {
        let source = Self.preamble + text
        var expected: [Int: String] = [:]
        for (i, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if let comment = line.range(of: " // ") {
                expected[i + 1] = String(line[comment.upperBound...])
            }
        }
        let found = try compile(source, ["-swift-version", mode] + options)
        for (line, what) in expected {
            #expect(
                found.contains { $0.line == line && $0.text.contains(what) },
                "line \(line): \(what); found \(found)")
        }
        for (line, text) in found {
            #expect(expected[line] != nil, "line \(line): \(text)")
        }
    }

    /// Errors and warnings of the compiler, with their lines.
    private func compile(_ source: String, _ options: [String]) throws -> [(
        line: Int, text: String
    )] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("compile-\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        // The compiler replaces its output file, even if that is a device.
        let made = file.appendingPathExtension("sil")
        defer { for url in [file, made] { try? FileManager.default.removeItem(at: url) } }
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = try #require(Self.modules(near: built))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-emit-sil", "-o", made.path, "-I",
                folder.appendingPathComponent("Modules").path,
            ]
            + ["CRealmCrypto", "CRealmSystem"].flatMap {
                ["-Xcc", "-fmodule-map-file=\(folder.path)/\($0).build/module.modulemap"]
            } + options + [file.path]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return said.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 4)
            guard parts.count == 5, parts[0] == file.path, let number = Int(parts[1]),
                parts[3] == " error" || parts[3] == " warning"
            else { return nil }
            return (number, String(parts[4]))
        }
    }

    private static func modules(near program: URL) -> URL? {
        var folder = program
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let modules = folder.appendingPathComponent("Modules/RealmSwift.swiftmodule")
            if FileManager.default.fileExists(atPath: modules.path) { return folder }
        }
        return nil
    }
}
