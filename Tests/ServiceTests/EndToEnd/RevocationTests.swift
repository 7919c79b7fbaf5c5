import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("What was taken away is refused elsewhere")
  struct RevocationTests {
    private static let trialCount = 200
    /// The lease of cached revocations without a sign of life (docs/maintainers/architecture.md), and a second
    /// for a busy machine.
    private static let lease = Duration.seconds(10) + .seconds(1)

    @Test("A revoked session is refused by the services that only hear of it, and stays refused")
    func session_revoked_isRefusedEverywhere() async throws {
      try await Installation.run { home in
        let user = try await home.signUp("ada")
        var (tenancy, entitlement) = (Figures(), Figures())
        for _ in 0..<Self.trialCount {
          // Whatever the others have to say in time: this is about the session alone.
          let session = try await home.signIn(user, allowsPartial: true)
          let list = { @Sendable in try await home.portfolios.list(.init(), options: session.call) }
          let get = { @Sendable in try await home.entitlements(of: session) }
          _ = try await (list(), get())
          _ = try await home.authentication.signOut(.init(), options: session.call)
          async let first = refused(.unauthenticated, home.tenancy, list)
          async let second = refused(.unauthenticated, home.entitlement, get)
          tenancy.add(try await first)
          entitlement.add(try await second)
        }
        tenancy.print("session revoked until tenancy refuses it")
        entitlement.print("session revoked until entitlement refuses it")
        // The session that revoked nothing of its own continues.
        _ = try await home.portfolios.list(.init(), options: user.call)
      }
    }

    @Test("A removed role is refused by the service that remembers permissions, and stays refused")
    func role_removed_isRefusedByCaches() async throws {
      try await Installation.run { home in
        let (owner, admin) = (try await home.signUp("ada"), try await home.signUp("grace"))
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        let view = { @Sendable in try await home.entitlements(ofPortfolio: portfolio, as: admin) }
        var figures = Figures()
        for _ in 0..<Self.trialCount {
          _ = try await home.portfolios.addAdmin(
            .init(portfolioId: portfolio, userId: admin.id),
            options: owner.call
          )
          let isAllowed = try await home.entitlement.eventually(within: Self.lease) {
            try await refusal(view) == nil
          }
          try #require(isAllowed)
          _ = try await home.portfolios.removeAdmin(
            .init(portfolioId: portfolio, userId: admin.id),
            options: owner.call
          )
          figures.add(try await refused(.notFound, home.entitlement, view))
        }
        figures.print("role removed until entitlement refuses it")
      }
    }

    @Test("With silent streams, both are refused before the lease is over")
    func streams_silent_refuseWithinLease() async throws {
      try await PushBreaker.run { push in
        try await Installation.run(through: push) { home in
          let (owner, admin) = (try await home.signUp("ada"), try await home.signUp("grace"))
          let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
          _ = try await home.portfolios.addAdmin(
            .init(portfolioId: portfolio, userId: admin.id),
            options: owner.call
          )
          let phone = try await home.signIn(owner)
          let list = { @Sendable in try await home.portfolios.list(.init(), options: phone.call) }
          let get = { @Sendable in try await home.entitlements(of: phone) }
          let view = { @Sendable in try await home.entitlements(ofPortfolio: portfolio, as: admin) }
          // Remembered, and pushed as long as streams speak.
          try await isPushLive(home, owner)
          _ = try await (list(), get(), view())
          push.cut()
          _ = try await home.authentication.signOut(.init(), options: phone.call)
          _ = try await home.portfolios.removeAdmin(
            .init(portfolioId: portfolio, userId: admin.id),
            options: owner.call
          )
          // AuthService needs no stream to know.
          let own = try await refusal {
            try await home.users.getMe(.init(), options: phone.call)
          }
          #expect(own?.code == .unauthenticated)
          async let first = refused(.unauthenticated, home.tenancy, list)
          async let second = refused(.unauthenticated, home.entitlement, get)
          async let third = refused(.notFound, home.entitlement, view)
          let times = try await [first, second, third]
          print("figures: refused with silent streams after \(times)")
          // Calls that are good are answered all the same.
          _ = try await home.portfolios.list(.init(), options: owner.call)
          _ = try await home.entitlements(ofPortfolio: portfolio, as: owner)
        }
      }
    }

    /// A revocation arrives long before any lease ends: so the streams are there.
    private func isPushLive(_ home: Installation, _ user: Person) async throws {
      let session = try await home.signIn(user)
      _ = try await home.portfolios.list(.init(), options: session.call)
      _ = try await home.authentication.signOut(.init(), options: session.call)
      let time = try await refused(.unauthenticated, home.tenancy) {
        try await home.portfolios.list(.init(), options: session.call)
      }
      try #require(time < .seconds(3))
    }

    /// Calls until it is refused, and some more times; returns how long the first took to come.
    private func refused<Response: Sendable>(
      _ code: StatusCode,
      _ service: ServiceProcess,
      _ call: @Sendable () async throws -> Response
    ) async throws -> Duration {
      let began = ContinuousClock.now
      var last: Refusal?
      _ = try await service.eventually(within: Self.lease) {
        last = try await refusal(call)
        return last != nil
      }
      let time = ContinuousClock.now - began
      #expect(last?.code == code, "\(String(describing: last)) after \(time)")
      #expect(time < Self.lease)
      for _ in 0..<5 {
        #expect(try await refusal(call)?.code == code, "allowed again")
      }
      return time
    }
  }
}
