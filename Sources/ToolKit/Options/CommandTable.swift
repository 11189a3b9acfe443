/// A word on the command line that is not an option.
package struct OperandSpec: Sendable {
    /// In capitals, as in the synopsis.
    package let name: String
    package let kind: ValueKind
    let isRequired: Bool
    /// Takes all operands that are left; only the last one may.
    let isRepeatable: Bool
    let details: String

    package init(
        _ name: String, _ kind: ValueKind, isRequired: Bool = false,
        isRepeatable: Bool = false, _ details: String
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.details = details
    }
}

/// One way of calling a tool: what follows its name, and what that does.
package struct SynopsisLine: Sendable {
    /// Words of the form `[options]`, `FILE`, `[CLASS]`, `--all`, `[WORKLOAD...]`.
    let words: String
    /// A few words for `-h`.
    let meaning: String

    package init(_ words: String, _ meaning: String) {
        self.words = words
        self.meaning = meaning
    }
}

/// A command as data: the one source of its parser, help, manual page and completions.
package struct CommandTable: Sendable {
    package let name: String
    /// One line: lower case, no full stop.
    package let summary: String
    let synopsis: [SynopsisLine]
    package let operands: [OperandSpec]
    let options: [OptionSpec]
    /// DESCRIPTION, and the sections after OPTIONS in the order of the page. A closure, because
    /// most runs never need them.
    let manual: @Sendable () -> Manual

    package init(
        name: String, summary: String, synopsis: [SynopsisLine], operands: [OperandSpec],
        options: [any OptionDeclaration], manual: @escaping @Sendable () -> Manual
    ) {
        self.name = name
        self.summary = summary
        self.synopsis = synopsis
        self.operands = operands
        self.options = options.map(\.spec)
        self.manual = manual
    }

    package struct Manual: Sendable {
        let description: [ManualBlock]
        let sections: [ManualSection]

        package init(description: [ManualBlock], sections: [ManualSection]) {
            self.description = description
            self.sections = sections
        }
    }

    /// An operand is a class of the database that is the first one.
    var completesClasses: Bool {
        operands.contains {
            if case .className = $0.kind { return true }
            return false
        }
    }

    /// The option of that name (`OptionSpec.name`).
    @_optimize(speed)
    func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

    /// The option of that spelling, hidden ones included.
    @_optimize(speed)
    func option(long: String) -> OptionSpec? {
        options.first { $0.long == long || $0.aliases.contains(long) }
    }

    @_optimize(speed)
    func option(short: Character) -> OptionSpec? { options.first { $0.short == short } }

    /// Section headings in use with their options, in the order of help and manual.
    var optionsBySection: [(section: OptionSection, options: [OptionSpec])] {
        OptionSection.allCases.compactMap { section in
            let members = options.filter { $0.section == section }
            return members.isEmpty ? nil : (section, members)
        }
    }
}
