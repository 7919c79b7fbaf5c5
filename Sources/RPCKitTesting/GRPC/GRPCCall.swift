internal import RPCKit

/// One call on a connection that speaks gRPC.
///
/// The window of its stream bounds how many messages wait for credit.
final class GRPCCall: TranslatedCall {
  private var httpStatus: Int?
  private var contentType = ""
  /// The fields that the server sent beside its messages, head and trailers together.
  private var fields: [Field] = []

  func received(_ block: [Field]) {
    if let status = block.first(where: { $0.name == ":status" }).flatMap({ Int($0.value) }) {
      // An interim answer is none.
      guard status >= 200 else { return }
      httpStatus = status
      contentType = block.first { $0.name == "content-type" }?.value ?? ""
    }
    fields += block
  }

  override var isDeflateAnnounced: Bool { value("grpc-encoding") == "deflate" }

  override func checkStatus() throws(TranslatedStatus) {
    let status = try TranslatedStatus(
      httpStatus: httpStatus,
      contentType: contentType,
      value: value("grpc-status"),
      message: value("grpc-message"),
      details: value("grpc-status-details-bin")
    )
    guard status.code == .ok else { throw status }
  }

  /// The fields that are neither HTTP's nor gRPC's own.
  override var metadataFields: [Field] { fields.filter { !Self.isReserved($0.name) } }

  private func value(_ name: String) -> String? { fields.last { $0.name == name }?.value }

  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix(":") || name.hasPrefix("grpc-") || name == "content-type" || name == "date"
  }
}
