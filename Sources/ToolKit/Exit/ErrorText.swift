import RealmEngine
import RealmRecords

/// Formats an error as text or JSON, the two forms that scripts may rely on (realm-tools(7),
/// ERRORS).
package enum ErrorText {
    /// Appends the error and a line end.
    package static func append(
        _ error: RealmError, tool: String, asJSON: Bool, to buffer: inout ByteBuffer
    ) {
        if asJSON {
            appendJSON(error, tool: tool, to: &buffer)
        } else {
            appendText(error, tool: tool, to: &buffer)
        }
    }

    private static func appendText(
        _ error: RealmError, tool: String, to buffer: inout ByteBuffer
    ) {
        buffer.append(tool)
        buffer.append(": ")
        if let file = error.file {
            appendPrintable(file, to: &buffer)
            buffer.append(": ")
        }
        appendPrintable(error.message, to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
        if let hint = error.advice(from: tool) {
            // The lines of a hint keep their alignment: the hint of a query error marks a position
            // in the line above.
            for (i, line) in hint.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                buffer.append(i == 0 ? "hint: " : "      ")
                appendPrintable(String(line), to: &buffer)
                buffer.append(UInt8(ascii: "\n"))
            }
        }
    }

    private static func appendJSON(
        _ error: RealmError, tool: String, to buffer: inout ByteBuffer
    ) {
        buffer.append("{\"error\":{\"code\":")
        buffer.append(json: error.code)
        buffer.append(",\"reason\":")
        buffer.append(json: error.reason)
        buffer.append(",\"exit\":")
        buffer.append(String(ExitCode(error.kind).rawValue))
        buffer.append(",\"file\":")
        appendOptional(error.file, to: &buffer)
        buffer.append(",\"message\":")
        buffer.append(json: error.message)
        buffer.append(",\"hint\":")
        appendOptional(error.advice(from: tool), to: &buffer)
        buffer.append("}}\n")
    }

    private static func appendOptional(_ text: String?, to buffer: inout ByteBuffer) {
        if let text { buffer.append(json: text) } else { buffer.append("null") }
    }

    /// Appends text with control characters as `\xNN`. Names come from files and arguments that may
    /// be hostile; control characters could change the state of the terminal.
    package static func appendPrintable(_ text: String, to buffer: inout ByteBuffer) {
        for byte in text.utf8 {
            if byte >= 0x20, byte != 0x7F {
                buffer.append(byte)
            } else {
                buffer.append("\\x")
                buffer.append(Hexadecimal.digits(byte))
            }
        }
    }
}
