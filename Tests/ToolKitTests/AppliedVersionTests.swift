import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// The file beside a database that follows another one.
@Suite struct AppliedVersionTests {
    private let scratch = ScratchDirectory()

    @Test func itIsReadAsItWasWritten() throws {
        let path = scratch.file("a.realm")
        #expect(try AppliedVersion(beside: path) == nil)
        let mark = "0123456789abcdef"
        let positions = [
            nil, StreamPosition(0), StreamPosition(0, mark), StreamPosition(7),
            StreamPosition(7, mark),
        ]
        for applied in positions {
            for coming in positions {
                let written = AppliedVersion(applied, target: 5, coming: coming)
                try written.write(beside: path, isDurable: false)
                #expect(try AppliedVersion(beside: path) == written)
                // Version 0 means that nothing was applied.
                #expect(written.position(at: 5) == (applied?.version == 0 ? nil : applied))
                #expect(written.position(at: 6) == (coming ?? written.applied))
                #expect(written.position(at: 4) == nil)
            }
        }
    }
}
