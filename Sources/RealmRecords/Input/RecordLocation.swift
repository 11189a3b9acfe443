/// Position of a record in the input.
package struct RecordLocation {
    package let record: Int
    package let position: TextPosition

    package init(record: Int, position: TextPosition) {
        self.record = record
        self.position = position
    }

    package var line: Int { position.line }
}
