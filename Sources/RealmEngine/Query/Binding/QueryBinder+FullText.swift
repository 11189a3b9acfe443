extension QueryBinder {
    func fullText(_ tree: QueryComparison) throws(RealmError) -> BoundCondition {
        guard case .property(let property) = tree.left.kind else {
            throw missingIndex(tree.left.range)
        }
        let path = try resolve(property.path)
        guard case .scalar(let column) = path.end, property.suffix == .none,
            let info = path.table.columns.first(where: { $0.leafIndex == column.leafIndex }),
            info.type == .string, info.index == .fullText
        else { throw missingIndex(tree.left.range) }
        if property.quantifier != nil, !allowsQuantifier(path) { throw quantifierError(property) }
        guard case .constant(let constant) = tree.right.kind else {
            throw textOperand(tree.right.range)
        }
        let value = try typed(constant, .string, tree.right.range)
        let words: ByteView
        switch value.value {
        case .string(let text): words = text
        case .null: words = pool.view([])
        default: throw textOperand(tree.right.range)
        }
        do throws(FullTextTerms.Failure) {
            let terms = try FullTextTerms(words)
            return .fullText(
                BoundFullText(BoundPath(path), column, index: info.indexRoot, terms))
        } catch {
            throw source.error(
                .invalidArgument, "fulltextTokens", at: tree.right.range, error.message)
        }
    }

    private func missingIndex(_ range: SourceRange) -> RealmError {
        source.error(
            .illegalOperation, "noFulltextIndex", at: range,
            "'\(source.quote(range))' has no full-text index, which TEXT needs")
    }

    private func textOperand(_ range: SourceRange) -> RealmError {
        invalid("stringOperand", range, "TEXT needs a string on its right side")
    }
}
