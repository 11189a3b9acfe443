/// An operand of a command: a word that is not an option.
package struct OperandSpec: Sendable {
    /// Name in capitals, as in the synopsis.
    package let name: String
    package let kind: ValueKind
    let isRequired: Bool
    /// Whether the operand takes all remaining words. Permitted only for the last operand.
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

/// One way to call a command: the words after its name, and its effect.
package struct SynopsisLine: Sendable {
    /// Words after the name of the command, such as `[options]`, `FILE`, `[CLASS]`, `--all`,
    /// `[WORKLOAD...]`.
    let words: String
    /// Effect of the command line in a few words, for `-h`.
    let meaning: String

    package init(_ words: String, _ meaning: String) {
        self.words = words
        self.meaning = meaning
    }
}

/// Description of a command. Its parser, help, manual page and completions are derived from it.
package struct CommandTable: Sendable {
    package let name: String
    /// Purpose of the tool in one line: lower case, no full stop.
    package let summary: String
    let synopsis: [SynopsisLine]
    package let operands: [OperandSpec]
    let options: [OptionSpec]
    /// Content of the manual: the DESCRIPTION, and the sections after OPTIONS in order. A closure,
    /// because most runs do not need it.
    let manual: @Sendable () -> Manual

    package init(
        name: String, summary: String, synopsis: [SynopsisLine], operands: [OperandSpec],
        options: [any OptionDeclaration], manual: @escaping @Sendable () -> Manual
    ) {
        self.name = name
        self.summary = summary
        self.synopsis = synopsis
        self.operands = operands
        self.options = options.map { $0.spec }
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

    /// Whether the command has a class as an operand, so that class names are completed from the
    /// database in the first operand.
    var completesClasses: Bool {
        operands.contains {
            if case .className = $0.kind { return true }
            return false
        }
    }

    /// Returns the option with this `OptionSpec.name`.
    @_optimize(speed)
    func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }

    /// Returns the option with this spelling or alias.
    @_optimize(speed)
    func option(long: String) -> OptionSpec? {
        options.first { $0.long == long || $0.aliases.contains(long) }
    }

    @_optimize(speed)
    func option(short: Character) -> OptionSpec? { options.first { $0.short == short } }

    /// Options by section, in the order of help and manual; empty sections are left out.
    var optionsBySection: [(section: OptionSection, options: [OptionSpec])] {
        OptionSection.allCases.compactMap { section in
            let members = options.filter { $0.section == section }
            return members.isEmpty ? nil : (section, members)
        }
    }
}
