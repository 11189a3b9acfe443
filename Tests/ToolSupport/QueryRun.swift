import Testing

/// Runs `realm-query` on fixtures, without a terminal.
enum QueryRun {
    static func fixture(_ name: String) -> String { packageRoot + "/Tests/Fixtures/" + name }

    static let social = fixture("query/social.realm")

    /// Paths of all query fixtures, and of a database with properties of all types.
    static let all =
        ["anyval", "bags", "bulk", "grammar", "orders", "places", "social", "text", "types"]
        .map { fixture("query/\($0).realm") } + [fixture("objects/all-types-2-compacted.realm")]

    /// Runs `realm-query`, which must succeed, and returns its standard output.
    static func text(
        _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        let run = ToolProcess.run("realm-query", arguments)
        #expect(run.status == 0, "\(run.errorText)", sourceLocation: sourceLocation)
        return run.text
    }

    /// Runs `realm-query` on the social fixture with the given options and class, and returns the
    /// lines of its output.
    static func lines(
        _ options: String..., of name: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        let all = text(
            options + [social] + (name.map { [$0] } ?? []), sourceLocation: sourceLocation)
        var lines = all.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Runs `realm-query`, which must exit with `status` and without output, and returns its
    /// standard error.
    static func error(
        _ arguments: [String], status: Int32 = 2, sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        let run = ToolProcess.run("realm-query", arguments)
        #expect(run.status == status, "\(run.errorText)", sourceLocation: sourceLocation)
        #expect(run.output == [], sourceLocation: sourceLocation)
        return run.errorText
    }
}
