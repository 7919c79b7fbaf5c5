import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("What is answered while a service cannot write to its disk")
  struct FullDiskTests {
    @Test("AuthService signs nobody in, and goes on saying who is signed in")
    func authService_full_readsGoOn() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        try await whileFull(home.auth) {
          [
            try await refusal { try await home.signUp("late") },
            try await refusal { try await home.signIn(owner) },
            try await refusal {
              try await home.authentication.signIn(
                .init(email: owner.email, password: "not the pass phrase"),
                timeout: .seconds(10)
              )
            },
            try await refusal {
              try await home.authentication.refresh(
                .init(refreshToken: owner.tokens.refreshToken),
                timeout: .seconds(10)
              )
            },
            try await refusal {
              try await home.users.updateProfile(.init(displayName: "A"), options: owner.call)
            },
          ]
        } reads: {
          #expect(try await home.users.getMe(.init(), options: owner.call).displayName == "ada")
          _ = try await home.sessions.list(.init(), options: owner.call)
          _ = try await home.portfolios.list(.init(), options: owner.call)
        }
        // What was refused did not happen, and can happen now.
        _ = try await home.signUp("late")
        _ = try await home.signIn(owner)
      }
    }

    @Test("TenancyService changes nothing, and goes on saying who may do what")
    func tenancyService_full_decisionsGoOn() async throws {
      try await Installation.run { home in
        let (owner, friend) = (try await home.signUp("ada"), try await home.signUp("grace"))
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        let add = {
          try await home.portfolios.addAdmin(
            .init(portfolioId: portfolio, userId: friend.id),
            options: owner.call
          )
        }
        try await whileFull(home.tenancy) {
          [
            try await refusal {
              try await home.portfolios.create(.init(name: "q"), options: owner.call)
            },
            try await refusal(add),
          ]
        } reads: {
          let list = try await home.portfolios.list(.init(), options: owner.call)
          #expect(list.portfolios.map(\.name) == ["p"])
          #expect(try await home.entitlements(ofPortfolio: portfolio, as: owner).tier == "free")
          // The role that could not be stored is none.
          let view = try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: friend)
          }
          #expect(view?.code == .notFound)
        }
        _ = try await add()
      }
    }

    @Test("EntitlementService stores nothing, and goes on saying what was bought")
    func entitlementService_full_answersGoOn() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let put = { (tier: String) in
          try await home.subscriptions.put(
            .init(subscription: .init(subject: .init(kind: .user, id: owner.id), tier: tier)),
            options: home.options(of: "billing", to: "entitlement")
          )
        }
        _ = try await put("standard")
        let proof = try TransactionFields.signed {
          $0["bundleId"] = .string(Installation.bundleID)
        }
        let buy = {
          try await home.purchases.submitTransaction(
            .init(signedTransaction: proof),
            options: owner.call
          )
        }
        try await whileFull(home.entitlement) {
          [try await refusal { try await put("pro") }, try await refusal(buy)]
        } reads: {
          let entitlements = try await home.entitlements(of: owner)
          #expect(entitlements.tier == "standard")
        }
        #expect(try await put("pro").version == 2)
        #expect(try await buy().result == .applied)
        #expect(try await home.entitlements(of: owner).tier == "pro")
      }
    }

    /// Lets nothing be written for a while: writes are UNAVAILABLE, reads work, and afterwards the
    /// service continues without having been started again.
    private func whileFull(
      _ service: ServiceProcess,
      writes: () async throws -> [Refusal?],
      reads: () async throws -> Void
    ) async throws {
      try await service.setDiskFull(true)
      for refused in try await writes() {
        #expect(
          refused?.is(.unavailable, "STORE_UNAVAILABLE") == true,
          "\(service.name): \(String(describing: refused))"
        )
      }
      try await reads()
      try await service.setDiskFull(false)
    }
  }
}
