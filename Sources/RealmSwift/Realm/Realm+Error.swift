import Foundation
import RealmEngine

extension Realm {
    /// An error of opening, writing, copying or deleting a realm (API specification 2.3).
    ///
    /// A `catch` clause can match the code:
    ///
    /// ```swift
    /// do {
    ///     _ = try Realm(configuration: .init(fileURL: url, readOnly: true))
    /// } catch Realm.Error.fileNotFound {
    ///     print("no such file")
    /// }
    /// ```
    public struct Error: Swift.Error, CustomNSError, CustomStringConvertible, Equatable {
        /// Cause of an error. The raw values are the SDK's.
        public enum Code: Int, Sendable {
            /// An error that no other code describes.
            case fail = 1
            /// The file cannot be accessed, for example because it is not a regular file.
            case fileAccess = 2
            /// The process has no permission to open or to create the file.
            case filePermissionDenied = 3
            /// The destination file already exists.
            case fileExists = 4
            /// The file does not exist, and the configuration does not allow creating it.
            case fileNotFound = 5
            /// The file has an older format, which would have to be upgraded first.
            case fileFormatUpgradeRequired = 6
            /// The layout of the lock file is not the one that this library uses.
            case
                incompatibleLockFile = 8
            /// The address space is exhausted. The SDK's code; not thrown by this library.
            case addressSpaceExhausted = 9
            /// The classes or the schema version of the file do not match the program, and the
            /// configuration does not allow a migration.
            case schemaMismatch = 10
            /// The file is open in this or another process, which the operation does not allow.
            case alreadyOpen = 12
            /// An argument is invalid, such as the text for an `ObjectId`.
            case invalidInput = 13
            /// The disk is full.
            case
                outOfDiskSpace = 14
            /// Another process has the file open in a mode that excludes this process.
            case incompatibleSession = 15
            /// The file format is too old or too new to be read.
            case unsupportedFileFormatVersion = 16
            /// The SDK's code for Device Sync; not thrown by this library.
            case multipleSyncAgents = 17
            /// The SDK's code for Device Sync; not thrown by this library.
            case
                subscriptionFailed = 18
            /// A call of the operating system failed.
            case fileOperationFailed = 19
            /// The file is not a realm, is damaged, or is encrypted with another key.
            case invalidDatabase = 20
            /// The history in the file has a type that this library does not write.
            case incompatibleHistories = 21
            /// The SDK's code for Device Sync; not thrown by this library.
            case
                noSubscriptionForWrite = 22
        }
        /// Domain of the error as an `NSError`.
        public static var errorDomain: String { "io.realm" }
        /// Cause of the error.
        public let code: Code
        /// Required by `CustomNSError`, for conversion to `NSError`: the raw value of `code`.
        public var errorCode: Int { code.rawValue }
        /// Details of the error. `NSLocalizedDescriptionKey` has the message, and `"NSFilePath"`
        /// the path of the file, if the error concerns a file.
        nonisolated(unsafe) public var userInfo: [String: Any]
        /// Required by `CustomNSError`, for conversion to `NSError`: returns `userInfo`.
        public var errorUserInfo: [String: Any] { userInfo }
        /// Message of the error, or the name of its code if there is no message.
        public var localizedDescription: String {
            userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)"
        }
        /// Message of the error, as in `localizedDescription`.
        public var description: String { localizedDescription }
        /// The file that the error concerns; nil if it concerns no file.
        public var fileURL: URL? {
            (userInfo["NSFilePath"] as? String).map { URL(fileURLWithPath: $0) }
        }
        /// Creates an error.
        ///
        /// - Parameter userInfo: `NSLocalizedDescriptionKey` has the message, `"NSFilePath"` the
        ///   path of the file.
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.code = code
            self.userInfo = userInfo
        }
        /// An error with the code `fail` and no message.
        public static let callFailed = Realm.Error(.fail)
        /// Whether both have the same code.
        public static func == (a: Error, b: Error) -> Bool { a.code == b.code }
        /// Pattern for a `catch` clause: errors with the code `fail`.
        public static var fail: Code { .fail }
        /// Pattern for a `catch` clause: errors with the code `fileAccess`.
        public static var fileAccess: Code { .fileAccess }
        /// Pattern for a `catch` clause: errors with the code `filePermissionDenied`.
        public static var filePermissionDenied: Code { .filePermissionDenied }
        /// Pattern for a `catch` clause: errors with the code `fileExists`.
        public static var fileExists: Code { .fileExists }
        /// Pattern for a `catch` clause: errors with the code `fileNotFound`.
        public static var fileNotFound: Code { .fileNotFound }
        /// Pattern for a `catch` clause: errors with the code `fileFormatUpgradeRequired`.
        public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
        /// Pattern for a `catch` clause: errors with the code `incompatibleLockFile`.
        public static var incompatibleLockFile: Code { .incompatibleLockFile }
        /// Pattern for a `catch` clause: errors with the code `addressSpaceExhausted`.
        public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
        /// Pattern for a `catch` clause: errors with the code `schemaMismatch`.
        public static var schemaMismatch: Code { .schemaMismatch }
        /// Pattern for a `catch` clause: errors with the code `alreadyOpen`.
        public static var alreadyOpen: Code { .alreadyOpen }
        /// Pattern for a `catch` clause: errors with the code `invalidInput`.
        public static var invalidInput: Code { .invalidInput }
        /// Pattern for a `catch` clause: errors with the code `outOfDiskSpace`.
        public static var outOfDiskSpace: Code { .outOfDiskSpace }
        /// Pattern for a `catch` clause: errors with the code `incompatibleSession`.
        public static var incompatibleSession: Code { .incompatibleSession }
        /// Pattern for a `catch` clause: errors with the code `unsupportedFileFormatVersion`.
        public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
        /// Pattern for a `catch` clause: errors with the code `multipleSyncAgents`.
        public static var multipleSyncAgents: Code { .multipleSyncAgents }
        /// Pattern for a `catch` clause: errors with the code `subscriptionFailed`.
        public static var subscriptionFailed: Code { .subscriptionFailed }
        /// Pattern for a `catch` clause: errors with the code `fileOperationFailed`.
        public static var fileOperationFailed: Code { .fileOperationFailed }
        /// Pattern for a `catch` clause: errors with the code `invalidDatabase`.
        public static var invalidDatabase: Code { .invalidDatabase }
        /// Pattern for a `catch` clause: errors with the code `incompatibleHistories`.
        public static var incompatibleHistories: Code { .incompatibleHistories }
        /// Pattern for a `catch` clause: errors with the code `noSubscriptionForWrite`.
        public static var noSubscriptionForWrite: Code { .noSubscriptionForWrite }
    }
}

/// Whether an error is a `Realm.Error` with this code. Lets a `catch Realm.Error.fileNotFound`
/// clause match the error.
public func ~= (code: Realm.Error.Code, error: Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

extension Realm.Error {
    /// Converts an error of the engine to an error with the code and the message of the SDK.
    init(_ error: RealmError) {
        var (message, file) = (error.message, error.file)
        if let path = file {
            if error.code == "FileOperationFailed", !Self.isFolder(above: path) {
                let lock = path.hasSuffix(".lock") ? path : path + ".lock"
                file = lock
                message = "Failed to open file at path '\(lock)': parent path is not a directory"
            } else if let reason = Self.reason(of: error, path) {
                message = "Failed to open Realm file at path '\(path)': \(reason)"
            }
        }
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let file { userInfo["NSFilePath"] = file }
        self.init(Self.code(of: error), userInfo: userInfo)
    }

    private static func isFolder(above path: String) -> Bool {
        var isFolder: ObjCBool = false
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
            || isFolder.boolValue
    }

    /// Returns the SDK's message for a file that cannot be opened; nil if the engine's message is
    /// more precise.
    private static func reason(of error: RealmError, _ path: String) -> String? {
        switch error.code {
        case "FileNotFound": return "No such file or directory"
        case "PermissionDenied":
            return "Permission denied. Please use a path where your app has read-write permissions."
        default: break
        }
        guard error.reason == "not-a-realm", let size = size(of: path), size < 24 else {
            return nil
        }
        return "file is non-empty but too small (\(size) bytes) to be a valid Realm."
    }

    private static func size(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }

    private static func code(of error: RealmError) -> Code {
        switch error.code {
        case "FileNotFound": .fileNotFound
        case "PermissionDenied": .filePermissionDenied
        case "FileAlreadyExists": .fileExists
        case "FileFormatUpgradeRequired": .fileFormatUpgradeRequired
        case "UnsupportedFileFormatVersion": .unsupportedFileFormatVersion
        case "IncompatibleLockFile": .incompatibleLockFile
        case "IncompatibleSession": .incompatibleSession
        case "IncompatibleHistories": .incompatibleHistories
        case "OutOfDiskSpace": .outOfDiskSpace
        case "SchemaMismatch": .schemaMismatch
        case "FileOperationFailed": .fileOperationFailed
        default:
            switch error.kind {
            case .corrupt, .key: .invalidDatabase
            case .busy: .alreadyOpen
            case .input: .invalidDatabase
            default: .fail
            }
        }
    }
}
