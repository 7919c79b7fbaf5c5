internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `entitlement.v1.FeatureFlags`: OFREP's words for what `EntitlementsHandler` answers.
struct FeatureFlagsHandler: Entitlement_V1.FeatureFlagsService {
  let handler: EntitlementsHandler

  func evaluate(
    _ request: Entitlement_V1.EvaluateFlagRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Flag {
    let entitlements = try await entitlements(request.context, call).entitlements
    guard let entitlement = entitlements.first(where: { $0.key == request.key }) else {
      throw CheckError.flagNotFound
    }
    return .init(entitlement)
  }

  func evaluateAll(
    _ request: Entitlement_V1.EvaluateFlagsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.EvaluateFlagsResponse {
    let found = try await entitlements(request.context, call)
    let response = Entitlement_V1.EvaluateFlagsResponse(
      flags: found.entitlements.map { .init($0) },
      metadata: .init(version: UInt32(clamping: found.version))
    )
    // Of the answer and not of the catalogue: the same catalogue has other values for another subject.
    let digest = Digests.sha256(Self.text(of: found.subject) + response.protobufBytes)
    call.responseMetadata["etag"] = "\"\(Base64URL.encode(Array(digest.prefix(16))))\""
    return response
  }

  /// The subject in front of what it has: answers for two that have the same are two answers.
  private static func text(of subject: Entitlement_V1.Subject?) -> [UInt8] {
    Array("\(subject?.kind.rawValue ?? 0) \(subject?.id ?? "")\n".utf8)
  }

  /// The entitlements of the subject of a context, if the caller may see it.
  private func entitlements(
    _ context: Entitlement_V1.FlagContext?,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    try await handler.get(.init(subject: try subject(context, call)), call)
  }

  /// The subject of a context; nil for the calling user.
  private func subject(
    _ context: Entitlement_V1.FlagContext?,
    _ call: CallContext
  ) throws(RPCError) -> Entitlement_V1.Subject? {
    let key = context?.targetingKey ?? ""
    let kind = context?.subjectKind ?? ""
    guard !key.isEmpty else {
      guard call.caller.user != nil, kind.isEmpty || kind == Subject.Kind.user.rawValue else {
        throw CheckError.targetingKeyMissing
      }
      return nil
    }
    guard let known = Subject.Kind(rawValue: kind.isEmpty ? Subject.Kind.user.rawValue : kind)
    else { throw EntitlementError.notFound }
    return Subject(known, key).wire
  }
}
