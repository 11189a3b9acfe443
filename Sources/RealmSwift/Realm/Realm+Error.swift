import Foundation
import RealmEngine

extension Realm {
    /// What opening and writing can fail with (API specification 2.3).
    public struct Error: Swift.Error, CustomNSError, CustomStringConvertible, Equatable {
        public enum Code: Int, Sendable {
            case fail = 1
            case fileAccess = 2
            case filePermissionDenied = 3
            case fileExists = 4
            case fileNotFound = 5
            case fileFormatUpgradeRequired = 6
            case
                incompatibleLockFile = 8
            case addressSpaceExhausted = 9
            case schemaMismatch = 10
            case alreadyOpen = 12
            case invalidInput = 13
            case
                outOfDiskSpace = 14
            case incompatibleSession = 15
            case unsupportedFileFormatVersion = 16
            case multipleSyncAgents = 17
            case
                subscriptionFailed = 18
            case fileOperationFailed = 19
            case invalidDatabase = 20
            case incompatibleHistories = 21
            case
                noSubscriptionForWrite = 22
        }
        public static var errorDomain: String { "io.realm" }
        public let code: Code
        public var errorCode: Int { code.rawValue }
        nonisolated(unsafe) public var userInfo: [String: Any]
        public var errorUserInfo: [String: Any] { userInfo }
        public var localizedDescription: String {
            userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)"
        }
        /// The sentence that `localizedDescription` has.
        public var description: String { localizedDescription }
        public var fileURL: URL? {
            (userInfo["NSFilePath"] as? String).map { URL(fileURLWithPath: $0) }
        }
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.code = code
            self.userInfo = userInfo
        }
        public static let callFailed = Realm.Error(.fail)
        public static func == (a: Error, b: Error) -> Bool { a.code == b.code }
        public static var fail: Code { .fail }
        public static var fileAccess: Code { .fileAccess }
        public static var filePermissionDenied: Code { .filePermissionDenied }
        public static var fileExists: Code { .fileExists }
        public static var fileNotFound: Code { .fileNotFound }
        public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
        public static var incompatibleLockFile: Code { .incompatibleLockFile }
        public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
        public static var schemaMismatch: Code { .schemaMismatch }
        public static var alreadyOpen: Code { .alreadyOpen }
        public static var invalidInput: Code { .invalidInput }
        public static var outOfDiskSpace: Code { .outOfDiskSpace }
        public static var incompatibleSession: Code { .incompatibleSession }
        public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
        public static var multipleSyncAgents: Code { .multipleSyncAgents }
        public static var subscriptionFailed: Code { .subscriptionFailed }
        public static var fileOperationFailed: Code { .fileOperationFailed }
        public static var invalidDatabase: Code { .invalidDatabase }
        public static var incompatibleHistories: Code { .incompatibleHistories }
        public static var noSubscriptionForWrite: Code { .noSubscriptionForWrite }
    }
}

public func ~= (code: Realm.Error.Code, error: Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

extension Realm.Error {
    /// An error of the engine as the API has it.
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

    /// Why a file cannot be opened, in the words of the SDK; nil where the engine's own say more.
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
