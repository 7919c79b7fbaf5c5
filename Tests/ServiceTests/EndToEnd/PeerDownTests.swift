import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("What is answered while a service is down")
  struct PeerDownTests {
    @Test("Without AuthService, valid tokens go on, forged and revoked ones do not")
    func authService_down_tokensAreStillChecked() async throws {
      try await Installation.run { home in
        let (owner, friend) = (try await home.signUp("ada"), try await home.signUp("grace"))
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        // Never shown to anybody before AuthService goes.
        let unseen = try await home.signIn(owner)
        let revoked = try await home.signIn(owner)
        _ = try await home.authentication.signOut(.init(), options: revoked.call)
        for service in [home.tenancy, home.entitlement] {
          let isRefused = try await service.eventually {
            try await refusals(of: revoked, home)[service === home.tenancy ? 0 : 1] != nil
          }
          try #require(isRefused)
        }
        try await home.auth.kill()

        for person in [owner, unseen] {
          #expect(try await refusals(of: person, home) == [nil, nil])
        }
        _ = try await home.portfolios.update(
          .init(portfolioId: portfolio, name: "still mine"),
          options: owner.call
        )
        #expect(try await home.entitlements(ofPortfolio: portfolio, as: owner).tier == "free")
        #expect(
          try await refusals(of: revoked, home).map(\.?.code) == [
            .unauthenticated, .unauthenticated,
          ]
        )
        // Right in everything but the signature.
        for token in [forged(owner.tokens.accessToken), "made up"] {
          let options = CallOptions(metadata: ["authorization": "Bearer \(token)"])
          let refused = try await refusal {
            try await home.portfolios.list(.init(), options: options)
          }
          #expect(refused?.is(.unauthenticated, "CREDENTIALS_INVALID") == true)
        }
        // Whether a user exists cannot be told, so nobody new gets a role.
        let added = try await refusal {
          try await home.portfolios.addAdmin(
            .init(portfolioId: portfolio, userId: friend.id),
            options: owner.call
          )
        }
        #expect(added?.is(.unavailable, "AUTH_UNAVAILABLE") == true, "\(String(describing: added))")
        let view = try await refusal {
          try await home.entitlements(ofPortfolio: portfolio, as: friend)
        }
        #expect(view?.code == .notFound)
      }
    }

    @Test(
      "Without TenancyService, nobody gets roles or portfolios, and who asks for parts gets those"
    )
    func tenancyService_down_nothingIsAllowedWithoutEvidence() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        // Whose rights nobody has asked for.
        let other = try await home.signUp("bea")
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        _ = try await home.entitlements(ofPortfolio: portfolio, as: owner)
        try await home.tenancy.kill()

        try await expectMissing("role_associations", home, owner)
        let partial = try #require(await home.answer(to: owner.email, allowsPartial: true).user)
        #expect(partial.roleAssociations.isEmpty && partial.defaultPortfolioId.isEmpty)
        #expect(partial.plan == "free")
        _ = try await home.authentication.refresh(
          .init(refreshToken: owner.tokens.refreshToken),
          timeout: .seconds(10)
        )
        // What users bought themselves needs no permission.
        #expect(try await home.entitlements(of: owner).tier == "free")
        // Never asked before: no evidence at all, whether it exists or not.
        let unknown = try await refusal {
          try await home.entitlements(ofPortfolio: "pfl_made_up", as: owner)
        }
        #expect(unknown?.code == .unavailable, "\(String(describing: unknown))")
        let put = try await refusal {
          try await home.subscriptions.put(
            .init(subscription: .init(subject: .init(kind: .user, id: owner.id), tier: "standard")),
            options: other.call
          )
        }
        #expect(put?.code == .unavailable, "\(String(describing: put))")
        // Asked before: believed until the lease is over, and then no longer.
        var last: Refusal?
        let isRefused = try await home.entitlement.eventually(within: .seconds(11)) {
          last = try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: owner)
          }
          return last != nil
        }
        #expect(isRefused && last?.code == .unavailable, "\(String(describing: last))")
        for _ in 0..<20 {
          let later = try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: owner)
          }
          #expect(later?.code == .unavailable)
        }
        // It comes back, and with it the answers.
        try await home.tenancy.start()
        let isBack = try await home.entitlement.eventually(within: .seconds(20)) {
          try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: owner)
          } == nil
        }
        #expect(isBack)
      }
    }

    @Test("Without EntitlementService, nobody has bought anything, and permissions go on")
    func entitlementService_down_permissionsGoOn() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        try await home.entitlement.kill()

        try await expectMissing("entitlements", home, owner)
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        let partial = try #require(await home.answer(to: owner.email, allowsPartial: true).user)
        #expect(partial.plan.isEmpty && !partial.hasCompliancePack)
        #expect(partial.roleAssociations.map(\.entityId) == [portfolio])
        let gone = try await refusal { try await home.entitlements(of: owner) }
        #expect(gone?.code == .unavailable)
      }
    }

    /// Signing up, in and asking who one is fail whole, or name what is missing.
    private func expectMissing(
      _ part: String,
      _ home: Installation,
      _ person: Person
    ) async throws {
      let refusals = [
        try await refusal { try await home.answer(to: person.email) },
        try await refusal { try await home.users.getMe(.init(), options: person.call) },
        try await refusal { try await home.signUp("late") },
      ]
      for refused in refusals {
        #expect(refused?.is(.unavailable, "CONTEXT_UNAVAILABLE") == true, "\(refusals)")
        #expect(refused?.metadata["missing"] == part)
      }
      let signedIn = try await home.answer(to: person.email, allowsPartial: true)
      #expect(signedIn.user?.missingContext == [part])
      let me = try await home.users.getMe(.init(allowPartialContext: true), options: person.call)
      #expect(me.missingContext == [part])
    }

    /// Why TenancyService and EntitlementService refuse somebody; nil when they do not.
    private func refusals(of person: Person, _ home: Installation) async throws -> [Refusal?] {
      [
        try await refusal { try await home.portfolios.list(.init(), options: person.call) },
        try await refusal { try await home.entitlements(of: person) },
      ]
    }

    /// The token with one bit of its signature changed.
    private func forged(_ token: String) -> String {
      let parts = token.split(separator: ".").map(String.init)
      var signature = Base64URL.decode(parts[2]) ?? []
      signature[20] ^= 1
      return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
    }
  }
}
