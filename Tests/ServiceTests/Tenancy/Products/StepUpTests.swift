import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Step-ups that a policy asks for", .timeLimit(.minutes(5)))
struct StepUpTests {
  /// Runs `body` where pairing devices takes a step-up.
  private func run(needing stepUp: String, _ body: (FamilyHome) async throws -> Void) async throws {
    let policy = String(decoding: try PolicyFile.bytes("family"), as: UTF8.self)
    let rule = #""family.pair_devices": { "roles": ["parent"] }"#
    let changed = policy.replacing(
      rule,
      with:
        #""family.pair_devices": { "roles": ["parent"], "conditions": [{ "step_up": "\#(stepUp)" }] }"#
    )
    #expect(changed != policy)
    // What the policy's own example asks about that action, it asks after the step-up.
    let assertion = #""action": "family.pair_devices", "on": "kerr", "expect": "allow""#
    let asserted = changed.replacing(#""step_ups": ["pin"]"#, with: #""step_ups": ["pin", "mfa"]"#)
      .replacing(assertion, with: #"\#(assertion), "step_ups": ["\#(stepUp)"]"#)
    #expect(asserted != changed)
    try await TenancyStage.run(policy: Array(asserted.utf8)) { stage in
      try await body(FamilyHome(stage))
    }
  }

  private func code(
    _ home: FamilyHome,
    acr: String,
    purpose: String? = nil
  ) async throws -> String {
    try await home.calls.createPairingCode(
      .init(familyId: home.family, deviceRole: .child, childId: home.ann),
      options: .by(FamilyHome.parent, acr: acr, purpose: purpose)
    ).code
  }

  @Test("A second factor is asked for by name, and a passkey is as good")
  func mfa_ladder_isNamedAndClimbed() async throws {
    try await run(needing: "mfa") { home in
      let refused = await #expect(throws: RPCError.self) { try await code(home, acr: "pwd") }
      #expect(refused?.code == .unauthenticated)
      let detail = try #require(refused?.details.first { $0.typeURL.hasSuffix("ErrorInfo") })
      let info = try Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
      #expect(info.reason == "STEP_UP_REQUIRED")
      #expect(info.metadata["step_up"] == "mfa")
      #expect(info.metadata["acr_values"] == "mfa phr phrh")
      for acr in ["pin", "fed"] {
        let refused = try await refusal { try await code(home, acr: acr) }
        #expect(refused?.reason == "STEP_UP_REQUIRED", "\(acr)")
      }
      for acr in ["mfa", "phr", "phrh"] { _ = try await code(home, acr: acr) }
    }
  }

  @Test("What was issued after a step-up is good as long as the step-up would have been")
  func issued_stepUp_isKeptWithItsPurpose() async throws {
    try await run(needing: "pin") { home in
      let elevated = try await code(home, acr: "pin", purpose: "family.pair_devices")
      #expect(try await home.pair(elevated).childName == "Ann")
    }
    try await run(needing: "mfa") { home in
      let strong = try await code(home, acr: "phr")
      #expect(try await home.pair(strong).childName == "Ann")
    }
  }
}
