import RealmEngine
import RealmRecords
import ToolKit

/// Output format: classes for SwiftData. Classes become models, and embedded classes become
/// `Codable` structs.
///
/// The target of each link gets an inverse property. Without an inverse, SwiftData would permit
/// only one owner for each target of a to-many relationship.
enum SwiftDataClasses: SchemaForm {
    static func append(_ subject: SchemaSubject, to out: inout ByteBuffer) {
        let classes = NamedClasses(subject.schema, reserved: language.reservedTypes)
        let tables = subject.tables
        let members = tables.map { self.members($0, classes) }
        out.append(language.header)
        for (table, own) in zip(tables, members) {
            out.append("\n")
            if own.isEmpty, table.kind != .embedded {
                out.append(ModelNames.withoutProperties(classes.name(table)))
            } else if table.kind == .embedded {
                out.append(structText(table, own, classes))
            } else {
                let origins = zip(tables, members).filter { $0.0.kind != .embedded }
                let inverses = self.inverses(of: table, own, Array(origins), classes)
                out.append(modelText(table, own, inverses, classes))
            }
        }
    }

    /// A property of a class, with its name in Swift.
    private struct Member {
        let column: ColumnInfo
        let name: String
        /// Type in Swift; nil if SwiftData has no type for the property.
        let type: String?
        let isKey: Bool

        /// Default argument in the initialiser; nil if there is none.
        var initial: String? {
            switch column.collection {
            case .dictionary?: "[:]"
            case .list?, .set?: "[]"
            case nil: type?.hasSuffix("?") == true ? "nil" : nil
            }
        }
    }

    private static func members(_ table: TableInfo, _ classes: NamedClasses) -> [Member] {
        // SwiftData's macro stores a property `x` as `_x`, so that name is reserved, too.
        var taken = ModelNames(reserved: language.reservedMembers, isReserving: "_")
        return table.columns.enumerated().map { index, column in
            Member(
                column: column, name: taken.name(for: column.name),
                type: type(column, in: table, classes), isKey: index == table.primaryKey)
        }
    }

    private static func type(
        _ column: ColumnInfo, in table: TableInfo, _ classes: NamedClasses
    ) -> String? {
        guard let target = classes.target(column) else { return language.type(column, classes) }
        let isModel = target.kind != .embedded
        // A struct cannot have relationships, and a relationship cannot be a dictionary.
        if isModel, table.kind == .embedded || column.collection == .dictionary { return nil }
        // Models and structs need not be hashable, so a set of them becomes an array.
        if column.collection == .set { return "[\(language.quoted(classes.name(target)))]" }
        if column.collection == .dictionary {
            return "[String: \(language.quoted(classes.name(target)))]"
        }
        return language.type(column, classes)
    }
}

// MARK: - Text

extension SwiftDataClasses {
    private static func modelText(
        _ table: TableInfo, _ members: [Member], _ inverses: [String], _ classes: NamedClasses
    ) -> String {
        let name = classes.name(table)
        var text = "@Model\nfinal class \(language.quoted(name)) {\n"
        if name != table.className {
            text += "    // \(DisplayWidth.printable(table.className)) in the Realm file.\n"
        }
        let indexed = members.filter { $0.type != nil && !$0.isKey && $0.column.index != .none }
            .filter { $0.column.collection == nil && $0.column.type != .link }
        if !indexed.isEmpty {
            let paths = indexed.map { "[\\.\(language.quoted($0.name))]" }
            text += "    #Index<\(language.quoted(name))>(\(paths.joined(separator: ", ")))\n\n"
        }
        for member in members { text += "    \(declaration(member, classes))\n" }
        for inverse in inverses { text += "    \(inverse)\n" }
        return text + initializer(members) + "}\n"
    }

    private static func structText(
        _ table: TableInfo, _ members: [Member], _ classes: NamedClasses
    ) -> String {
        var text = "struct \(language.quoted(classes.name(table))): Codable {\n"
        for member in members {
            text += "    \(variable(member, renamed: member.name != member.column.name))\n"
        }
        return text + "}\n"
    }

    private static func declaration(_ member: Member, _ classes: NamedClasses) -> String {
        guard member.type != nil else { return variable(member, renamed: false) }
        var arguments = member.isKey ? [".unique"] : []
        if member.name != member.column.name {
            arguments.append("originalName: \(SwiftNames.literal(member.column.name))")
        }
        let isRelationship = classes.target(member.column).map { $0.kind != .embedded } ?? false
        let attribute = isRelationship ? "@Relationship" : "@Attribute"
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let prefix = isRelationship || !arguments.isEmpty ? "\(attribute)\(list) " : ""
        return prefix + variable(member, renamed: false)
    }

    /// Returns the declaration of a property.
    ///
    /// - Parameter renamed: whether to add a comment with the stored name.
    private static func variable(_ member: Member, renamed: Bool) -> String {
        guard let type = member.type else { return ModelNames.untyped(member.column) }
        let note = renamed ? "  // \(DisplayWidth.printable(member.column.name))" : ""
        return "var \(language.quoted(member.name)): \(type)\(note)"
    }

    private static func initializer(_ members: [Member]) -> String {
        let typed = members.filter { $0.type != nil }
        let parameters = typed.map { member in
            "\(language.quoted(member.name)): \(member.type ?? "")"
                + (member.initial.map { " = \($0)" } ?? "")
        }
        var text = "\n    init(\n        \(parameters.joined(separator: ",\n        "))\n    ) {\n"
        if parameters.isEmpty { text = "\n    init() {\n" }
        for member in typed {
            text += "        self.\(member.name) = \(language.quoted(member.name))\n"
        }
        return text + "    }\n"
    }
}

// MARK: - Inverses

extension SwiftDataClasses {
    /// Returns the inverses of links to `table`. Their names are derived from the linking class and
    /// property.
    private static func inverses(
        of table: TableInfo, _ members: [Member], _ origins: [(TableInfo, [Member])],
        _ classes: NamedClasses
    ) -> [String] {
        var taken = ModelNames(
            reserved: language.reservedMembers.union(members.map(\.name)), isReserving: "_")
        var inverses: [String] = []
        for (origin, links) in origins {
            for link in links
            where link.type != nil && classes.target(link.column)?.className == table.className {
                let (owner, property) = (classes.name(origin), link.name)
                let name = taken.name(
                    for: owner.prefix(1).lowercased() + owner.dropFirst()
                        + property.prefix(1).uppercased() + property.dropFirst())
                inverses.append(
                    "@Relationship(inverse: \\\(language.quoted(owner)).\(language.quoted(property))) "
                        + "var \(name): [\(language.quoted(owner))] = []")
            }
        }
        return inverses
    }

    static let language = ClassLanguage(
        header: "import Foundation\nimport SwiftData\n",
        types: SwiftNames.foundationTypes.merging(
            // Only text keeps all digits and exponents of a decimal128.
            [.objectID: "String", .decimal: "String"]
        ) { $1 },
        list: "[%]", set: "Set<%>", dictionary: "[String: %]",
        words: SwiftNames.words,
        reservedTypes: SwiftNames.types.union([
            "Array", "Attribute", "Codable", "Dictionary", "Index", "Model", "PersistentModel",
            "Relationship", "Schema", "Set", "SwiftData", "Unique",
        ]),
        reservedMembers: [
            "Protocol", "Type", "debugDescription", "description", "hasChanges", "hash",
            "hashValue", "id", "init", "isDeleted", "modelContext", "persistentBackingData",
            "persistentModelID", "schemaMetadata", "self",
        ])
}
