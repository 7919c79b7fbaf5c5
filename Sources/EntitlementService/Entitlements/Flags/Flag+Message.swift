internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit

extension Entitlement_V1.Flag {
  /// The largest number up to which JSON has every whole one exactly (RFC 8259 section 6): what a limit
  /// without an end is for programs that compare.
  static let numberMax: Int64 = 1 << 53 - 1

  /// An entitlement as a flag.
  init(_ entitlement: Entitlement_V1.Entitlement) {
    self.init(
      key: entitlement.key,
      reason: entitlement.source == .default ? "STATIC" : "TARGETING_MATCH",
      metadata: .init(
        entitlementReason: Self.name(entitlement.reason.description),
        source: Self.name(entitlement.source.description),
        validUntil: entitlement.validUntil
      )
    )
    switch entitlement.limit?.value {
    case nil:
      value = .init(kind: .boolValue(entitlement.available))
      variant = entitlement.available ? "on" : "off"
    case .maximum(let maximum):
      value = .init(kind: .numberValue(Double(min(maximum, Self.numberMax))))
      variant = "limited"
    case .unlimited:
      value = .init(kind: .numberValue(Double(Self.numberMax)))
      variant = "unlimited"
    }
  }

  /// `NOT_IN_TIER`, without what is in front of all values of the enum.
  private static func name(_ value: String) -> String {
    value.split(separator: "_").dropFirst().joined(separator: "_")
  }
}
