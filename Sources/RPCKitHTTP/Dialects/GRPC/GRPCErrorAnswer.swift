package import RPCKit

/// An error as a client of gRPC is answered by something in front of the service that refuses for it.
package struct GRPCErrorAnswer {
  /// `grpc-status`, `grpc-status-details-bin` and what else says of the error.
  package let fields: HTTPFields
  /// The message, before it is percent-encoded for `grpc-message`.
  package let message: String

  /// Characters of a message, at most: a kilobyte.
  private static let messageScalarCountMax = 256

  /// Makes the answer; details are those that fit in header fields.
  package init(_ error: RPCError) {
    var fields: HTTPFields = [:]
    GRPCStatusFields.append(error, to: &fields)
    fields.appendLimit(of: error)
    self.fields = HTTPFields(fields.fields.filter { $0.name != "grpc-message" })
    message = String(
      String.UnicodeScalarView(error.message.unicodeScalars.prefix(Self.messageScalarCountMax))
    )
  }

  /// Whether a request with this `content-type` is a call of gRPC, and not of gRPC-Web, whose errors are answered
  /// by HTTP alone here.
  package static func isAsked(for contentType: String?) -> Bool {
    guard let type = contentType?.lowercased(), type.hasPrefix("application/grpc") else {
      return false
    }
    let rest = type.dropFirst("application/grpc".count)
    return rest.isEmpty || "+; ".contains(rest[rest.startIndex])
  }
}
