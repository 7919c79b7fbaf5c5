import EntitlementContracts
import AuthContracts
import PeerContracts
import TenancyContracts
import Foundation
import Glibc
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("Policies, features and operators across services")
  struct PolicyAndOperatorTests {
    /// The policy, where switching something on needs a feature that the tier `standard` has.
    private static func withFeature(_ policy: String) -> String {
      var text = policy
      // Who may do what without that feature.
      if let start = text.range(of: "\"matrix\": ["), let end = text.range(of: "\"expect\": [") {
        text.removeSubrange(start.lowerBound..<end.lowerBound)
      }
      let parts = text.split(separator: "\"device.turn_on\": {", maxSplits: 1)
      precondition(parts.count == 2, "the policy looks different")
      var rest = String(parts[1])
      rest.replace(
        "\"conditions\": [",
        with: "\"conditions\": [ { \"feature\": \"analytics\" },",
        maxReplacements: 1
      )
      // The first mention is a tenant's common areas, in quotes but without a brace.
      return parts[0] + "\"device.turn_on\": {" + rest
    }

    private func turnOn(
      _ lamp: String,
      _ home: Installation,
      _ owner: Person
    ) async throws -> Refusal? {
      try await refusal {
        try await home.devices.operate(
          .init(deviceId: lamp, operation: "turn_on"),
          options: owner.call
        )
      }
    }

    @Test("A policy loaded by a signal asks for a feature; buying opens, an outage cannot tell")
    func policy_reloadedWithFeature_followsSubscription() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let portfolio = try await home.portfolios.create(
          .init(name: "Harbour Homes"),
          options: owner.call
        ).id
        let property = try await home.portfolios.createProperty(
          .init(portfolioId: portfolio, name: "Pier 4"),
          options: owner.call
        ).id
        let lamp = try await home.devices.register(
          .init(propertyId: property, name: "Lamp", type: "light"),
          options: owner.call
        ).id
        #expect(try await turnOn(lamp, home, owner) == nil)

        let policy = try home.folder.text(of: "policy.json")
        try home.folder.write("{ \"name\": 1 }", to: "policy.json")
        home.tenancy.send(SIGHUP)
        let isLogged = await home.tenancy.eventually {
          home.folder.end(of: "tenancy.log").contains("policy.json does not load")
        }
        #expect(isLogged)
        #expect(try await turnOn(lamp, home, owner) == nil)

        try home.folder.write(Self.withFeature(policy), to: "policy.json")
        home.tenancy.send(SIGHUP)
        let isRefused = try await home.tenancy.eventually {
          try await turnOn(lamp, home, owner)?
            .is(.failedPrecondition, "FEATURE_NOT_AVAILABLE") == true
        }
        #expect(isRefused)

        try await subscribe(portfolio, to: "standard", home)
        let isOpen = try await home.tenancy.eventually {
          try await turnOn(lamp, home, owner) == nil
        }
        #expect(isOpen)

        // What is known counts for a while; then nobody can tell, and that is no denial.
        try await home.entitlement.kill()
        let isUnknown = try await home.tenancy.eventually(within: .seconds(30)) {
          let refused = try await turnOn(lamp, home, owner)
          #expect(refused?.code != .failedPrecondition)
          return refused?.is(.unavailable, "ENTITLEMENTS_UNAVAILABLE") == true
        }
        #expect(isUnknown)
        try await home.entitlement.start()
        let isOpenAgain = try await home.tenancy.eventually {
          try await turnOn(lamp, home, owner) == nil
        }
        #expect(isOpenAgain)

        try await subscribe(portfolio, to: "free", home)
        let isClosed = try await home.tenancy.eventually {
          try await turnOn(lamp, home, owner)?
            .is(.failedPrecondition, "FEATURE_NOT_AVAILABLE") == true
        }
        #expect(isClosed)
      }
    }

    @Test("A reload takes the files that the settings name now, not those of the start")
    func settings_nameOtherFiles_areFollowed() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let portfolio = try await home.portfolios.create(
          .init(name: "Harbour Homes"),
          options: owner.call
        ).id
        let property = try await home.portfolios.createProperty(
          .init(portfolioId: portfolio, name: "Pier 4"),
          options: owner.call
        ).id
        let lamp = try await home.devices.register(
          .init(propertyId: property, name: "Lamp", type: "light"),
          options: owner.call
        ).id
        #expect(try await turnOn(lamp, home, owner) == nil)

        let policy = Self.withFeature(try home.folder.text(of: "policy.json"))
        try home.folder.write(policy, to: "other-policy.json")
        _ = try home.set("policy", of: home.tenancy, to: "other-policy.json")
        home.tenancy.send(SIGHUP)
        let isRefused = try await home.tenancy.eventually {
          try await turnOn(lamp, home, owner)?
            .is(.failedPrecondition, "FEATURE_NOT_AVAILABLE") == true
        }
        #expect(isRefused, "\(home.folder.end(of: "tenancy.log"))")

        // Nobody has bought anything, and the tier of those has the feature now.
        let before = try home.set("catalog", of: home.entitlement, to: "other-catalog.json")
        let catalog = try String(contentsOfFile: before, encoding: .utf8)
        let other = catalog.replacing(
          "\"features\": {\"maxMembers\": 5,",
          with: "\"features\": {\"analytics\": true, \"maxMembers\": 5,"
        )
        #expect(other != catalog)
        try home.folder.write(other, to: "other-catalog.json")
        home.entitlement.send(SIGHUP)
        let isOpen = try await home.entitlement.eventually {
          try await turnOn(lamp, home, owner) == nil
        }
        #expect(isOpen, "\(home.folder.end(of: "entitlement.log"))")
      }
    }

    private func subscribe(
      _ portfolio: String,
      to tier: String,
      _ home: Installation
    ) async throws {
      _ = try await home.subscriptions.put(
        .init(subscription: .init(subject: .init(kind: .portfolio, id: portfolio), tier: tier)),
        options: home.options(of: "billing", to: "entitlement")
      )
    }

    @Test("An operator is made and unmade by commands, and every service notices")
    func operator_commands_takeEffectEverywhere() async throws {
      try await Installation.run { home in
        let (ada, grace) = (try await home.signUp("ada"), try await home.signUp("grace"))
        let subject = Entitlement_V1.Subject(kind: .portfolio, id: "prt_any")
        let subscribe = { (person: Person) in
          try await refusal {
            try await home.subscriptions.put(
              .init(subscription: .init(subject: subject, tier: "standard")),
              options: person.call
            )
          }
        }
        let listed = { try await home.auth.command(["list-super-admins"]).text }
        #expect(try await listed().contains("nobody is super_admin"))
        #expect(try await subscribe(ada)?.code == .permissionDenied)
        let granted = try await home.auth.command(["grant-super-admin", ada.id])
        #expect(granted.ending == .exited(0), "\(granted.text)")
        let isOperator = try await home.tenancy.eventually { try await subscribe(ada) == nil }
        #expect(isOperator)

        let last = try await home.auth.command(["revoke-super-admin", ada.email])
        #expect(
          last.ending == .exited(1) && last.text.contains("needs a permanent super_admin"),
          "\(last.text)"
        )
        #expect(try await subscribe(ada) == nil)

        let second = try await home.auth.command(["grant-super-admin", grace.id])
        #expect(second.ending == .exited(0), "\(second.text)")
        let both = try await listed()
        #expect(both.contains("\(ada.id)\n\(grace.id)"), "\(both)")
        let revoked = try await home.auth.command(["revoke-super-admin", ada.email])
        #expect(revoked.ending == .exited(0) && revoked.text.contains("is no longer super_admin"))
        let left = try await listed()
        #expect(left.contains(grace.id) && !left.contains(ada.id))
        let isNone = try await home.tenancy.eventually {
          try await subscribe(ada)?.code == .permissionDenied
        }
        #expect(isNone)
        #expect(try await subscribe(grace) == nil)

        let suspended = try await Tenancy_V1.SubjectsClient(home.tenancy.channel).suspend(
          .init(userId: ada.id, note: "as asked"),
          options: grace.call
        )
        #expect(suspended.suspendedBy == grace.id)
        let made = try await refusal {
          try await home.portfolios.create(.init(name: "New"), options: ada.call)
        }
        #expect(made?.is(.permissionDenied, "SUBJECT_SUSPENDED") == true)

        // Suspended, its sessions continue until an operator ends them.
        let operators = Auth_V1.OperatorsClient(home.auth.channel)
        let found = try await operators.listUsers(.init(text: ada.email), options: grace.call)
        #expect(found.users.map(\.id) == [ada.id])
        let ended = try await operators.endSessions(.init(userId: ada.id), options: grace.call)
        #expect(ended.revoked > 0)
        let isSignedOut = try await home.tenancy.eventually {
          try await refusal {
            try await home.portfolios.create(.init(name: "New"), options: ada.call)
          }?.code == .unauthenticated
        }
        #expect(isSignedOut)
        let byOthers = try await refusal {
          try await operators.listUsers(.init(), options: try await home.signUp("eve").call)
        }
        #expect(byOthers?.is(.permissionDenied, "CALLER_NOT_ALLOWED") == true)
        let forced = try await home.auth.command(["revoke-super-admin", grace.email, "force"])
        #expect(forced.ending == .exited(0), "\(forced.text)")
      }
    }
  }
}

extension Installation {
  /// Has a setting of a service name a file of the folder from now on; what it named before.
  fileprivate func set(
    _ setting: String,
    of service: ServiceProcess,
    to file: String
  ) throws -> String {
    let text = try folder.text(of: "\(service.name).json")
    let settings = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 16))
    var object = try #require(settings.object)
    let before = try #require(object[setting]?.string)
    object[setting] = .string(folder.file(file))
    try folder.write(JSONValue.object(object).indentedText, to: "\(service.name).json")
    return before
  }
}
