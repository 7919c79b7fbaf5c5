import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Stopping a service")
  struct DrainTests {
    @Test("A service that is told to stop is gone soon, although others watch it")
    func terminate_whileWatched_exitsWithoutFailure() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        // Both watch AuthService, and EntitlementService watches TenancyService.
        _ = try await home.entitlements(ofPortfolio: portfolio, as: owner)
        for service in home.all {
          let began = ContinuousClock.now
          service.send(SIGTERM)
          // A third of what a drain may take: none of it is spent on waiting for watches.
          #expect(await service.ending(within: .seconds(10)) == .exited(0), "\(service.name)")
          print("figures: \(service.name) drained in \(ContinuousClock.now - began)")
        }
        // What was stored before is there afterwards.
        for service in home.all { try await service.start() }
        let isThere = try await home.tenancy.eventually {
          try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: owner)
          } == nil
        }
        #expect(isThere)
      }
    }
  }
}
