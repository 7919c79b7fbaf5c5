/// The outcome of a call, as numbered by gRPC and carried in `google.rpc.Status.code`.
///
/// A structure and not an enumeration, so that a number this build does not know survives a
/// round trip. Source of the numbers: grpc/grpc `doc/statuscodes.md`.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public var rawValue: Int32

  /// Wraps a number from the wire; every number is accepted.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The call completed.
  public static let ok = StatusCode(rawValue: 0)
  /// The caller gave up before the call completed.
  public static let cancelled = StatusCode(rawValue: 1)
  /// An error of which nothing better is known.
  public static let unknown = StatusCode(rawValue: 2)
  /// The request is wrong whatever the state of the system.
  public static let invalidArgument = StatusCode(rawValue: 3)
  /// The deadline passed before the call completed; its effect may still happen.
  public static let deadlineExceeded = StatusCode(rawValue: 4)
  /// The object does not exist, or the caller may not know that it does.
  public static let notFound = StatusCode(rawValue: 5)
  /// The object to be created is there already.
  public static let alreadyExists = StatusCode(rawValue: 6)
  /// The caller is known and may not do this.
  public static let permissionDenied = StatusCode(rawValue: 7)
  /// A limit or quota is used up; retrying after a pause may succeed.
  public static let resourceExhausted = StatusCode(rawValue: 8)
  /// The system is not in the state that the call needs.
  public static let failedPrecondition = StatusCode(rawValue: 9)
  /// A concurrent change won; retrying the whole sequence may succeed.
  public static let aborted = StatusCode(rawValue: 10)
  /// The request went past the end of something that can grow.
  public static let outOfRange = StatusCode(rawValue: 11)
  /// The server has no such service or method.
  public static let unimplemented = StatusCode(rawValue: 12)
  /// An invariant of the server is broken.
  public static let `internal` = StatusCode(rawValue: 13)
  /// The server cannot be reached or cannot serve now; retrying may succeed.
  public static let unavailable = StatusCode(rawValue: 14)
  /// Data is lost or corrupt beyond recovery.
  public static let dataLoss = StatusCode(rawValue: 15)
  /// The caller did not prove who it is.
  public static let unauthenticated = StatusCode(rawValue: 16)
}

extension StatusCode: CustomStringConvertible {
  private static let names: [String] = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  /// The canonical name (`NOT_FOUND`), or `CODE_<number>` for a number without one.
  public var description: String {
    guard let index = Int(exactly: rawValue), Self.names.indices.contains(index) else {
      return "CODE_\(rawValue)"
    }
    return Self.names[index]
  }
}
