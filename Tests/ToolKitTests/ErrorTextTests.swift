import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

@Suite struct ErrorTextTests {
    private func render(_ error: RealmError, asJSON: Bool = false) -> String {
        var buffer = ByteBuffer(capacity: 64)
        ErrorText.append(error, tool: "realm-query", asJSON: asJSON, to: &buffer)
        return buffer.string
    }

    private let wrongKey = RealmError(
        .key, code: "DecryptionFailed", reason: "wrong-key", "wrong encryption key",
        file: "mail.realm", hint: "look again")

    @Test func errorsArePrintedAsText() {
        #expect(
            render(wrongKey)
                == "realm-query: mail.realm: wrong encryption key\nhint: look again\n")
        #expect(render(.misuse("no")) == "realm-query: no\n")
    }

    @Test func errorsArePrintedAsJSON() {
        #expect(
            render(wrongKey, asJSON: true)
                == #"{"error":{"code":"DecryptionFailed","reason":"wrong-key","exit":5,"#
                + #""file":"mail.realm","message":"wrong encryption key","hint":"look again"}}"#
                + "\n")
        #expect(
            render(.misuse("no"), asJSON: true)
                == #"{"error":{"code":"IllegalOperation","reason":"usage","exit":2,"#
                + #""file":null,"message":"no","hint":null}}"# + "\n")
    }

    @Test func jsonEscapesSpecialCharacters() {
        let error = RealmError.misuse("q\" b\\ n\n r\r t\t bs\u{8} ff\u{c} nul\0 e\u{1b} é 😀")
        let text = render(error, asJSON: true)
        #expect(
            text.contains(
                #""message":"q\" b\\ n\n r\r t\t bs\b ff\f nul\u0000 e\u001b é 😀""#))
    }

    @Test func textContainsNoControlCharacters() {
        let error = RealmError.misuse("a\u{1b}[2Jb\n\u{7f}").inFile("x\u{7}")
        #expect(render(error) == "realm-query: x\\x07: a\\x1b[2Jb\\x0a\\x7f\n")
    }

    @Test func everyKindHasItsExitCode() {
        let kinds: [(RealmError.Kind, Int32)] = [
            (.corrupt, 4), (.input, 3), (.output, 9), (.key, 5), (.incompatible, 6), (.busy, 7),
            (.misuse, 2), (.data, 8), (.internal, 10),
        ]
        for (kind, code) in kinds { #expect(ExitCode(kind).rawValue == code) }
    }

    @Test func theMostSeriousErrorDeterminesTheStatus() {
        #expect(Set(ExitCode.bySeverity) == Set(ExitCode.allCases))
        #expect(ExitCode.ok.combined(with: .no) == .no)
        #expect(ExitCode.no.combined(with: .usage) == .usage)
        #expect(ExitCode.data.combined(with: .input) == .input)
        #expect(ExitCode.busy.combined(with: .key) == .key)
        #expect(ExitCode.output.combined(with: .damaged) == .output)
        #expect(ExitCode.bug.combined(with: .output) == .bug)
    }
}
