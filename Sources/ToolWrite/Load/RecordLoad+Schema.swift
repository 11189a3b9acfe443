import RealmEngine
import RealmRecords
import ToolKit

/// Applies schema changes in a stream of change records. The changes are a part of the open batch.
extension RecordLoad {
    /// Applies a schema change. Throws `data` if it is not possible; a part of it may then have
    /// been applied.
    func edit(_ change: SchemaChange, _ batch: Batch) throws(RealmError) {
        let writer = batch.writer
        let plan = SchemaChangeCheck(change, writer.plans.schema)
        if plan.isDone {
            counts.current.unchanged &+= 1
            return
        }
        if let obstacle = plan.obstacle {
            throw writer.refuse(
                .illegalOperation, change.property, expected: "a change that can be made",
                got: obstacle)
        }
        guard !plan.losesData || request.mayLoseData else {
            throw writer.refuse(
                .illegalOperation, change.property,
                expected: "a schema change that loses nothing, or --force", got: plan.text)
        }
        if let waiting = try writer.storeAll().first {
            throw writer.refuse(
                .noSuchObject, change.property,
                expected: "no link without a target before a schema change",
                got: "record \(waiting.record)")
        }
        do throws(RealmError) {
            try change.apply(writer.transaction)
        } catch {
            guard error.kind == .misuse else { throw error }
            throw writer.refuse(
                .illegalOperation, change.property, expected: "a change that can be made",
                got: error.message)
        }
        stage = try source.stage(
            try ClassPlans(try writer.transaction.snapshot().schema, request), request)
        batch.writer = ObjectWriter(writer.transaction, stage.plans, request.rules)
        counts.current.schema &+= 1
    }
}

/// Checks a schema change against the existing classes.
struct SchemaChangeCheck {
    private let change: SchemaChange
    /// Whether the schema already is as the change would make it. A stream may deliver a record
    /// twice.
    private(set) var isDone = false
    /// Reason why the schema change is not possible; nil if it is possible.
    private(set) var obstacle: String?
    private(set) var losesData = false

    init(_ change: SchemaChange, _ schema: Schema) {
        self.change = change
        func spec(_ name: String) -> ClassSpec? {
            schema.objectClass(named: name).map { ClassSpec($0, schema) }
        }
        switch change {
        case .setVersion(let version):
            isDone = schema.version == version
            losesData = schema.version.map { version < $0 } ?? false
        case .addClass(let wanted):
            guard let present = spec(wanted.name) else { return }
            isDone = present.kind == wanted.kind && present.primaryKey == wanted.primaryKey
            if !isDone { obstacle = "a class \(wanted.name) of another kind or primary key" }
        case .addProperty(let name, let wanted):
            guard let present = spec(name)?.property(wanted.name) else { return }
            isDone =
                present.hasSameType(as: wanted) && !present.hasOtherPresence(than: wanted)
                && present.index == wanted.index
            if !isDone { obstacle = "\(name).\(wanted.name), which is \(present.typeText)" }
        case .dropClass(let name):
            isDone = spec(name) == nil
            losesData = true
        case .dropProperty(let name, let property):
            isDone = spec(name)?.property(property) == nil
            losesData = true
        case .setOptional(let name, let property, let isOptional):
            isDone = spec(name)?.property(property)?.isOptional == isOptional
            losesData = !isOptional
        case .setIndex(let name, let property, let kind):
            isDone = spec(name)?.property(property)?.index == kind
        // These changes do not occur in change records.
        case .renameClass, .renameProperty, .setType, .setPrimaryKey, .setKind: break
        }
    }

    /// The schema change as text for messages.
    var text: String {
        let planned = PlannedChange(change: change)
        return "\(planned.action) \(planned.subject)"
    }
}
