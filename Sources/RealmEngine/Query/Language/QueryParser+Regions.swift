/// Parses geospatial regions (query language 20) and the clauses SORT, DISTINCT and LIMIT (query
/// language 22).
extension QueryParser {
    mutating func region() throws(RealmError) -> QueryRegion {
        switch token.kind {
        case .argument: return .argument(argumentNumber(try advance(), prefix: 1))
        case .geoBox:
            try openRegion()
            let first = try point()
            try expect(.comma, "',' and the opposite corner")
            let second = try point()
            try expect(.rightParen, "')'")
            return .box(first, second)
        case .geoCircle:
            try openRegion()
            let center = try point()
            try expect(.comma, "',' and a radius")
            let radius = try coordinate()
            try expect(.rightParen, "')'")
            return .circle(center, radius: radius)
        case .geoPolygon:
            try openRegion()
            var rings: [[QueryPoint]] = []
            repeat { rings.append(try ring()) } while try accept(.comma)
            try expect(.rightParen, "',' or ')'")
            return .polygon(rings)
        default: throw unexpected("geoBox, geoCircle, geoPolygon or an argument")
        }
    }

    private mutating func openRegion() throws(RealmError) {
        try advance()
        try expect(.leftParen, "'('")
    }

    private mutating func ring() throws(RealmError) -> [QueryPoint] {
        try expect(.leftBrace, "'{' and points")
        var points: [QueryPoint] = []
        repeat { points.append(try point()) } while try accept(.comma)
        try expect(.rightBrace, "',' or '}'")
        return points
    }

    private mutating func point() throws(RealmError) -> QueryPoint {
        try expect(.leftBracket, "a point such as [12.5, 55.7]")
        let longitude = try coordinate()
        try expect(.comma, "',' and a latitude")
        let latitude = try coordinate()
        // Accept an altitude, but ignore it.
        if try accept(.comma) { try expect(.float, "an altitude with a decimal point") }
        try expect(.rightBracket, "']'")
        return QueryPoint(longitude: longitude, latitude: latitude)
    }

    private mutating func coordinate() throws(RealmError) -> QueryCoordinate {
        let word = token
        let kind: QueryCoordinate.Kind
        switch word.kind {
        case .float:
            switch float(word) {
            case .float(let value, _): kind = .number(Double(value))
            case .double(let value, _): kind = .number(value)
            default: throw unexpected("a coordinate")
            }
        case .natural: kind = .number(Double(integer(word)))
        case .argument: kind = .argument(argumentNumber(word, prefix: 1))
        case .number:
            throw unexpected("a coordinate (a negative one needs a decimal point: -3.0)")
        default: throw unexpected("a coordinate")
        }
        try advance()
        return QueryCoordinate(kind: kind, range: word.range)
    }
}

extension QueryParser {
    /// Parses SORT, DISTINCT and LIMIT up to the end of the text.
    mutating func clauses() throws(RealmError) -> [QueryClause] {
        var result: [QueryClause] = []
        while true {
            switch token.kind {
            case .end: return result
            case .sort: result.append(try sort())
            case .distinct: result.append(try distinct())
            case .limit: result.append(try limit())
            default:
                throw unexpected(
                    result.isEmpty
                        ? "AND, OR, SORT, DISTINCT, LIMIT or the end of the query"
                        : "SORT, DISTINCT, LIMIT or the end of the query")
            }
        }
    }

    private mutating func sort() throws(RealmError) -> QueryClause {
        try advance()
        try expect(.leftParen, "'(' after SORT")
        var keys: [QuerySortKey] = []
        repeat {
            let path = try path()
            let collation = try collation()
            guard token.kind == .ascending || token.kind == .descending else {
                throw unexpected("ASC or DESC")
            }
            let direction = try advance()
            keys.append(
                QuerySortKey(path, isAscending: direction.kind == .ascending, collation))
        } while try accept(.comma)
        try expect(.rightParen, "',' or ')'")
        return .sort(keys)
    }

    /// Parses the flags `[c]`, `[cd]` or `[n]` after a sort key. Only the extended language has
    /// them.
    private mutating func collation() throws(RealmError) -> TextCollation {
        guard source.dialect.isExtended, token.kind == .caseFlag else { return .binary }
        return TextCollation(letters: bytes(of: try advance()))
    }

    private mutating func distinct() throws(RealmError) -> QueryClause {
        try advance()
        try expect(.leftParen, "'(' after DISTINCT")
        var keys: [QueryDistinctKey] = []
        repeat {
            keys.append(QueryDistinctKey(.path(try path()), try collation()))
        } while try accept(.comma)
        try expect(.rightParen, "',' or ')'")
        return .distinct(keys)
    }

    private mutating func limit() throws(RealmError) -> QueryClause {
        try advance()
        try expect(.leftParen, "'(' after LIMIT")
        let count = try expect(.natural, "a number of objects")
        try expect(.rightParen, "')'")
        return .limit(Int(integer(count)))
    }
}
