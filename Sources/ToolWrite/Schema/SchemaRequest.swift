import RealmEngine
import ToolKit

/// Schema changes that options request, as a plan for the engine. The order of the changes:
/// renames, removals, changes between optional and required, additions, indexes, the version.
struct SchemaRequest {
    private(set) var plan: SchemaPlan
    /// Classes and properties that `--infer` found to be missing.
    private(set) var inferred: [ClassSpec] = []
    /// Explanations of unusual inferred types.
    private(set) var notes: [String] = []

    /// Creates the plan. It is empty if the command requests no changes.
    ///
    /// - Parameter inference: the records that were read for `--infer`; otherwise nil.
    init(
        _ request: WriteRequest, _ file: SchemaFile?, _ inference: SchemaInference? = nil,
        _ snapshot: Snapshot
    ) throws(RealmError) {
        plan = SchemaPlan(snapshot, advice: Self.advice)
        let command = request.command
        for (old, new) in command[WriteOption.rename] {
            try plan.rename(try plan.schemaElement(old), to: new)
        }
        for text in command[WriteOption.drop] { try plan.drop(try plan.schemaElement(text)) }
        for text in command[WriteOption.optional] {
            try plan.setOptional(try property(text, WriteOption.optional), true)
        }
        for text in command[WriteOption.required] {
            try plan.setOptional(try property(text, WriteOption.required), false)
        }
        try planTypes(command)
        if let file { try plan.add(file.classes) }
        if var inference {
            inferred = try inference.missing(from: plan.classes)
            notes = inference.notes
            try plan.add(inferred)
        }
        for text in command[WriteOption.index] {
            try plan.setIndex(try property(text, WriteOption.index), isWanted: true)
        }
        for text in command[WriteOption.unindex] {
            try plan.setIndex(try property(text, WriteOption.unindex), isWanted: false)
        }
        if let version = command[WriteOption.schemaVersion] {
            plan.setVersion(UInt64(version), mayLower: true)
        } else if let version = file?.version {
            // A schema file with a lower version than the database does not lower the version.
            plan.setVersion(version, mayLower: false)
        }
    }

    /// Adds the changes of types, primary keys and kinds of classes to the plan.
    private mutating func planTypes(_ command: ParsedCommand) throws(RealmError) {
        for text in command[WriteOption.noPrimaryKey] {
            try plan.removePrimaryKey(try plan.schemaElement(text))
        }
        for (text, type) in command[WriteOption.type] {
            let schemaElement = try property(text, WriteOption.type)
            guard let name = plan.propertyName(at: schemaElement) else { continue }
            let wanted: PropertyDescription
            do throws(SchemaText.Fault) {
                wanted = try SchemaText.property(name, type: type)
            } catch {
                throw WriteRequest.usage(
                    "--type \(text): expected \(error.expected), got \(error.got)")
            }
            try plan.setType(schemaElement, wanted, command[WriteOption.misfits])
        }
        for text in command[WriteOption.primaryKey] {
            try plan.setPrimaryKey(try property(text, WriteOption.primaryKey))
        }
        for text in command[WriteOption.embed] {
            try plan.setKind(try plan.schemaElement(text), .embedded)
        }
        for text in command[WriteOption.unembed] {
            try plan.setKind(try plan.schemaElement(text), .topLevel)
        }
    }

    private func property(
        _ text: String, _ option: some OptionDeclaration
    ) throws(RealmError) -> SchemaPlan.SchemaElement {
        let schemaElement = try plan.schemaElement(text)
        guard schemaElement.isProperty else {
            throw WriteRequest.usage(
                "\(option.spec.spelling): '\(text)' is not of the form CLASS.PROP")
        }
        return schemaElement
    }

    private static func advice(_ disagreement: SchemaPlan.Disagreement) -> String {
        switch disagreement {
        case .type(let name, let property):
            return "\(WriteOption.drop.spelling) \(name).\(property) removes the old one with its "
                + "values"
        case .presence(let name, let property, let isOptional):
            let option = isOptional ? WriteOption.optional : WriteOption.required
            return "\(option.spelling) \(name).\(property)"
        case .misfits:
            return "\(WriteOption.misfits.spec.spelling) null, default or skip stores another value"
        case .target(let name, let classes):
            let near = NearestNames.to(name, among: ColumnType.names + classes)
            let guess = near.isEmpty ? "" : "did you mean \(near.joined(separator: ", "))? "
            return guess + "types are \(ColumnType.names.joined(separator: ", ")), the name of a "
                + "class for a link to it, and list<TYPE>, set<TYPE>, dictionary<TYPE>"
        }
    }
}

extension SchemaPlan {
    /// Throws `misuse` if the plan loses data, unless that is allowed.
    func checkLoss(isAllowed: Bool) throws(RealmError) {
        guard !isAllowed, let loss = changes.first(where: { $0.losesData }) else { return }
        let note = loss.note.map { " (\($0))" } ?? ""
        throw .misuse(
            "\(loss.action) \(loss.subject)\(note) loses data", code: "IllegalOperation",
            reason: "data-loss", hint: "--force allows it; -n shows the whole plan")
    }
}
