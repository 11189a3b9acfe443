import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Regressions, with the object keys that the reference engine returns, for all evaluation
/// strategies.
@Suite struct QueryRulesTests {
    private func expect(
        _ dataset: String, _ className: String, _ answers: [(String, [Int64])]
    ) throws {
        let path = QueryCases.folder.appending(path: dataset + ".realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: className)))
        for (text, keys) in answers {
            let bound = try Query(text).bound(to: table)
            for options in QueryOptions.ways {
                let plan = try QueryPlan(bound, in: snapshot, options: options)
                #expect(try plan.rows(in: snapshot).keys.map(\.raw) == keys, "\(text)")
            }
        }
    }

    private func expect(
        _ dataset: String, _ className: String, refused texts: [String], _ reason: String
    ) throws {
        let path = QueryCases.folder.appending(path: dataset + ".realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: className)))
        for text in texts {
            do throws(RealmError) {
                _ = try Query(text).bound(to: table)
                Issue.record("accepted: \(text)")
            } catch {
                #expect(error.kind == .misuse && error.reason == reason, "\(text): \(error)")
            }
        }
    }

    @Test func objectsOfAnotherClassAreRefusedOnBothSides() throws {
        try expect(
            "social", "Person",
            refused: [
                "boss == obj('Company', 1)", "obj('Company', 1) == boss",
                "obj('Company', 1) != boss", "obj('Company', 1) IN friends",
                "{obj('Company', 1)} == boss",
            ], "wrongLinkClass")
        try expect("social", "Person", [("obj('Person', 'ann') == boss", [1, 4])])
    }

    @Test func quantifiersOfSingleValuesFollowTheReference() throws {
        try expect(
            "text", "Note",
            refused: [
                "NONE body TEXT 'apple'", "ANY body TEXT 'apple'", "ALL parent.body TEXT 'apple'",
            ], "quantifierNeedsList")
        try expect("text", "Note", [("NONE refs.body TEXT 'apple'", [0, 5])])
        try expect(
            "social", "Person",
            [
                ("NONE employer == obj('Company', 1)", [0, 1]),
                ("NONE employer in {obj('Company', 1)}", [2, 3, 4, 5, 6, 7]),
                ("NONE employer == {obj('Company', 1), obj('Company', 2)}", [3, 4, 5, 6, 7]),
                ("ALL employer in {obj('Company', 1), null}", [0, 1, 3, 7]),
                ("NONE boss.employer in {obj('Company', 1)}", [0, 5, 6, 7]),
                ("NONE boss.employer in {obj('Company', 1), null}", [6]),
            ])
    }

    @Test func constantsConvertToTheTypeOfTheAggregate() throws {
        try expect(
            "social", "Company",
            [("board.@avg.age > 30.5", [0, 3]), ("board.@avg.age > inf", [])])
        try expect(
            "orders", "Customer",
            [("extra.@sum != null", [0, 1, 2, 3, 4]), ("extra.@avg == null", [0, 1, 2, 3, 4])])
        try expect("bags", "Bag", [("d_t.@sum != null", [0, 1, 2, 3, 4, 5, 6, 7])])
    }

    @Test func comparingTwoListsIsRefused() throws {
        try expect(
            "bags", "Bag",
            refused: [
                "l_i == s_i", "l_i == d_i", "l_i == l_i", "d_i != d_i", "d_i.@values == l_i",
                "l_i[0] == l_i[1]", "l_i contains l_s", "l_s like d_s",
            ], "twoLists")
        try expect(
            "bags", "Bag", [("l_s.length == l_i", [0, 7]), ("d_i['k1'] == d_i['k2']", [1, 3, 7])])
    }

    @Test func nullIsNoOperandOfArithmetic() throws {
        try expect(
            "bags", "Bag",
            refused: ["n == 1.5 * null", "n * null == 1", "n == {1,2} * null"], "arithmeticOperand")
        try expect(
            "types", "Row",
            [
                ("b contains os", [0, 3, 8]), ("i contains os", [0, 3, 8]),
                ("mx contains os", [3, 8]), ("d contains obin", [0, 3, 8]),
            ])
    }

    @Test func infinityAndNaNMustBeWholeWords() throws {
        try expect(
            "places", "FlatPt",
            refused: ["coordinates > 'nanpt'", "coordinates < 'infx'", "coordinates < '-nan x'"],
            "typeMismatch")
        try expect(
            "places", "FlatPt",
            [
                ("coordinates > 'NaN'", [0, 1]), ("coordinates < '+inf'", [0, 1]),
                ("coordinates < '2.5x'", []),
            ])
        try expect("types", "Row", refused: ["dec < 'infx'", "f == 'nanx'"], "typeMismatch")
    }

    @Test func regionsIncludeThePoles() throws {
        try expect(
            "places", "Place",
            [
                ("at geowithin geobox([0.0, -90.0], [10.0, 90.0])", [1, 3, 9, 10, 11]),
                ("at geowithin geobox([10.0, 90.0], [0.0, -90.0])", [1, 3, 9, 10, 11]),
                (
                    "at geowithin geobox([-10.0, -90.0], [100.0, 90.0])",
                    [0, 1, 2, 3, 4, 7, 8, 9, 10, 11]
                ),
                ("at geowithin geobox([-100.0, -90.0], [100.0, 90.0])", [5, 6, 16]),
                ("at geowithin geobox([-1.5, -90.0], [10.0, 10.0])", [0, 1, 2, 8, 9, 10, 11]),
                ("at geowithin geobox([0.0, -90.0], [10.0, 10.0])", [1, 9, 10, 11]),
                ("at geowithin geobox([0.0, 48.0], [-2.0, -90.0])", [0, 2, 8]),
                ("at geowithin geobox([-1.5, -90.0], [178.5, 10.0])", [7, 16]),
                ("at geowithin geobox([-1.0, 90.0], [10.0, 10.0])", [3, 4, 7]),
                ("at geowithin geobox([-100.0, -90.0], [-179.0, 10.0])", []),
                (
                    "at geowithin geopolygon({[0.0,-90.0],[10.0,10.0],[-20.0,10.0],[0.0,-90.0]})",
                    [0, 1, 2, 8, 9, 10, 11]
                ),
                ("at geowithin geopolygon({[5.0,90.0],[10.0,10.0],[20.0,10.0],[5.0,90.0]})", []),
            ])
    }

    @Test func regionsWithoutAreaContainNoPoint() throws {
        for ring in [
            "[0.0,0.0],[1.0,0.0],[2.0,0.0],[0.0,0.0]", "[0.0,0.0],[2.0,0.0],[1.0,0.0],[0.0,0.0]",
            "[0.0,90.0],[1.0,90.0],[2.0,90.0],[0.0,90.0]",
            "[0.0,90.0],[1.0,90.0],[2.0,10.0],[0.0,90.0]",
        ] {
            try expect("places", "Place", [("at geowithin geopolygon({\(ring)})", [])])
        }
        // A very small region is valid.
        try expect(
            "places", "Place",
            [
                (
                    "at geowithin geobox([2.3521999, 48.8565999], [2.3522001, 48.8566001])", [3]
                ),
                (
                    "at geowithin geobox([2.3522001, 48.8565999], [2.3521999, 48.8566001])", [3]
                ),
            ])
    }
}
