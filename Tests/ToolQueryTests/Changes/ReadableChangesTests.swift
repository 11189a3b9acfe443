import Testing

@testable import ToolKit
@testable import ToolSupport

/// Changes as text for people.
@Suite struct ReadableChangesTests {
    private let lab = WriteLab()

    private func prepare() {
        lab.write(
            "old.ndjson", #"{"_id":1,"a":"x"}"# + "\n" + #"{"_id":2,"a":"y"}"# + "\n")
        lab.write(
            "new.ndjson", #"{"_id":2,"a":"z","b":1.5}"# + "\n" + #"{"_id":3,"a":"w"}"# + "\n")
        #expect(lab.shell("$W -q --create --infer old.realm C old.ndjson").status == 0)
        #expect(lab.shell("$W -q --create --infer new.realm C new.ndjson").status == 0)
    }

    @Test func eachChangedPropertyHasALine() {
        prepare()
        let run = lab.shell("$Q -f diff --diff new.realm old.realm")
        #expect(run.status == 1)
        #expect(
            run.text == """
                - C 1
                -    _id: 1
                -    a: "x"
                ~ schema C.b: add-property double?
                ~ C 2
                -    a: "y"
                +    a: "z"
                +    b: 1.5
                + C 3
                +    _id: 3
                +    a: "w"
                +    b: null

                """)
        let colored = lab.shell("$Q --color always -f diff --diff new.realm old.realm").text
        #expect(colored.hasPrefix("\u{1B}[31m- C 1\u{1B}[0m\n"))
        #expect(lab.shell("$Q -f diff --diff old.realm old.realm").text == "")
    }

    @Test func eachClassHasALine() {
        prepare()
        let run = lab.shell("$Q --stat --diff new.realm old.realm")
        #expect(run.status == 1)
        #expect(
            run.text == "CLASS  INSERTED  UPDATED  DELETED  SCHEMA\n"
                + "C             1        1        1       1\n")
        #expect(
            lab.shell("$Q --stat -f ndjson --diff new.realm old.realm").text
                == #"{"class":"C","inserted":1,"updated":1,"deleted":1,"schema":1}"# + "\n")
        let same = lab.shell("$Q --stat --diff old.realm old.realm")
        #expect(same.status == 0 && same.text == "")
    }

    @Test func contradictoryOptionsAreRefused() {
        prepare()
        for words in [
            "-f diff old.realm C", "-f diff --watch old.realm", "--stat old.realm",
            "--stat -c --diff new.realm old.realm", "--stat -f diff --diff new.realm old.realm",
            "-f line --diff new.realm old.realm",
        ] {
            #expect(lab.shell("$Q \(words)").status == 2, "\(words)")
        }
    }
}
