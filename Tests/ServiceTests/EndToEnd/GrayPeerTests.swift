import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  /// A service that was stopped (SIGSTOP) accepts connections and reads nothing: worse than one that is
  /// gone, because nobody is told so.
  @Suite("What is answered while a service accepts and never answers")
  struct GrayPeerTests {
    /// The longest that a service waits for another one, two seconds, and as much for a busy machine.
    private static let patience = Duration.seconds(4)
    /// Longer than any service believes what it knows without hearing anything.
    private static let afterLease = Duration.seconds(11)

    @Test("Of AuthService: tokens go on, nobody waits long, and nobody new gets a role")
    func authService_stopped_tokensGoOn() async throws {
      try await Installation.run { home in
        let (owner, friend) = (try await home.signUp("ada"), try await home.signUp("grace"))
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        let list = { try await home.portfolios.list(.init(), options: owner.call) }
        let get = { try await home.entitlements(of: owner) }
        try await whileStopped(home.auth) {
          let end = ContinuousClock.now + Self.afterLease
          // Over the end of the lease, when each call would like to ask.
          while ContinuousClock.now < end {
            try await inTime { _ = try await (list(), get()) }
          }
          // Many at once wait no longer than one.
          try await inTime {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for _ in 0..<50 {
                group.addTask { _ = try await home.portfolios.list(.init(), options: owner.call) }
              }
              try await group.waitForAll()
            }
          }
          let forged = CallOptions(metadata: ["authorization": "Bearer made.up.token"])
          let refused = try await refusal {
            try await home.portfolios.list(.init(), options: forged)
          }
          #expect(refused?.is(.unauthenticated, "CREDENTIALS_INVALID") == true)
          try await inTime {
            let added = try await refusal {
              try await home.portfolios.addAdmin(
                .init(portfolioId: portfolio, userId: friend.id),
                options: owner.call
              )
            }
            #expect(
              added?.is(.unavailable, "AUTH_UNAVAILABLE") == true,
              "\(String(describing: added))"
            )
          }
          try await areServing([home.tenancy, home.entitlement])
        }
        // It continues, and so does what had to wait.
        _ = try await home.portfolios.addAdmin(
          .init(portfolioId: portfolio, userId: friend.id),
          options: owner.call
        )
      }
    }

    @Test(
      "Of TenancyService: no roles by default, no permission without evidence, the rest goes on"
    )
    func tenancyService_stopped_nothingIsAllowedWithoutEvidence() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        _ = try await home.entitlements(ofPortfolio: portfolio, as: owner)
        try await whileStopped(home.tenancy) {
          try await expectMissing("role_associations", home, owner)
          let unknown = {
            try await refusal {
              try await home.entitlements(ofPortfolio: "prt_made_up", as: owner)
            }
          }
          try await inTime {
            let refused = try await unknown()
            #expect(refused?.code == .unavailable, "\(String(describing: refused))")
          }
          // Those who wait for TenancyService keep nobody else waiting.
          let waiting = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for number in 0..<100 {
                group.addTask {
                  let refused = try await refusal {
                    try await home.entitlements(ofPortfolio: "prt_\(number)", as: owner)
                  }
                  #expect(refused?.code == .unavailable, "\(String(describing: refused))")
                }
              }
              try await group.waitForAll()
            }
          }
          for _ in 0..<20 {
            let began = ContinuousClock.now
            #expect(try await home.entitlements(of: owner).tier == "free")
            #expect(ContinuousClock.now - began < .seconds(1))
          }
          try await inTime { try await waiting.value }
          var last: Refusal?
          let isRefused = try await home.entitlement.eventually(within: Self.afterLease) {
            last = try await refusal {
              try await home.entitlements(ofPortfolio: portfolio, as: owner)
            }
            return last != nil
          }
          #expect(isRefused && last?.code == .unavailable, "\(String(describing: last))")
          try await areServing([home.auth, home.entitlement])
        }
        let isBack = try await home.entitlement.eventually {
          try await refusal {
            try await home.entitlements(ofPortfolio: portfolio, as: owner)
          } == nil
        }
        #expect(isBack)
        _ = try await home.signIn(owner)
      }
    }

    @Test("Of EntitlementService: permissions go on, and nobody has bought anything")
    func entitlementService_stopped_permissionsGoOn() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        try await whileStopped(home.entitlement) {
          try await expectMissing("entitlements", home, owner)
          let began = ContinuousClock.now
          let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
          let list = try await home.portfolios.list(.init(), options: owner.call)
          #expect(list.portfolios.map(\.id) == [portfolio])
          #expect(ContinuousClock.now - began < .seconds(1))
          try await areServing([home.auth, home.tenancy])
        }
        _ = try await home.signIn(owner)
      }
    }

    // MARK: -

    private func whileStopped(
      _ service: ServiceProcess,
      _ body: () async throws -> Void
    ) async throws {
      service.send(SIGSTOP)
      do {
        try await body()
      } catch {
        service.send(SIGCONT)
        throw error
      }
      service.send(SIGCONT)
      // Connections that were given up while it stood still are made again.
      let health = Grpc_Health_V1.HealthClient(service.channel)
      let isBack = await service.eventually {
        (try? await health.check(.init(), timeout: .seconds(1)))?.status == .serving
      }
      #expect(isBack, "\(service.name) does not come back")
    }

    private func inTime(_ body: () async throws -> Void) async throws {
      let began = ContinuousClock.now
      try await body()
      #expect(ContinuousClock.now - began < Self.patience)
    }

    /// One that others are missing to is there all the same.
    private func areServing(_ services: [ServiceProcess]) async throws {
      for service in services {
        let health = Grpc_Health_V1.HealthClient(service.channel)
        let answer = try await health.check(.init(), timeout: .seconds(10))
        #expect(answer.status == .serving, "\(service.name)")
      }
    }

    /// Signing in fails whole, or names what is missing; and neither takes long.
    private func expectMissing(
      _ part: String,
      _ home: Installation,
      _ person: Person
    ) async throws {
      try await inTime {
        let refused = try await refusal { try await home.answer(to: person.email) }
        #expect(
          refused?.is(.unavailable, "CONTEXT_UNAVAILABLE") == true,
          "\(String(describing: refused))"
        )
        #expect(refused?.metadata["missing"] == part)
      }
      try await inTime {
        let signedIn = try await home.answer(to: person.email, allowsPartial: true)
        #expect(signedIn.user?.missingContext == [part])
        #expect(part != "role_associations" || signedIn.user?.roleAssociations == [])
        #expect(signedIn.user?.hasCompliancePack == false)
      }
    }
  }
}
