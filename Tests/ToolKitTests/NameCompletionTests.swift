import Testing

@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport
@testable import ToolWrite

/// Completion of class and property names.
@Suite struct NameCompletionTests {
    private let social = packageRoot + "/Tests/Fixtures/query/social.realm"

    private func names(
        _ subject: String, _ words: String..., of table: CommandTable = QueryTable.table
    ) -> [String]? {
        NameCompletion((["--complete=\(subject)"] + words)[...], table)?.text
            .split(separator: "\n").map(String.init)
    }

    @Test func classNamesAreCompleted() {
        #expect(names("class", "", social) == ["Address", "Company", "Person", "Pet"])
        #expect(names("class", "Pe", "-f", "csv", social) == ["Person", "Pet"])
        #expect(
            names("class", "Pe", "-fcsv", "-L", "3", "--sort=age", social) == ["Person", "Pet"])
        #expect(names("class", "Pe", "--sort", "=", "age", social) == ["Person", "Pet"])
        #expect(names("class", "", "'\(social)'", of: WriteTable.table)?.count == 4)
        #expect(names("class", "", social, "Person") == [])
    }

    @Test func propertyNamesAreCompleted() {
        #expect(names("property", "h", social, "Person") == ["handle", "height"])
        #expect(
            names("property", "name,h", social, "Person") == ["name,handle", "name,height"])
        #expect(names("property", "-h", social, "Person") == ["-handle", "-height"])
        #expect(names("property", "--fields=ti", social) == ["--fields=title"])
        #expect(names("property", "x=bo", social, "Person") == ["x=born", "x=boss"])
    }

    @Test func invalidFilesAndOptionsPrintNothing() {
        #expect(names("class", "", "/nowhere") == [])
        #expect(names("class", "", "/dev/stdin") == [])
        #expect(names("class", "", packageRoot + "/Package.swift") == [])
        #expect(names("class", "", "-K", "/nowhere", social) == [])
        #expect(names("class", "") == [])
        #expect(names("property", "", social, "Nobody") == [])
        #expect(names("nothing", "", social) == nil)
        let run = ToolProcess.run("realm-query", ["--complete=class", "", "/nowhere"])
        #expect(run.status == 0 && run.output == [] && run.errors == [])
    }

    @Test func bashCompletesNames() {
        let run = ToolProcess.shell(
            "source \(packageRoot)/completions/realm-query.bash; "
                + "COMP_WORDS=($TOOL \(social) P); COMP_CWORD=2; _realm_query; "
                + "echo ${COMPREPLY[*]}; COMP_WORDS=($TOOL \(social) Person -s -a); COMP_CWORD=4; "
                + "_realm_query; echo ${COMPREPLY[*]}")
        #expect(run.text == "Person Pet\n-address -age\n", "\(run.errorText)")
    }
}
