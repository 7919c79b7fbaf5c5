import Foundation
import GatehouseKit
import Testing

@Suite struct ObjectTests {
  private static func device(_ name: String) -> String {
    #"{"id": "dev_\#(name)", "name": "\#(name)", "type": "lock", "unitId": "unt_1", "#
      + #""attributes": {"state": "locked"}, "revision": "1"}"#
  }

  @Test("Devices come page by page, and an operation is sent with one key however often")
  func devices_listAndOperate() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on("GET devices") { request in
      let isSecond = request.url.query?.contains("pageToken=more") == true
      let list = Self.device(isSecond ? "back" : "front")
      let next = isSecond ? "" : "more"
      return .success(#"{"devices": [\#(list)], "nextPageToken": "\#(next)"}"#)
    }
    let devices = try await stage.gatehouse.devices.list(unit: "unt_1")
    #expect(devices.map(\.name) == ["front", "back"])
    #expect(devices.first?.attributes == .object(["state": .text("locked")]))
    let count = Stage.Counter()
    stage.transport.on("POST devices/dev_front/unlock") { _ in
      count.next() == 1
        ? .refusal(503, "UNAVAILABLE", "OVERLOADED", fields: ["retry-after": "0"])
        : .success(#"{"device": \#(Self.device("front")), "commandId": "cmd_1"}"#)
    }
    #expect(try await stage.gatehouse.devices.operate("dev_front", "unlock").commandId == "cmd_1")
    let keys = stage.transport.requests("POST devices/dev_front/unlock").map {
      $0.fields["idempotency-key"]
    }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
  }

  @Test("Pages of a list are one person's")
  func list_acrossPeople_isDropped() async throws {
    let stage = Stage()
    try await stage.signIn()
    stage.transport.on("GET devices") { [gatehouse = stage.gatehouse] request in
      guard request.url.query?.contains("pageToken") == true else {
        return .success(#"{"devices": [\#(Self.device("adas"))], "nextPageToken": "more"}"#)
      }
      try await gatehouse.account.signOut()
      try await gatehouse.account.signIn(email: "ben@example.com", password: "pass phrase")
      return .success(#"{"devices": [], "nextPageToken": ""}"#)
    }
    await #expect(throws: KitError.self) { try await stage.gatehouse.devices.list() }
  }

  @Test("Invitations are taken, and the person's roles are read again")
  func invitations_received_areTaken() async throws {
    let stage = Stage()
    try await stage.signIn()
    let invitation =
      #"{"id": "inv_1", "entityId": "org_1", "entityType": "organization", "entityName": "Hill", "#
      + #""role": "groom", "state": "INVITATION_STATE_NEW_IN_2030", "revision": "1"}"#
    stage.transport.on(
      "GET users/me/invitations",
      .success(#"{"invitations": [\#(invitation)], "nextPageToken": "", "emailVerified": true}"#)
    )
    let received = try await stage.gatehouse.invitations.received()
    #expect(received.map(\.state) == [InvitationState(rawValue: "INVITATION_STATE_NEW_IN_2030")])
    stage.transport.on("POST invitations/inv_1/accept", .success("{}"))
    try await stage.gatehouse.invitations.accept("inv_1")
    #expect(stage.transport.requests("GET users/me").count == 1)
    stage.transport.on(
      "POST invitations",
      .success(#"{"invitation": \#(invitation), "code": "ABCD"}"#)
    )
    let made = try await stage.gatehouse.invitations.invite(to: "org_1", as: "groom")
    #expect(made.code == "ABCD")
  }

  @Test("Points are numbers, although they are text on the wire")
  func points_asText_areNumbers() async throws {
    let stage = Stage()
    try await stage.signIn()
    let points = stage.gatehouse.points
    stage.transport.on(
      "GET points/chd_1",
      .success(#"{"balances": [{"app": "reading", "points": "20", "rewardMinutes": 5}]}"#)
    )
    let balance = try await points.balances(of: "chd_1").first
    #expect(balance?.points == 20 && balance?.rewardMinutes == 5 && balance?.heldPoints == 0)
    let request =
      #"{"id": "prq_1", "holderId": "chd_1", "state": "POINTS_REQUEST_STATE_PENDING", "#
      + #""minutes": "5"}"#
    stage.transport.on(
      "POST points/chd_1/redeem",
      .success(#"{"id": "", "entries": [], "request": \#(request)}"#)
    )
    let asked = try await points.redeem("chd_1", [.points(20, of: "reading")], asking: true)
    #expect(asked.request?.state == .pending && asked.request?.minutes == 5)
    let body = stage.transport.requests("POST points/chd_1/redeem").first?.body ?? Data()
    #expect(
      String(bytes: body, encoding: .utf8)
        == #"{"ask":true,"parts":[{"app":"reading","points":"20"}]}"#
    )
    stage.transport.on(
      "POST points/chd_1/requests/prq_1/approve",
      .success(#"{"id": "ptx_1", "entries": []}"#)
    )
    if let request = asked.request {
      #expect(try await points.approve(request).id == "ptx_1")
    }
  }
}
