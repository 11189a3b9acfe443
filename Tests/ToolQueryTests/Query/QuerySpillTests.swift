import Testing

@testable import ToolKit
@testable import ToolSupport

/// Sorting of more data than `--max-memory` permits.
@Suite struct QuerySpillToolTests {
    private static let file = "\(packageRoot)/Tests/Fixtures/query/bulk.realm"

    private func sorted(_ options: String, _ environment: String = "") -> ToolProcess {
        ToolProcess.shell(
            "\(environment) \"$TOOL\" \(options) \(Self.file) Node "
                + "'TRUEPREDICATE SORT(s ASC, d DESC) DISTINCT(s, k)'")
    }

    @Test func spillingDoesNotChangeTheOutput() {
        let whole = sorted("-f csv")
        let spilled = sorted("-f csv --max-memory 1k")
        #expect(whole.status == 0 && spilled.status == 0, "\(spilled.errorText)")
        #expect(whole.output == spilled.output)
        #expect(whole.output.count > 10_000)
    }

    /// In a large encrypted file, records are rendered in another order than they are printed in.
    @Test func anEncryptedFileIsPrintedInTheSameOrder() {
        let scratch = ScratchDirectory()
        let script = """
            cd '\(scratch.path)'; W=${TOOL%query}write
            awk 'BEGIN { for (i = 0; i < 5000; i++) { s = sprintf("%d ", i * 7919 % 5000)
                while (length(s) < 400) s = s s; t = substr(s, 1, 400)
                printf "{\\"id\\":%d,\\"text\\":\\"%s\\",\\"n\\":%d,", i, t, i % 10
                printf "\\"list\\":[%s]}\\n", i % 3 ? i ",2" : "" } }' \\
                </dev/null >records
            head -c 64 /dev/zero | tr '\\0' k >key; chmod 600 key
            $W -q --create --infer plain.realm Item records
            $W -q --create --infer --new-encryption-key-file key secret.realm Item records
            """
        let made = ToolProcess.shell(script)
        #expect(made.status == 0, "\(made.errorText)")
        for query in ["SORT(text ASC)", "SORT(n DESC, text DESC)", "SORT(text DESC) LIMIT(4500)"] {
            for format in [
                "ndjson", "json", "csv", "tsv", "table", "line", "markdown", "sql",
                "csv --explode list -F id,list",
            ] {
                let run = { (options: String) in
                    ToolProcess.shell(
                        "cd '\(scratch.path)'; \"$TOOL\" -f \(format) \(options) Item "
                            + "'TRUEPREDICATE \(query)'")
                }
                let plain = run("plain.realm")
                #expect(plain.status == 0 && plain.output.count > 10_000, "\(plain.errorText)")
                for limit in ["1KiB", "1MiB", "64MiB"] {
                    let other = run("-K key --max-memory \(limit) secret.realm")
                    #expect(other.status == 0, "\(other.errorText)")
                    let isSame = other.output == plain.output
                    #expect(isSame, "\(format) \(query) \(limit)")
                }
            }
        }
        let groups = { (options: String) in
            ToolProcess.shell(
                "cd '\(scratch.path)'; \"$TOOL\" --aggregate 'count,max(n)' --group-by text "
                    + "--sort '-count,-text' \(options) Item")
        }
        let plain = groups("plain.realm")
        #expect(plain.status == 0 && plain.output.count > 10_000, "\(plain.errorText)")
        #expect(groups("-K key --max-memory 1KiB secret.realm").output == plain.output)
    }

    /// Sorted records of integers are not rendered before they are printed; fewer records, and
    /// records with other fields, are rendered in other ways.
    @Test func sortedRecordsOfIntegersEqualOtherRecords() {
        let scratch = ScratchDirectory()
        let made = ToolProcess.shell(
            """
            cd '\(scratch.path)'; W=${TOOL%query}write
            awk 'BEGIN { for (i = 0; i < 5000; i++) { j = i * 7919 % 5000
                printf "{\\"id\\":%d,\\"n\\":%s}\\n", j * 1000003 - 9, i % 7 ? j % 10 : "null" } }' \
                </dev/null >records
            $W -q --create --infer a.realm Item records
            """)
        #expect(made.status == 0, "\(made.errorText)")
        let run = { (options: String) -> [Substring] in
            let result = ToolProcess.shell(
                "cd '\(scratch.path)'; \"$TOOL\" \(options) a.realm Item")
            #expect(result.status == 0, "\(options): \(result.errorText)")
            return String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        }
        for form in [
            "-f ndjson -F id,n", "-f ndjson -F n", "-f csv -H -F n,id", "-f tsv -H -F id,n",
            "-f csv -H -F id,n --null 7", "--raw -F id",
        ] {
            let unsorted = run(form)
            for order in ["n,id", "-n,id", "-id", "n"] {
                let sorted = run("\(form) -s '\(order)' --max-memory 64MiB")
                #expect(sorted.sorted() == unsorted.sorted(), "\(form) \(order)")
                let first = run("\(form) -s '\(order)' -L 2000")
                #expect(sorted.prefix(2000) == first[...], "\(form) \(order)")
                let parts = run("\(form) -s '\(order)' --max-memory 1KiB")
                #expect(sorted == parts, "\(form) \(order)")
            }
        }
    }

    @Test func aMissingSpillDirectoryIsAnError() {
        let result = sorted("--max-memory 1k", "TMPDIR=/nowhere")
        #expect(result.status == 9)
        #expect(result.output.isEmpty)
        #expect(result.errorText.contains("/nowhere"), "\(result.errorText)")
        #expect(sorted("", "TMPDIR=/nowhere").status == 0)
    }
}
