import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit

@testable import ServiceTesting

extension MatrixStage {
  /// What a caller by HTTP sees of a call, and the fields beside it.
  struct HTTPOutcome: Sendable {
    let outcome: Outcome
    /// By their names in lower case, those of trailers included.
    let fields: [String: String]
  }

  /// The details that are the same each time: which call it was is not, unless the caller has said it.
  static func comparable(
    _ details: [RPCError.Detail],
    _ options: CallOptions
  ) -> [RPCError.Detail] {
    guard options.metadata["x-request-id"] == nil else { return details }
    return details.filter { !$0.typeURL.hasSuffix("google.rpc.RequestInfo") }
  }
}

extension MatrixStage.Outcome {
  /// The field that says when to try again (RFC 9110 section 10.2.3), in whole seconds; nil for what does not
  /// say it.
  var retryAfter: String? {
    guard case .refusal(_, _, let details) = self,
      let detail = details.first(where: { $0.typeURL.hasSuffix("google.rpc.RetryInfo") }),
      let info = try? Google_Rpc.RetryInfo(protobuf: detail.value.span, limits: MessageLimits()),
      let delay = info.retryDelay, delay.seconds > 0 || delay.nanos > 0
    else { return nil }
    return String(delay.seconds + (delay.nanos > 0 ? 1 : 0))
  }
}
