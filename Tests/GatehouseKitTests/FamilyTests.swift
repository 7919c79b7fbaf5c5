import Foundation
import GatehouseKit
import Testing

@Suite struct FamilyTests {
  private static func context(_ id: String) -> String {
    #"{"pairing": {"id": "par_1", "familyId": "fam_1", "childId": "chd_1", "deviceRole": "child", "#
      + #""deviceId": "\#(id)"}, "modes": [{"mode": "child", "allowed": true}]}"#
  }

  private func paired(_ stage: Stage) async throws -> String {
    try await stage.signIn()
    let id = try await stage.gatehouse.family.deviceID()
    stage.transport.on("GET pairings/devices/\(id)", .success(Self.context(id)))
    stage.transport.on(
      "POST pairings",
      .success(
        #"{"pairing": {"id": "par_1", "familyId": "fam_1", "deviceRole": "child", "#
          + #""deviceId": "\#(id)"}}"#
      )
    )
    try await stage.gatehouse.family.pair(code: "ABCD")
    return id
  }

  @Test("The role of a device is known without a server, also after a restart")
  func role_withoutServer_isKnown() async throws {
    let stage = Stage()
    let id = try await paired(stage)
    stage.transport.on("GET pairings/devices/\(id)") { _ in throw URLError(.timedOut) }
    stage.time.advance(by: 30 * 86_400)
    let again = stage.restarted()
    #expect(await again.family.knownContext()?.pairing.deviceRole == .child)
    #expect(try await again.family.deviceID() == id)
  }

  @Test("A session that ended by itself leaves the child's device one; unpairing does not")
  func role_afterEnd_staysUntilUnpaired() async throws {
    let stage = Stage()
    let id = try await paired(stage)
    stage.time.advance(by: 700)
    stage.transport.on(
      "POST auth/refresh",
      .refusal(401, "UNAUTHENTICATED", "REFRESH_TOKEN_INVALID")
    )
    await #expect(throws: KitError.self) { try await stage.callThing() }
    #expect(await stage.gatehouse.family.knownContext()?.pairing.deviceRole == .child)
    try await stage.signIn()
    stage.transport.on(
      "GET pairings/devices/\(id)",
      .refusal(404, "NOT_FOUND", "NOT_FOUND")
    )
    #expect(try await stage.gatehouse.family.context() == nil)
    #expect(await stage.gatehouse.family.knownContext() == nil)
  }

  @Test("Parent mode is a token in memory, for the person who has entered it")
  func parentMode_isOfItsPerson() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on(
      "POST auth/step-up/family-pin",
      .success(#"{"token": {"token": "elevated", "expiresAt": "2027-01-15T08:05:00Z"}}"#)
    )
    let secrets = stage.secrets.names
    let mode = try await stage.gatehouse.family.enterParentMode(family: "fam_1", pin: "1234")
    #expect(stage.secrets.names == secrets)
    _ = try await mode.call(Call(.get, "thing"), as: Stage.Thing.self)
    let sent = stage.transport.requests("GET thing").last?.fields["authorization"]
    #expect(sent == "Bearer elevated")
    stage.transport.on("GET thing", .refusal(401, "UNAUTHENTICATED", "CREDENTIALS_INVALID"))
    let ended = await #expect(throws: KitError.self) {
      try await mode.call(Call(.get, "thing"), as: Stage.Thing.self)
    }
    #expect(ended?.kind == .stepUpNeeded)
    #expect(stage.transport.requests("POST auth/refresh").isEmpty)
    try await stage.gatehouse.account.signOut()
    try await stage.signIn("ben")
    let others = await #expect(throws: KitError.self) {
      try await mode.call(Call(.get, "thing"), as: Stage.Thing.self)
    }
    #expect(others?.kind == .signedOut)
  }
}
