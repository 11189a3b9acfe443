/// A full-text condition: the operator TEXT (query language 15).
final class BoundFullText: Sendable {
    /// Path to the objects whose text property is searched.
    let path: BoundPath
    let column: BoundColumn
    let index: Ref
    let terms: FullTextTerms

    init(_ path: BoundPath, _ column: BoundColumn, index: Ref, _ terms: FullTextTerms) {
        self.path = path
        self.column = column
        self.index = index
        self.terms = terms
    }
}
