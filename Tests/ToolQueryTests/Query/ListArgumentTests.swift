import Testing

@testable import ToolKit
@testable import ToolSupport

/// A list bound by `--argjson` finds the same objects as the list literal in the predicate.
@Suite struct ListArgumentTests {
    private static let types = [
        "int", "string", "double", "bool", "float", "decimal128", "date", "objectId", "uuid",
        "data", "mixed",
    ]

    @Test func listArgumentsEqualListLiterals() {
        let lab = WriteLab()
        let properties = Self.types.map { "  p\($0) \($0)\($0 == "mixed" ? "" : "?")\n" }.joined()
        lab.write("s.txt", "class A\n" + properties)
        lab.write(
            "a.ndjson",
            #"{"pint":1,"pstring":"a","pdouble":1,"pbool":true,"pmixed":1}"# + "\n"
                + #"{"pint":2,"pstring":"1","pdouble":1.5,"pbool":false,"pmixed":"a"}"# + "\n{}\n")
        let made = lab.shell("$W -q --create --schema-file s.txt a.realm A a.ndjson")
        #expect(made.status == 0, "\(made.errorText)")
        let lists = [
            "\"a\",1", "1,\"a\"", "\"a\",null", "\"1\",\"x\"", "true,\"a\",1.5", "\"\"",
        ]
        for elements in lists {
            var script = ""
            for type in Self.types {
                script += """
                    x=$($Q -c --argjson '[\(elements)]' a.realm A 'p\(type) IN $0' 2>&1)
                    y=$($Q -c a.realm A 'p\(type) IN {\(elements)}' 2>&1)
                    [ "$x" = "$y" ] || echo "\(type): $x, not $y"

                    """
            }
            let run = lab.shell(script)
            #expect(run.text == "", "\(elements)")
        }
        // A single text that is not a value of the property's type is still an error.
        #expect(lab.shell("$Q -c --argjson '\"a\"' a.realm A 'pint == $0'").status == 2)
    }
}
