import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

@Suite struct BuildIdentityTests {
    private func note(_ name: String, _ type: UInt8, _ description: [UInt8]) -> [UInt8] {
        let name = Array(name.utf8) + [0]
        func padded(_ bytes: [UInt8]) -> [UInt8] {
            bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        func word(_ number: Int) -> [UInt8] { [UInt8(number), 0, 0, 0] }
        return word(name.count) + word(description.count) + [type, 0, 0, 0] + padded(name)
            + padded(description)
    }

    @Test func theBuildIDIsFoundAfterOtherNotes() {
        let notes =
            note("GNU", 1, [1, 2, 3, 4, 5]) + note("Go", 3, [7]) + note("GNU", 3, [0xAB, 1])
        #expect(BuildIdentity.identity(in: notes, alignment: 4) == "ab01")
        #expect(BuildIdentity.identity(in: [], alignment: 4) == nil)
    }

    /// Sizes in the notes are not trusted.
    @Test func damagedNotesHaveNoBuildID() {
        let whole = note("GNU", 3, [UInt8](repeating: 9, count: 20))
        for count in 0..<whole.count {
            #expect(BuildIdentity.identity(in: Array(whole.prefix(count)), alignment: 4) == nil)
        }
        for place in 0..<8 {
            var damaged = whole
            damaged[place] = 0xFF
            #expect(BuildIdentity.identity(in: damaged, alignment: 4) == nil)
            #expect(BuildIdentity.identity(in: damaged, alignment: 8) == nil)
        }
    }

    @Test func otherFilesHaveNoBuildID() {
        #expect(BuildIdentity.program(path: "/proc/self/maps") == nil)
        #expect(BuildIdentity.program(path: "/nowhere") == nil)
    }

    @Test func theReportContainsTheBuildID() {
        let result = ToolProcess.run(
            "realm-bench",
            [
                "--file", "\(packageRoot)/Tests/Fixtures/query/orders.realm", "-r", "1", "-N", "1",
                "--warmup", "0s", "-q", "--json", "open",
            ])
        #expect(result.status == 0, "\(result.errorText)")
        let id = result.text.split(separator: "\"id\":\"").last?.prefix { $0 != "\"" }
        #expect(
            id?.count == 7 && id?.allSatisfy(\.isHexDigit) == true, "\(result.text.prefix(200))")
    }
}
