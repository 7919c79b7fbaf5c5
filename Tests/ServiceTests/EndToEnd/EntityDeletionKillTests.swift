import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("Killing services while what a deleted tree had is ended")
  struct EntityDeletionKillTests {
    /// A root of a shipped policy, with its file.
    enum Root: String, CaseIterable, Sendable {
      case organization
      case family
      case portfolio

      var policy: String {
        switch self {
        case .organization: "equestrian"
        case .family: "family"
        case .portfolio: "smart-home"
        }
      }
    }

    /// A tree whose owner is about to delete it.
    private struct Tree {
      let id: String
      /// What of it EntitlementService is told of.
      let holders: [String]
    }

    private static func policy(_ name: String) throws -> String {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      return try String(
        contentsOf: root.appending(path: "policies/\(name).json"),
        encoding: .utf8
      )
    }

    @Test(
      "However EntitlementService and TenancyService are killed, the subscription ends and stays ended",
      arguments: Root.allCases
    )
    func deletion_whileServicesAreKilled_ends(root: Root) async throws {
      try await Installation.run(policy: try Self.policy(root.policy)) { home in
        let owner = try await home.signUp("ada")
        let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
        let kept = try await build(root, owner, home)
        // Killed before the deletion, and just after it.
        for isDownBefore in [true, false] {
          let tree = try await build(root, owner, home)
          if isDownBefore { try await home.entitlement.kill() }
          let done = try await home.tenancy.again {
            try await entities.delete(
              .init(entityId: tree.id, cascade: true, idempotencyKey: tree.id),
              options: owner.call
            )
          }
          #expect(done.holderCount == UInt64(tree.holders.count))
          if isDownBefore {
            let begun = try await entities.getDeletion(
              .init(deletionId: done.deletionId),
              options: owner.call
            )
            #expect(begun.endedHolderCount == 0 && begun.finishedAt == nil)
          } else {
            try await home.entitlement.kill()
          }
          try await home.tenancy.kill()
          try await home.tenancy.start()
          try await home.entitlement.start()
          let isFinished = await home.tenancy.eventually(within: .seconds(90)) {
            let deletion = try? await entities.getDeletion(
              .init(deletionId: done.deletionId),
              options: owner.call
            )
            return deletion?.finishedAt != nil
          }
          #expect(isFinished, "the deletion does not end:\n\(home.folder.end(of: "tenancy.log"))")
          try await requireEnded(tree, home)
        }
        let stays = try await get(kept.id, home)
        #expect(stays.tier == "standard")
        // The owner stays, and has what is left.
        let held = try await home.tenancy.again {
          try await home.associations.listByUser(.init(), options: owner.call).associations
        }
        #expect(held.map(\.entityId) == [kept.id])
        for service in [home.tenancy, home.entitlement] {
          let verified = try await service.command(["verify"])
          #expect(verified.ending == .exited(0), "\(verified.text)")
        }
      }
    }

    private func build(_ root: Root, _ owner: Person, _ home: Installation) async throws -> Tree {
      let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
      let id = try await home.tenancy.again {
        try await entities.create(
          .init(entity: .init(type: root.rawValue, name: "Root")),
          options: owner.call
        ).id
      }
      var holders = [id]
      if root == .family {
        let child = try await entities.create(
          .init(entity: .init(type: "child", parentId: id, name: "Mia")),
          options: owner.call
        ).id
        let parentMode = try await home.parentMode(of: id, owner).call
        _ = try await home.entitlement.again {
          try await Entitlement_V1.PointsClient(home.entitlement.channel).setRule(
            .init(
              holderId: child,
              rule: .init(app: "math", pointsPerMinute: 2, pointsPerRewardMinute: 3)
            ),
            options: parentMode
          )
        }
        holders.append(child)
      }
      try await put(id, home)
      return Tree(id: id, holders: holders)
    }

    /// EntitlementService takes a subject for what the billing system says that it is.
    private func subject(_ id: String) -> Entitlement_V1.Subject {
      .init(kind: id.hasPrefix("prt_") ? .portfolio : .organization, id: id)
    }

    private func put(_ id: String, _ home: Installation) async throws {
      _ = try await home.entitlement.again {
        try await home.subscriptions.put(
          .init(subscription: .init(subject: subject(id), tier: "standard")),
          options: home.options(of: "billing", to: "entitlement")
        )
      }
    }

    private func get(
      _ id: String,
      _ home: Installation
    ) async throws -> Entitlement_V1.Subscription {
      try await home.entitlement.again {
        try await home.subscriptions.get(
          .init(subject: subject(id)),
          options: home.options(of: "billing", to: "entitlement")
        )
      }
    }

    /// Nothing is left, and nothing that comes late brings anything back.
    private func requireEnded(_ tree: Tree, _ home: Installation) async throws {
      let read = await #expect(throws: RPCError.self) { _ = try await get(tree.id, home) }
      #expect(read?.code == .notFound)
      for holder in tree.holders {
        let late = await #expect(throws: RPCError.self) { try await put(holder, home) }
        #expect(late?.code == .notFound, "\(holder)")
      }
    }
  }
}
