import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Children's devices that parents set up", .timeLimit(.minutes(5)))
struct ChildDevicesTests {
  private static let account = "usr_made"

  @discardableResult
  private func pair(
    _ home: FamilyHome,
    by parent: String = FamilyHome.parent,
    device: String = "ipad-1",
    child: String? = nil
  ) async throws -> Tenancy_V1.PairChildDeviceResponse {
    try await home.stage.childDevices.pair(
      .init(
        parentId: parent,
        childId: child ?? home.ann,
        userId: Self.account,
        deviceId: device,
        deviceName: "iPad"
      ),
      options: .byService("auth")
    )
  }

  @Test("The account gets the roles of the child and of its device, however often it is paired")
  func pair_again_isTheSame() async throws {
    try await FamilyHome.run { home in
      let first = try await pair(home)
      #expect(first.familyId == home.family && first.childName == "Ann")
      #expect(try await pair(home).pairingId == first.pairingId)
      let account = Self.account
      #expect(try await home.may(account, "points.earn", home.ann))
      #expect(try await !home.may(account, "points.earn", home.ben))
      let opened = home.inParentMode(account)
      #expect(try await home.reason("points.set_rules", on: home.ben, opened) == .allowed)
      let context = try await home.context(for: account)
      #expect(context.pairing?.issuedBy == FamilyHome.parent)
      // The same device of another child's is that child's from then on.
      try await pair(home, child: home.ben)
      #expect(try await !home.may(account, "points.earn", home.ann))
      #expect(try await home.may(account, "points.earn", home.ben))
    }
  }

  @Test("It takes the rights of the parent who is named, and services alone ask")
  func pair_rights_areTheParents() async throws {
    try await FamilyHome.run { home in
      for user in [FamilyHome.guardian, FamilyHome.annie, "usr_stranger"] {
        let refused = try await refusal { try await pair(home, by: user) }
        #expect(refused != nil, "\(user)")
      }
      let direct = try await refusal {
        try await home.stage.childDevices.pair(
          .init(
            parentId: FamilyHome.parent,
            childId: home.ann,
            userId: Self.account,
            deviceId: "ipad-1"
          ),
          options: .by(FamilyHome.parent)
        )
      }
      #expect(direct != nil)
      let unknown = try await refusal { try await pair(home, child: "chd_made_up") }
      #expect(unknown?.code == .notFound)
    }
  }

  @Test("Unpairing ends the roles with the last device")
  func unpair_last_endsRoles() async throws {
    try await FamilyHome.run { home in
      try await pair(home)
      try await pair(home, device: "ipad-2")
      func unpair(_ device: String, by parent: String) async throws -> Bool {
        try await home.stage.childDevices.unpair(
          .init(parentId: parent, userId: Self.account, deviceId: device),
          options: .byService("auth")
        ).unpaired
      }
      let foreign = try await refusal { _ = try await unpair("ipad-1", by: FamilyHome.guardian) }
      #expect(foreign?.code == .notFound)
      #expect(try await unpair("ipad-1", by: FamilyHome.parent))
      #expect(try await home.may(Self.account, "points.earn", home.ann))
      #expect(try await unpair("ipad-2", by: FamilyHome.parent))
      #expect(try await !home.may(Self.account, "points.earn", home.ann))
      #expect(try await !unpair("ipad-2", by: FamilyHome.parent))
    }
  }
}
