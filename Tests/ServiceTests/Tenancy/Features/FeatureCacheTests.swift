import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("What is kept of features")
struct FeatureCacheTests {
  private let holder = FeatureHolder(kind: .portfolio, id: "prt_1")

  private func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  private func cache(holders: Int = 10) -> FeatureCache {
    FeatureCache(lease: .seconds(10), holderCountMax: holders)
  }

  @Test("Without news an answer is believed as long as the lease, with news until it expires")
  func answer_lease() {
    var cache = cache()
    #expect(cache.answer(holder, at: at(1)) == .unknown)
    _ = cache.store(["a"], for: holder, began: at(1), expires: at(301))
    #expect(cache.answer(holder, at: at(10)) == .known(.init(names: ["a"], remaining: .seconds(1))))
    #expect(cache.answer(holder, at: at(11)) == .doubtful)
    cache.extendLease(at: at(12))
    #expect(
      cache.answer(holder, at: at(13)) == .known(.init(names: ["a"], remaining: .seconds(288)))
    )
    #expect(cache.answer(holder, at: at(22)) == .doubtful)
    _ = cache.store(["b"], for: holder, began: at(23), expires: at(323))
    #expect(cache.answer(holder, at: at(24)) == .known(.init(names: ["b"], remaining: .seconds(9))))
    _ = cache.store(["a"], for: holder, began: at(1), expires: at(301))
    cache.extendLease(at: at(299))
    #expect(
      cache.answer(holder, at: at(300)) == .known(.init(names: ["a"], remaining: .seconds(1)))
    )
    #expect(cache.answer(holder, at: at(301)) == .unknown)
  }

  @Test("Who is forgotten is unknown, and others stay")
  func forget_isScoped() {
    var cache = cache()
    let other = FeatureHolder(kind: .organization, id: "prt_1")
    _ = cache.store(["a"], for: holder, began: at(1), expires: at(301))
    _ = cache.store(["b"], for: other, began: at(1), expires: at(301))
    cache.forget(holder)
    #expect(cache.answer(holder, at: at(2)) == .unknown)
    #expect(cache.answer(other, at: at(2)) == .known(.init(names: ["b"], remaining: .seconds(9))))
    cache.forgetAll()
    #expect(cache.answer(other, at: at(2)) == .unknown)
  }

  @Test("Limits are believed as long as features are, and one that is not there is 0")
  func limit_lease() {
    var cache = cache()
    #expect(cache.limit("most", of: holder, at: at(1)) == .unknown)
    _ = cache.store([], limits: ["most": 5], for: holder, began: at(1), expires: at(301))
    #expect(cache.limit("most", of: holder, at: at(10)) == .known(5))
    #expect(cache.limit("other", of: holder, at: at(10)) == .known(0))
    #expect(cache.limit("most", of: holder, at: at(11)) == .doubtful)
    cache.extendLease(at: at(12))
    #expect(cache.limit("most", of: holder, at: at(13)) == .known(5))
    #expect(cache.limit("most", of: holder, at: at(301)) == .unknown)
  }

  @Test("No more is kept than there is room for")
  func store_full_isBounded() {
    var cache = cache(holders: 3)
    var flushes = 0
    for number in 0..<10 {
      let holder = FeatureHolder(kind: .portfolio, id: "prt_\(number)")
      if cache.store([], for: holder, began: at(1), expires: at(301)) { flushes += 1 }
      #expect(cache.count <= 3)
    }
    #expect(flushes == 3)
  }
}
