import Testing

@testable import EngineSupport
@testable import RealmEngine

private func parse(_ text: String) throws(RealmError) -> QueryTree {
    try QueryParser.parse(QuerySource(text: [UInt8](text.utf8)))
}

private func failure(_ text: String) -> RealmError? {
    do throws(RealmError) {
        _ = try parse(text)
        return nil
    } catch { return error }
}

@Suite struct QueryParserTests {
    @Test func casesParseOrFailAsRecorded() {
        for example in QueryCases.all {
            let text = example["query"]!.string!
            let error = failure(text)
            // The parser detects a year before 1900, but reports it as an invalid query.
            let expected = example.expectedError.flatMap {
                $0.kind == "syntax" || $0.reason == "timestamp" ? $0 : nil
            }
            #expect((error == nil) == (expected == nil), "\(text): \(error?.message ?? "parsed")")
            if let error, let expected {
                #expect(error.reason == expected.reason, "\(text): \(error.message)")
                #expect(error.kind == .misuse)
                let code = expected.kind == "syntax" ? "SyntaxError" : "InvalidQuery"
                #expect(error.code == code, "\(text)")
                #expect(error.hint?.contains("^") == true)
            }
        }
    }

    @Test func errorColumnsCountCharacters() {
        let error = failure("näme == )")
        #expect(error?.message.hasPrefix("column 9: expected") == true)
        #expect(error?.hint == "näme == )\n        ^")
        let below = failure("a == 1\nAND b")?.message ?? ""
        #expect(below.hasPrefix("line 2, column 6: "), "\(below)")
        #expect(failure("")?.message.hasPrefix("column 1: ") == true)
        let long = String(repeating: "a == 1 AND ", count: 50) + "?"
        let hint = failure(long)?.hint ?? ""
        #expect(hint.hasPrefix("..."))
        #expect(hint.hasSuffix("^"))
    }

    @Test func nestingHasAMaximumDepth() {
        for (open, close) in [("(", ")"), ("NOT ", ""), ("!(", ")")] {
            for depth in [20, 100_000] {
                let text =
                    String(repeating: open, count: depth) + "a == 1"
                    + String(repeating: close, count: depth)
                #expect((failure(text) == nil) == (depth == 20))
            }
        }
        let deep = String(repeating: "SUBQUERY(a, $x, ", count: 100_000)
        #expect(failure(deep)?.message.contains("nested deeper") == true)
        #expect(failure(String(repeating: "(", count: 1_000_000)) != nil)
    }

    @Test func longChainsAreParsedWithoutRecursion() throws {
        let terms = Array(repeating: "a == 1", count: 20_000)
        #expect(failure(terms.joined(separator: " OR ")) == nil)
        #expect(failure(terms.joined(separator: " AND ")) == nil)
        let sum = Array(repeating: "a", count: 20_000).joined(separator: " + ")
        #expect(failure(sum + " == 1") == nil)
    }
}

@Suite struct QueryLiteralTests {
    private func constant(_ text: String) throws -> QueryConstant {
        let tree = try parse("a == " + text)
        guard case .comparison(let comparison) = tree.condition.kind,
            case .constant(let constant) = comparison.right.kind
        else {
            Issue.record("not a constant: \(text)")
            return .null
        }
        return constant
    }

    @Test func integerLiteralsAreParsed() throws {
        let expected: [(String, Int64)] = [
            ("0", 0), ("12", 12), ("+12", 12), ("-12", -12), ("010", 8), ("-010", -8),
            ("08", 0), ("0x1F", 31), ("0Xff", 255), ("9223372036854775807", .max),
            ("9223372036854775808", .max), ("-9223372036854775807", -.max),
            ("-9223372036854775808", .min), ("-99999999999999999999", .min),
            ("0xffffffffffffffffff", .max),
        ]
        for (text, value) in expected {
            guard case .int(let found) = try constant(text) else {
                Issue.record("not an integer: \(text)")
                continue
            }
            #expect(found == value, "\(text)")
        }
    }

    @Test func floatLiteralsAreParsed() throws {
        let doubles: [(String, Double)] = [
            ("1.5", 1.5), ("1.", 1), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000), ("1.e2", 100),
            ("+2.5E-1", 0.25), ("1e400", .infinity), ("0.1", 0.1), ("1e-400", 0),
        ]
        for (text, value) in doubles {
            guard case .double(let found, _) = try constant(text) else {
                Issue.record("not a double: \(text)")
                continue
            }
            #expect(found == value, "\(text)")
        }
        for (text, value) in [
            ("1f", Float(1)), ("0.1f", 0.1), ("1.e2f", 100), ("1e40f", .infinity),
        ] {
            guard case .float(let found, _) = try constant(text) else {
                Issue.record("not a float: \(text)")
                continue
            }
            #expect(found == value, "\(text)")
        }
        for (text, negative) in [("inf", false), ("-Infinity", true), ("+INF", false)] {
            guard case .infinity(negative) = try constant(text) else {
                Issue.record("not infinite: \(text)")
                continue
            }
        }
        guard case .nan = try constant("-NaN") else { throw failure("")! }
    }

    @Test func timeLiteralsAreParsed() throws {
        let expected: [(String, Int64, Int32)] = [
            ("T5:7", 5, 7), ("T-5:-7", -5, -7), ("T0:-1", 0, -1),
            ("1970-01-01@00:00:00", 0, 0), ("2020-02-29T12:30:15:5", 1_582_979_415, 5),
            ("1969-12-31T23:59:59:5", -1, -5), ("2021-13-01@00:00:00", 1_640_995_200, 0),
            ("2021-02-30@24:60:61", 1_614_733_261, 0), ("2100-03-01@00:00:00", 4_107_542_400, 0),
            ("1900-01-01T00:00:00", -2_208_988_800, 0), ("2000-0-1@0:0:0", 944_006_400, 0),
        ]
        for (text, seconds, nanos) in expected {
            guard case .timestamp(let time) = try constant(text) else {
                Issue.record("not a time: \(text)")
                continue
            }
            #expect(time == Timestamp(seconds: seconds, nanoseconds: nanos), "\(text)")
        }
        for text in ["T1:1000000000", "T99999999999999999999:0", "99999999999-1-1@0:0:0"] {
            #expect(failure("a == \(text)")?.reason == "timestamp")
        }
    }

    @Test func textAndBinaryLiteralsAreParsed() throws {
        let strings: [(String, String)] = [
            ("'a\\nb'", "a\\nb"), ("\"it's\"", "it's"), ("B64\"aGVsbG8=\"", "hello"),
            ("B64\"aGVsbG8\"", "hello"), ("B64\"\"", ""), ("'\\u00e9'", "\\u00e9"), ("''", ""),
        ]
        for (text, value) in strings {
            guard case .string(let found) = try constant(text) else {
                Issue.record("not a string: \(text)")
                continue
            }
            #expect(found == [UInt8](value.utf8), "\(text)")
        }
        for text in ["binary('AQI=')", "BIN(\"AQI=\")"] {
            guard case .binary(let found) = try constant(text) else { throw failure("")! }
            #expect(found == [UInt8]("AQI=".utf8))
        }
        guard case .binary([1, 2]) = try constant("binary(B64\"AQI\")") else { throw failure("")! }
        #expect(failure("a == B64\"A\"")?.reason == "syntax")
        #expect(failure("a == 'x\\u12g4'")?.reason == "syntax")
    }

    @Test func identifierLiteralsAreParsed() throws {
        guard
            case .uuid(let uuid) = try constant("uuid(00112233-4455-6677-8899-aAbBcCdDeEfF)"),
            case .objectID(let id) = try constant("oid(000102030405060708090a0B)"),
            case .typedKey(3, 5) = try constant("L3:5"),
            case .objectKey(17) = try constant("O17"),
            case .argument(2, nil) = try constant("$2"),
            case .argument(0, .some(.all)) = try constant("ALL $0"),
            case .object(let name, .int(-4)) = try constant("obj('C', -4)")
        else { throw failure("")! }
        #expect(uuid == UUIDValue(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))
        #expect(id == ObjectID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B))
        #expect(name == [0x43])
    }

    @Test func escapedNamesAndReservedWordsArePropertyNames() throws {
        let tree = try parse("x\\ y.limit.in[0]['k'][*][LAST][$1].@keys[SIZE] == 1 SORT(asc desc)")
        guard case .comparison(let comparison) = tree.condition.kind,
            case .property(let property) = comparison.left.kind
        else { throw failure("")! }
        #expect(property.suffix == .count)
        #expect(property.path.steps.count == 9)
        guard case .name(let first) = property.path.steps[0].kind else { throw failure("")! }
        #expect(first == "x y")
        #expect(tree.clauses.count == 1)
    }

    @Test func operatorsFollowTheirPrecedence() throws {
        // OR binds loosest and NOT tightest; arithmetic groups may begin with the same parenthesis.
        let tree = try parse("NOT a == 1 AND (b + 1) * 2 == 3 OR ((c))==1")
        guard case .or(let sides) = tree.condition.kind, case .and(let both) = sides[0].kind,
            case .not = both[0].kind, case .comparison(let product) = both[1].kind,
            case .arithmetic(let left, let terms) = product.left.kind,
            case .arithmetic = left.kind
        else { throw failure("")! }
        #expect(sides.count == 2)
        #expect(terms.count == 1 && terms[0].sign == .multiply)
        #expect(failure("(a) beginswith 'x'") != nil)
        #expect(failure("(a == 1) + 1 == 2") != nil)
        #expect(failure("1 + (a == 1) == 2") != nil)
        #expect(failure("a == (b == 1)") != nil)
        #expect(failure("(a == 1) == 1") != nil)
        #expect(failure("(a) OR b == 1") != nil)
    }
}
