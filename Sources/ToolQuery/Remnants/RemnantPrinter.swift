import RealmEngine
import ToolKit

/// Prints remnants (deleted objects and earlier states of objects), class by class. Confined to one
/// thread.
final class RemnantPrinter {
    private let request: QueryRequest
    private let remnants: Remnants
    private let output: VerifiedOutput
    private let namesClass: Bool
    private let style: RecordStyle
    private var buffer = ByteBuffer(capacity: 1 << 17)
    /// Number of deleted objects and earlier states that were printed. `toSkip` is the number of
    /// deleted objects and earlier states that `--offset` still skips.
    private(set) var count = 0
    private var toSkip: Int
    private var hasBegun = false
    /// Messages about objects that were left out because their bytes are damaged.
    private(set) var failures: [String] = []

    init(
        _ request: QueryRequest, _ remnants: Remnants, _ output: VerifiedOutput, namesClass: Bool
    ) {
        (self.request, self.remnants, self.output) = (request, remnants, output)
        self.namesClass = namesClass
        style = request.recordStyle(request.recordForm)
        toSkip = request.window.skip
    }

    /// Names of the members that are printed before an object's properties. The Boolean is true if
    /// the value is a number. `behind` contains the members that are printed after the properties.
    private static let before = [("$key", true), ("$state", false), ("$certainty", false)]
    private static let behind = [
        ("$changed", false), ("$missing", false), ("$source", false), ("$offset", true),
        ("$row", true), ("$copies", true), ("$versions", false),
    ]

    private static func facts(of remnant: Remnant) -> [RecordFact] {
        [
            remnant.key.map { .number($0.raw) } ?? .unknown, .text(remnant.state.name),
            .text(remnant.certainty.name),
            remnant.changed.isEmpty ? .none : .names(remnant.changed),
            remnant.missing.isEmpty ? .none : .names(remnant.missing),
            .text(remnant.source.name),
            remnant.offset.map { .number(Int64(clamping: $0)) } ?? .unknown,
            .number(Int64(remnant.row)),
            remnant.copies > 1 ? .number(Int64(remnant.copies)) : .none,
            remnant.versions.map { .range($0) } ?? .none,
        ]
    }

    private func plan(_ table: TableInfo) throws(RealmError) -> RecordPlan {
        var planner = RecordPlanner(
            table, remnants.views[0].schema, request.fields, request.values)
        let plan = try planner.plan()
        func fields(_ names: [(String, Bool)], from first: Int) -> [RecordPlan.Field] {
            names.enumerated().map { i, name in
                RecordPlan.Field(
                    label: name.0, path: FieldPath(source: .fact(first + i), steps: []),
                    expansion: nil, isMixed: false, isNumber: name.1)
            }
        }
        let isJSON = style.form == JSONForm.self || style.form == NDJSONForm.self
        return RecordPlan(
            table: table,
            fields: fields(Self.before, from: 0) + plan.fields
                + fields(Self.behind, from: Self.before.count),
            columns: plan.columns, explode: nil, namesClass: isJSON || namesClass)
    }

    /// Prints the deleted objects and earlier states of one class. Returns false if the requested
    /// number of records has been printed.
    func print(_ position: Int) throws(RealmError) -> Bool {
        let table = remnants.classes[position]
        let matcher = try RemnantMatcher(request, remnants, position)
        let plan = try plan(table)
        var renderers: [Int: RecordRenderer] = [:]
        var record = ByteBuffer(capacity: 4096)
        var isEnough = count >= request.window.take
        var isFirst = true
        if isEnough { return false }
        try remnants.visit(position) { (remnant) throws(RealmError) in
            guard try matcher.matches(remnant) else { return true }
            if toSkip > 0 {
                toSkip -= 1
                return true
            }
            if request.isCount {
                count += 1
            } else {
                let main = renderer(0, plan, &renderers)
                if isFirst {
                    main.begin(isFirst: !hasBegun, to: &buffer)
                    isFirst = false
                }
                try print(
                    remnant, main, renderer(remnant.view, plan, &renderers), &record)
            }
            isEnough = count >= request.window.take
            return !isEnough
        }
        renderers[0]?.finish(to: &buffer)
        return !isEnough
    }

    private func renderer(
        _ view: Int, _ plan: RecordPlan, _ renderers: inout [Int: RecordRenderer]
    ) -> RecordRenderer {
        if let known = renderers[view] { return known }
        let snapshot = remnants.views[view].snapshot()
        snapshot.beginWalk()
        var values = request.values
        values.isReadBack = false
        // In a complete earlier version, the targets of all links exist. In the unused space of the
        // newest version the targets may be missing.
        values.showsLostLinks = view == 0
        let made = RecordRenderer(plan, snapshot, JSONRenderer(snapshot, values), style)
        renderers[view] = made
        return made
    }

    private func print(
        _ remnant: Remnant, _ main: RecordRenderer, _ renderer: RecordRenderer,
        _ record: inout ByteBuffer
    ) throws(RealmError) {
        record.removeAll()
        renderer.facts = Self.facts(of: remnant)
        do throws(RealmError) {
            // Resets the read budget: the search for remnants has already read this leaf and
            // counted its bytes.
            renderer.beginWalk()
            try renderer.scan.open(remnant.slice, without: remnant.emptyColumns)
            try renderer.spool(remnant.row, to: &record)
        } catch {
            guard error.isDamage else { throw error }
            failures.append(
                "the object in row \(remnant.row) of the leaf at \(remnant.leaf) is left out: "
                    + error.message)
            return
        }
        if style.form == JSONForm.self {
            // Each rendered record begins with a separator, which the opening bracket replaces in
            // the first one.
            buffer.append(hasBegun ? ",\n" : "[")
            buffer.append(UnsafeRawBufferPointer(rebasing: record.bytes[2...]))
        } else {
            main.print(record.bytes, to: &buffer)
        }
        hasBegun = true
        count += 1
        try output.write(&buffer)
    }

    /// Writes the rest of the output. With `--count`, prints the number of deleted objects and
    /// earlier states.
    func finish() throws(RealmError) {
        if request.isCount {
            buffer.append(number: count)
            buffer.append(request.terminator)
        } else if style.form == JSONForm.self {
            buffer.append(hasBegun ? "]\n" : "[]\n")
        }
        try output.flush(&buffer)
    }
}
