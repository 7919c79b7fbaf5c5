import AuthContracts
import Foundation
import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

extension EndToEndTests {
  @Suite("Killing services while families end")
  struct FamilyEndKillTests {
    private struct Home {
      let installation: Installation
      let parent: Person
      let family: String
      let child: String
      let session: Auth_V1.BeginChildSessionResponse
    }

    /// A family whose child is signed in on a device; its account is new.
    private func home(_ installation: Installation, _ parent: Person) async throws -> Home {
      let entities = Tenancy_V1.EntitiesClient(installation.tenancy.channel)
      let family = try await entities.create(
        .init(entity: .init(type: "family", name: "Lovelace")),
        options: parent.call
      ).id
      let child = try await entities.create(
        .init(entity: .init(type: "child", parentId: family, name: "Mia")),
        options: parent.call
      ).id
      let session = try await Auth_V1.ChildrenClient(installation.auth.channel).beginSession(
        .init(childId: child, deviceId: "ipad-\(child)", device: .init(name: "iPad")),
        options: parent.call
      )
      return Home(
        installation: installation,
        parent: parent,
        family: family,
        child: child,
        session: session
      )
    }

    /// Waits until the child is signed out.
    private func isSignedOut(_ home: Home) async -> Bool {
      let token = home.session.tokens?.accessToken ?? ""
      let options = CallOptions(
        timeout: .seconds(10),
        metadata: ["authorization": "Bearer \(token)"]
      )
      return await home.installation.auth.eventually(within: .seconds(90)) {
        do {
          _ = try await home.installation.users.getMe(.init(), options: options)
          return false
        } catch let error as RPCError {
          return error.code == .unauthenticated
        } catch {
          return false
        }
      }
    }

    private static func policy() throws -> String {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      return try String(contentsOf: root.appending(path: "policies/family.json"), encoding: .utf8)
    }

    @Test(
      "However AuthService and TenancyService are killed, a child whose pairing ends is signed out"
    )
    func unpair_whileServicesAreKilled_signsOut() async throws {
      try await Installation.run(policy: try Self.policy()) { installation in
        let parent = try await installation.signUp("ada")
        for isDownBefore in [true, false] {
          let home = try await home(installation, parent)
          let kept = try await self.home(installation, parent)
          if isDownBefore { try await installation.auth.kill() }
          let response = try await installation.tenancy.again {
            try await Tenancy_V1.FamiliesClient(installation.tenancy.channel).unpair(
              .init(pairingId: home.session.pairingId),
              options: parent.call
            )
          }
          #expect(response.unpaired)
          if !isDownBefore { try await installation.auth.kill() }
          try await installation.tenancy.kill()
          // TenancyService is ready once it has AuthService's keys.
          try await installation.auth.start()
          try await installation.tenancy.start()
          #expect(await isSignedOut(home), "the child stays signed in")
          // Another child's session has nothing to do with it.
          let token = kept.session.tokens?.accessToken ?? ""
          _ = try await installation.users.getMe(
            .init(),
            options: CallOptions(metadata: ["authorization": "Bearer \(token)"])
          )
        }
      }
    }

    @Test("A deleted family takes its PIN and the accounts of its children along")
    func deletion_whileServicesAreKilled_takesAccounts() async throws {
      try await Installation.run(policy: try Self.policy()) { installation in
        let parent = try await installation.signUp("ada")
        let home = try await home(installation, parent)
        _ = try await installation.parentMode(of: home.family, parent)
        try await installation.auth.kill()
        _ = try await installation.tenancy.again {
          try await Tenancy_V1.EntitiesClient(installation.tenancy.channel).delete(
            .init(entityId: home.family, cascade: true, idempotencyKey: "once"),
            options: parent.call
          )
        }
        try await installation.tenancy.kill()
        try await installation.auth.start()
        try await installation.tenancy.start()
        #expect(await isSignedOut(home))
        let path = installation.folder.file("auth.db")
        let isGone = await installation.auth.eventually(within: .seconds(90)) {
          let output = try? await rowCount(path, installation)
          return output == "0 0"
        }
        #expect(isGone, "the account or the PIN stays")
      }
    }

    /// Accounts without an address, and PINs of families.
    private func rowCount(_ path: String, _ installation: Installation) async throws -> String {
      let ending = try await installation.shell(
        """
        python3 - > rows <<'END'
        import sqlite3
        store = sqlite3.connect("file:\(path)?mode=ro", uri=True)
        users = store.execute("SELECT count(*) FROM account WHERE email = ''").fetchone()[0]
        pins = store.execute("SELECT count(*) FROM family_pin").fetchone()[0]
        print(users, pins)
        END
        """
      )
      guard ending == .exited(0) else { return "" }
      return try installation.folder.text(of: "rows")
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
