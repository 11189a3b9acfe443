/// Slots of the spec, which describes the columns of a table: parallel arrays with the properties
/// first and the backlinks last (object format 1.3). Up to format 9, further slots describe the
/// tables in cells.
enum SpecShape {
    /// Ref of the type numbers; bits from 16 on are the type of a dictionary's keys.
    static let types = 0
    /// Ref of the names of the properties, in cells of equal width.
    static let names = 1
    /// Ref of the attributes (`ColumnAttributes`).
    static let attributes = 2
    /// 0; the specs of tables in cells up to format 9.
    static let unused = 3
    static let legacySubspecs = 3
    /// Ref of the lists of distinct values of enumerated properties, 0 for others; 0 if there are
    /// none. Up to format 9, the target tables of links.
    static let enumerations = 4
    static let legacyKeys = 4
    /// Ref of the column keys; from format 10 on.
    static let keys = 5

    static let count = 6
    static let minimumLegacyCount = 3
    static let maximumLegacyCount = 5

    /// Slots that have a ref in every spec.
    static let required = [types, names, attributes, keys]
    /// Slots that may have a ref.
    static let refs = [types, names, attributes, enumerations, keys]
}
