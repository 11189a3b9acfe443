import RealmEngine
import RealmRecords
import ToolKit

extension ClassPlans {
    /// Creates the plans by which records become objects, with the values of `--const`.
    ///
    /// Throws `misuse` if a value of `--const` fits no class, `corrupt` if the target of a link
    /// property does not exist.
    convenience init(_ schema: Schema, _ request: WriteRequest) throws(RealmError) {
        try self.init(schema, request.rules)
        for (property, json) in request.constants {
            try fix(property, json, request.form.uuidOrder)
        }
    }

    /// Sets the value of `--const`, in JSON, that the property `property` gets from every record.
    private func fix(
        _ property: String, _ json: String, _ uuidOrder: UUIDOrder
    ) throws(RealmError) {
        let option = "--const \(property)"
        // `value` does not retain the tape, the memory with the parsed JSON; `fix` does.
        let tape = JSONTape(uuidOrder)
        defer { withExtendedLifetime(tape) {} }
        let value = try JSONArgument.parse(json, option, tape)
        let isKnown: Bool
        do throws(ValueMismatch) { isKnown = try fix(property, value) } catch {
            throw JSONArgument.misfit(option, error)
        }
        if !isKnown {
            throw .misuse(
                "\(option): no class has this property", code: "InvalidProperty",
                reason: "unknown-property")
        }
    }

    /// Returns the class with this name, or the class of a file of `--output-dir`. Throws `misuse`
    /// if there is none.
    func table(named name: String) throws(RealmError) -> TableInfo {
        if let found = classes.first(where: { $0.className == name }) { return found }
        if let subject = ExportNames(schema).subject(name), subject.column == nil,
            let found = classes.first(where: { $0.key == subject.table })
        {
            return found
        }
        let near = Spelling.nearest(3, to: name, among: classes.map(\.className))
        throw .misuse(
            "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class",
            hint: near.isEmpty
                ? "--schema-file or --infer creates classes"
                : "did you mean \(near.joined(separator: ", "))?")
    }
}
