internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The offers that unlock a feature; parts that there are none of are empty.
struct FeatureUnlock: Hashable, Sendable {
  /// The cheapest tier that has it.
  var tier = ""
  var addons: [String] = []
  var products: [String] = []

  /// As the metadata of an error.
  var metadata: [String: String] {
    let parts = [
      "unlocked_by_tier": tier,
      "unlocked_by_addons": addons.joined(separator: ","),
      "unlocked_by_products": products.joined(separator: ","),
    ]
    return parts.filter { !$0.value.isEmpty }
  }
}

/// Answers of EntitlementService that are kept, and until when they are used.
///
/// Pure bookkeeping: no call, clock or lock. An answer is used until it expires, and only as long
/// as it is known that nothing has changed it: because the stream of changes was heard of lately, or
/// because it was asked for as lately as that.
struct FeatureCache: LeasedAnswers {
  typealias Key = FeatureHolder

  private struct Entry {
    let names: [String]
    /// Limits by name; `Int64.max` is unlimited.
    let limits: [String: Int64]
    let unlocks: [String: FeatureUnlock]
    let began: MonotonicInstant
    let expires: MonotonicInstant
  }

  /// The features of a holder, and how long a decision by them may be kept if its change is pushed.
  struct Features: Equatable, Sendable {
    let names: [String]
    let remaining: Duration
  }

  private var entries: [FeatureHolder: Entry] = [:]
  private var lease: Lease
  private let holderCountMax: Int

  init(lease: Duration, holderCountMax: Int) {
    self.lease = Lease(lease)
    self.holderCountMax = max(1, holderCountMax)
  }

  /// The fetched answer says by itself when the call began.
  var ticket: Void { () }

  /// Kept answers.
  var count: Int { entries.count }

  /// The answer for a holder.
  func answer(_ holder: FeatureHolder, at now: MonotonicInstant) -> LeasedAnswer<Features> {
    answer(holder, at: now) { Features(names: $0.names, remaining: $1) }
  }

  /// A limit of a holder; 0 if it has no such limit.
  func limit(
    _ name: String,
    of holder: FeatureHolder,
    at now: MonotonicInstant
  ) -> LeasedAnswer<Int64> {
    answer(holder, at: now) { entry, _ in entry.limits[name] ?? 0 }
  }

  /// The part of a holder's answer that `part` takes, given how long it may still be used.
  private func answer<Part>(
    _ holder: FeatureHolder,
    at now: MonotonicInstant,
    _ part: (Entry, Duration) -> Part
  ) -> LeasedAnswer<Part> {
    guard let entry = entries[holder], now < entry.expires else { return .unknown }
    // While changes are heard, a change of the answer is pushed; otherwise it is used no longer than a lease.
    let asked = entry.began.advanced(by: lease.duration)
    guard now < max(lease.end, asked) else { return .doubtful }
    let end = now < lease.end ? entry.expires : min(asked, entry.expires)
    return .known(part(entry, now.duration(to: end)))
  }

  /// The offers that unlock a feature that a holder lacks, by the last answer that is kept, however old it is:
  /// it is for people to read.
  func unlock(_ feature: String, of holder: FeatureHolder) -> FeatureUnlock? {
    entries[holder]?.unlocks[feature]
  }

  /// Keeps an answer that was asked for at `began`; returns whether all others had to go for it.
  ///
  /// Giving all up costs one call for each holder that is still used, and bounds memory.
  mutating func store(
    _ names: [String],
    limits: [String: Int64] = [:],
    unlocks: [String: FeatureUnlock] = [:],
    for holder: FeatureHolder,
    began: MonotonicInstant,
    expires: MonotonicInstant
  ) -> Bool {
    let isFull = entries[holder] == nil && entries.count >= holderCountMax
    if isFull { entries = [:] }
    entries[holder] = Entry(
      names: names,
      limits: limits,
      unlocks: unlocks,
      began: began,
      expires: expires
    )
    return isFull
  }

  /// Forgets a holder's features.
  mutating func forget(_ holder: FeatureHolder) { entries[holder] = nil }

  /// Nothing that is known need be true.
  mutating func forgetAll() { entries = [:] }

  /// Changes were heard of.
  mutating func extendLease(at now: MonotonicInstant) { lease.extend(at: now) }
}
