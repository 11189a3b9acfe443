extension QueryBinder {
    func geoWithin(
        _ property: QueryProperty, _ tree: QueryRegion, _ range: SourceRange
    ) throws(RealmError) -> BoundCondition {
        let path = try resolve(property.path)
        guard case .objects = path.end, property.suffix == .none, let last = path.hops.last,
            last.selector.isAll
        else {
            throw invalid(
                "geoTarget", property.range,
                "'\(source.quote(property.range))' is not a link to a geospatial point")
        }
        guard let type = column("type", .string, nil, path.table),
            let coordinates = column("coordinates", .double, .list, path.table)
        else { throw try noPoint(property, tree, path.table) }
        guard path.table.kind == .embedded else {
            throw noPoint(
                property, path.table,
                "A GEOWITHIN query can only operate on a link to an embedded class but "
                    + "'\(path.table.className)' is at the top level")
        }
        return .geoWithin(
            BoundGeo(
                BoundPath(path), property.quantifier, type: type, coordinates: coordinates,
                try region(tree, range)))
    }

    /// Makes the error for GEOWITHIN on a class without the properties of a point.
    private func noPoint(
        _ property: QueryProperty, _ tree: QueryRegion, _ table: TableInfo
    ) throws(RealmError) -> RealmError {
        var region = ""
        if case .argument(let number) = tree, case .geo(let shape) = try argument(number, .none) {
            region = shape.text
        } else if case .shape(let shape) = tree {
            region = shape.text
        }
        let path = property.path.names.compactMap { $0 }.joined(separator: ".")
        return noPoint(
            property, table,
            "Query '\(path) GEOWITHIN \(region)' links to data in the wrong format for a geoWithin "
                + "query")
    }

    /// Makes the error for GEOWITHIN on a class without the properties of a point.
    ///
    /// - Parameter message: text of the error if the query is in `NSPredicate` format. In the query
    ///   language, the text names the class instead.
    private func noPoint(
        _ property: QueryProperty, _ table: TableInfo, _ message: String
    ) -> RealmError {
        source.error(
            .runtime, "geoTarget", at: property.range,
            dialect.isPredicate
                ? message
                : "class \(table.className) is not an embedded point with 'type' and "
                    + "'coordinates'")
    }

    private func column(
        _ name: String, _ type: ColumnType, _ collection: CollectionKind?, _ table: TableInfo
    ) -> BoundColumn? {
        guard let index = table.columnIndex(named: name) else { return nil }
        let info = table.columns[index]
        guard info.type == type, info.collection == collection else { return nil }
        return BoundColumn(info)
    }

    private func region(
        _ tree: QueryRegion, _ range: SourceRange
    ) throws(RealmError) -> GeoRegion {
        let number: Int
        switch tree {
        case .argument(let n): number = n
        case .shape(let shape): return try given(shape, range)
        case .box, .circle, .polygon:
            return try validated(shape(tree), range, .invalidQueryArg)
        }
        switch try argument(number, range) {
        case .geo(let shape): return try given(shape, range)
        case .string(let text):
            let parsed: QueryRegion
            do throws(RealmError) {
                parsed = try QueryParser.parseRegion(QuerySource(text: [UInt8](text.utf8)))
            } catch { throw geoOperand(number, range) }
            return try validated(shape(parsed), range, .invalidQuery)
        default: throw geoOperand(number, range)
        }
    }

    private func given(_ shape: GeoShape, _ range: SourceRange) throws(RealmError) -> GeoRegion {
        if case .point = shape {
            throw invalidArgument("geoRegion", range, "a point is no region")
        }
        return try validated(shape, range, .invalidQuery)
    }

    private func geoOperand(_ number: Int, _ range: SourceRange) -> RealmError {
        invalid("geoOperand", range, "argument $\(number) is not a geospatial region")
    }

    private func validated(
        _ shape: GeoShape, _ range: SourceRange, _ code: QuerySource.Code
    ) throws(RealmError) -> GeoRegion {
        do throws(GeoFlaw) {
            return try GeoRegion(shape)
        } catch {
            throw source.error(
                code, "geoRegion", at: range,
                dialect.isPredicate
                    ? "Invalid region in GEOWITHIN query for parameter '\(shape.text)': "
                        + "'\(shape.text(of: error))'"
                    : "this region is invalid: \(error.message)")
        }
    }

    private func shape(_ tree: QueryRegion) throws(RealmError) -> GeoShape {
        switch tree {
        case .box(let a, let b): return .box(try point(a), try point(b))
        case .circle(let center, let radius):
            return .circle(try point(center), radius: try coordinate(radius))
        case .polygon(let rings):
            var result: [[GeoPoint]] = []
            for ring in rings {
                var points: [GeoPoint] = []
                for corner in ring { points.append(try point(corner)) }
                result.append(points)
            }
            return .polygon(result)
        case .argument(let number): throw geoOperand(number, .none)
        case .shape(let shape): return shape
        }
    }

    private func point(_ tree: QueryPoint) throws(RealmError) -> GeoPoint {
        GeoPoint(
            longitude: try coordinate(tree.longitude), latitude: try coordinate(tree.latitude))
    }

    private func coordinate(_ tree: QueryCoordinate) throws(RealmError) -> Double {
        guard case .argument(let number) = tree.kind else {
            if case .number(let value) = tree.kind { return value }
            return .nan
        }
        switch try argument(number, tree.range) {
        case .int(let value): return Double(value)
        case .float(let value): return Double(value)
        case .double(let value): return value
        default:
            throw invalid(
                "geoCoordinate", tree.range, "argument $\(number) is not a number of degrees")
        }
    }
}
