import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Following changes of features")
struct EntitlementFeaturesTests {
  private let bought = FeatureHolder(kind: .portfolio, id: "prt_bought")
  private let other = FeatureHolder(kind: .portfolio, id: "prt_other")

  @Test("What was bought while the stream of a store without changes was away is not missed")
  func run_resumedAtZero_beginsAnew() async throws {
    let entitlement = SmallEntitlementService(revision: 0)
    let metrics = MetricRegistry()
    try await serving(entitlement, metrics) { features, loop in
      try await features.fetch(bought)
      // The first stream forgets what was asked for before it.
      let flushed = "gatehouse_tenancy_feature_flushes_total 1"
      let isFlushed = await loop.eventually {
        String(decoding: metrics.render(), as: UTF8.self).contains(flushed)
      }
      #expect(isFlushed)
      for holder in [bought, other] { try await features.fetch(holder) }
      entitlement.set(["remote"], of: bought.id, tells: false)
      entitlement.dropWatchers()
      let isBack = await loop.eventually { entitlement.watchCount >= 2 }
      #expect(isBack)
      // Comes behind the first event of the new stream.
      entitlement.set([], of: other.id)
      let isHeardOf = await loop.eventually { !isKnown(other, features) }
      #expect(isHeardOf)
      #expect(!isKnown(bought, features))
    }
  }

  @Test("While a change waits to be announced, decisions are valid for a lease at most")
  func features_notAnnounced_areValidForALease() async throws {
    let entitlement = SmallEntitlementService()
    try await serving(entitlement, MetricRegistry()) { features, loop in
      let isLong = await loop.eventually {
        guard (try? await features.fetch(bought)) != nil else { return false }
        return validity(bought, features) ?? 0 > 200_000
      }
      #expect(isLong, "the stream is heard")
      #expect(!features.news.isPending)
      entitlement.set(["remote"], of: other.id)
      let isNoted = await loop.eventually { features.news.isPending }
      #expect(isNoted)
      try await features.fetch(bought)
      #expect(validity(bought, features) ?? .max <= 10_000)
    }
  }

  @Test("A stream that stays lost for a lease is announced: a change may be missed")
  func run_lostForALease_isAnnounced() async throws {
    let entitlement = SmallEntitlementService()
    let metrics = MetricRegistry()
    try await serving(entitlement, metrics, lease: .milliseconds(200)) { features, loop in
      try await features.fetch(bought)
      let isHeard = await loop.eventually { entitlement.watchCount > 0 }
      #expect(isHeard)
      entitlement.setDown(true)
      entitlement.dropWatchers()
      let isNoted = await loop.eventually { features.news.isPending }
      #expect(isNoted)
    }
  }

  @Test("Questions name the newest change that was heard of, and what is behind takes nothing back")
  func questions_nameTheNewestChange() async throws {
    let entitlement = SmallEntitlementService(revision: 7)
    try await serving(entitlement, MetricRegistry()) { features, loop in
      let isHeard = await loop.eventually {
        guard (try? await features.fetch(bought)) != nil else { return false }
        return validity(bought, features) ?? 0 > 200_000
      }
      #expect(isHeard)
      let subject = Entitlement_V1.Subject(kind: .portfolio, id: bought.id)
      var newest: UInt64 = 0
      for told: UInt64 in [9, 8, 12] {
        newest = max(newest, told)
        entitlement.tell(.init(revision: told, kind: .subject, subject: subject))
        let isForgotten = await loop.eventually { !isKnown(bought, features) }
        #expect(isForgotten)
        try await features.fetch(bought)
        #expect(entitlement.lastAtLeast == newest)
      }
    }
  }

  /// How long a decision may be kept, in milliseconds.
  private func validity(_ holder: FeatureHolder, _ features: EntitlementFeatures) -> Int64? {
    guard case .known(_, let until) = features.features(of: holder, now: 0) else { return nil }
    return until
  }

  private func isKnown(_ holder: FeatureHolder, _ features: EntitlementFeatures) -> Bool {
    features.features(of: holder, now: 0) != .missing
  }

  private func serving(
    _ entitlement: SmallEntitlementService,
    _ metrics: MetricRegistry,
    lease: Duration = .seconds(10),
    _ body: (EntitlementFeatures, any EventLoop) async throws -> Void
  ) async throws {
    let folder = try TestFolder()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let path = folder.path("entitlement")
    var configuration = ServerConfiguration(endpoints: [.init(.unix(path: path))])
    configuration.limits.responseStreamDrainTimeout = .milliseconds(10)
    let server = Server(configuration, services: [entitlement.definition], on: loops)
    try await server.serving { _ in
      try await withChannel("unix://\(path)", ChannelConfiguration(loops: loops)) { channel in
        var configuration = EntitlementFeatures.Configuration()
        configuration.lease = lease
        let features = EntitlementFeatures(
          channel,
          configuration: configuration,
          clock: ManualClock(TenancyStage.start),
          loop: loops.loops[0],
          logger: Logger(label: "test", level: .error, sink: SilentSink()),
          metrics: metrics
        )
        let following = Task { await features.run() }
        try await body(features, loops.loops[0])
        following.cancel()
        await following.value
      }
      entitlement.dropWatchers()
    }
  }
}
