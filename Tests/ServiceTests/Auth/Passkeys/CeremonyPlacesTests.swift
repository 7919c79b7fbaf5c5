import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Challenges that wait", .timeLimit(.minutes(5)))
struct CeremonyPlacesTests {
  private func ceremony(_ holder: String, session: String = "") -> PasskeyCeremony {
    PasskeyCeremony(
      id: "\(holder) \(UInt64.random(in: 0 ... .max))",
      kind: .signIn,
      challenge: [],
      userID: "",
      sessionID: session,
      created: 0,
      holder: Array(holder.utf8)
    )
  }

  @Test("At its share a holder's oldest makes room, at the total the oldest of whoever has most")
  func insert_full_replacesTheOldestOfTheLargest() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let store = stage.service.core.store
      let places = CeremonyPlaces(
        ofSources: SharedBound(total: 30, share: 3, ofEach: .source),
        ofAccounts: SharedBound(total: 30, share: 3, ofEach: .account)
      )
      @discardableResult
      func begin(_ ceremony: PasskeyCeremony) async throws -> PasskeyCeremony {
        let room = places.take(ceremony)
        try await store.writeOwn { tx in try CeremonyTable.insert(ceremony, room, in: tx) }
        return ceremony
      }
      func isThere(_ ceremony: PasskeyCeremony) async throws -> Bool {
        try await store.read { tx in try CeremonyTable.exists(ceremony.id, in: tx) }
      }
      let user = try await begin(ceremony("ada", session: "ses_1"))
      let first = try await begin(ceremony("flood 0"))
      for _ in 0..<3 { try await begin(ceremony("flood 0")) }
      #expect(try await !isThere(first))
      let lone = try await begin(ceremony("lone"))
      for source in 1..<10 { for _ in 0..<4 { try await begin(ceremony("flood \(source)")) } }
      // All thirty are taken. Those who come now take the places of those who have three.
      let new = try await begin(ceremony("new"))
      #expect(try await isThere(lone))
      #expect(try await isThere(new))
      #expect(try await isThere(user))
      let stored = try await store.read { tx in try CeremonyTable.holdings(in: tx) }
      #expect(stored.filter { !$0.isOfSession }.reduce(0) { $0 + $1.count } == 30)
      // Counted anew from the store it is the same.
      places.reset(to: stored)
      for number in 0..<40 { try await begin(ceremony("newcomer \(number)")) }
      let after = try await store.read { tx in try CeremonyTable.holdings(in: tx) }
      #expect(after.filter { !$0.isOfSession }.reduce(0) { $0 + $1.count } == 30)
      #expect(try await isThere(user))
      // One that was answered leaves its place.
      places.release(user)
      for _ in 0..<3 { #expect(places.take(ceremony("ada", session: "ses_1")) == .free) }
      #expect(places.take(ceremony("ada", session: "ses_1")) == .oldest(of: Array("ada".utf8)))
    }
  }

  @Test("Challenges that nobody answers are deleted, and their places are free again")
  func maintain_unanswered_freesPlaces() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let store = stage.service.core.store
      for _ in 0..<5 { _ = try await stage.passkeys.startSignIn(.init()) }
      func held() async throws -> [CeremonyTable.Holding] {
        try await store.read { tx in try CeremonyTable.holdings(in: tx) }
      }
      #expect(try await held().map(\.count) == [5])
      stage.clock.advance(PasskeyCeremony.lifetime + 1)
      try await stage.service.maintain()
      #expect(try await held() == [])
    }
  }

  @Test("A source begins 3,000 sign-ins in ten minutes; another source is not refused")
  func startSignIn_manyOfASource_isRefused() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.trustedProxies = ["tenancy"]
    try await AuthStage.runWithPasskeys(on: ground) { stage in
      let limit = stage.service.core.settings.sourceLimits.signIns
      #expect(limit == 3000)
      for _ in 0..<limit { _ = try await stage.passkeys.startSignIn(.init()) }
      let refused = await outcome { _ = try await stage.passkeys.startSignIn(.init()) }
      #expect(refused == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS")
      var elsewhere = CallOptions()
      elsewhere.metadata.append(CallSource.metadataKey, "203.0.113.7")
      let other = Auth_V1.PasskeysClient(stage.tenancyChannel)
      _ = try await other.startSignIn(.init(), options: elsewhere)
      stage.clock.advance(200)
      _ = try await stage.passkeys.startSignIn(.init())
    }
  }

  @Test("An account begins 300 ceremonies in ten minutes; another account is not refused")
  func startRegistration_manyOfAnAccount_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let bob = try await stage.signUp("bob@example.org")
      func begin(_ user: Auth_V1.SignInResponse) async -> String {
        await outcome {
          _ = try await stage.passkeys.startRegistration(.init(), options: stage.with(user))
        }
      }
      let limit = stage.service.core.settings.sourceLimits.accountSignIns
      #expect(limit == 300)
      for _ in 0..<limit { #expect(await begin(ada) == "OK") }
      #expect(await begin(ada) == "RESOURCE_EXHAUSTED ACCOUNT_SIGNS_IN_TOO_OFTEN")
      #expect(await begin(bob) == "OK")
      stage.clock.advance(2000)
      #expect(await begin(ada) == "OK")
    }
  }
}
