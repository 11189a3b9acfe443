import Glibc

/// What a tool asks about its surroundings: terminals, width, colour, environment.
package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The value of an environment variable; nil when it is unset or empty.
    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Where files without a name are made.
    package static var temporaryDirectory: String { environment("TMPDIR") ?? "/tmp" }

    /// Whether the terminal understands more than text.
    static var isDumb: Bool { environment("TERM") == "dumb" }

    /// Columns a table may take: `COLUMNS`, else the terminal's width; nil means no limit.
    package static func columns(_ descriptor: Int32) -> Int? {
        if let wanted = environment("COLUMNS").flatMap({ ValueForms.count($0) }), wanted > 0 {
            return wanted
        }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether to colour what goes to `descriptor`. An explicit `--color` beats `NO_COLOR`.
    package static func usesColor(_ when: When, _ descriptor: Int32) -> Bool {
        switch when {
        case .always: true
        case .never: false
        case .auto: isTerminal(descriptor) && environment("NO_COLOR") == nil && !isDumb
        }
    }
}

/// `--color` and `--progress`.
package enum When: String, CaseIterable, Sendable {
    case auto
    case always
    case never
}
