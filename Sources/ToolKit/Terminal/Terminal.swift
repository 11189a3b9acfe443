import Glibc

/// Reads properties of the environment: terminals, their width and colour, and environment
/// variables.
package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Value of an environment variable; nil if it is unset or empty.
    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Directory for temporary files.
    package static var temporaryDirectory: String { environment("TMPDIR") ?? "/tmp" }

    /// Whether the terminal cannot interpret escape sequences.
    static var isDumb: Bool { environment("TERM") == "dumb" }

    /// Maximum width of a table: the value of `COLUMNS`, or else the width of the terminal. Nil for
    /// no limit.
    package static func columns(_ descriptor: Int32) -> Int? {
        if let wanted = environment("COLUMNS").flatMap({ ValueForms.count($0) }), wanted > 0 {
            return wanted
        }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether to colour output to `descriptor`. An explicit `--color` overrides `NO_COLOR`.
    package static func usesColor(_ when: When, _ descriptor: Int32) -> Bool {
        switch when {
        case .always: true
        case .never: false
        case .auto: isTerminal(descriptor) && environment("NO_COLOR") == nil && !isDumb
        }
    }
}

/// Argument of `--color` and `--progress`.
package enum When: String, CaseIterable, Sendable {
    case auto
    case always
    case never
}
