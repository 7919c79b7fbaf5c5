internal import RPCKit
internal import ServiceKit

enum ImportError {
  /// A batch that begins after the row with which its run goes on.
  static func outOfOrder(next: Int64) -> RPCError {
    ErrorCatalog.auth.precondition(
      "IMPORT_OUT_OF_ORDER",
      "position: earlier rows are missing; continue at \(next)",
      ["next_position": "\(next)"]
    )
  }
}
