import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

/// Asks everything that decides, and compares with the estate's naive evaluator.
struct DecisionOracle {
  /// What was compared.
  struct Tally: CustomStringConvertible {
    var checks = 0
    var batched = 0
    var listed = 0
    var cached = 0
    /// Of lists of subjects and of all actions; most are denials, so they are no part of their share.
    var compared = 0
    /// Entries of lists that were paged while others wrote.
    var paged = 0
    /// Answers about the past.
    var past = 0
    var pastAllowed = 0
    /// Entities that were read or refused, and attributes that were not shown.
    var reads = 0
    var hidden = 0
    /// Pairs of somebody who asks and somebody who is looked up, and those where the one sees the other.
    var lookedUp = 0
    var seen = 0
    var denials = 0
    var stale = 0
    var hits = 0
    var failures: [String] = []

    var count: Int { checks + batched + listed + cached }

    var description: String {
      """
      \(count) decisions, \(denials * 100 / max(1, count)) % denied: \(checks) checked, \
      \(batched) in batches, \(listed) in lists, \(cached) through the cache (\(hits) hits, \
      \(stale) not yet pushed), \(compared) in lists of subjects and of all actions, and \(paged) \
      entries of lists that were paged during changes; \(past) about the past, \(pastAllowed) allowed; \
      \(reads) entities read, \(hidden) attributes hidden; \(lookedUp) people looked up, \(seen) seen
      """
    }
  }

  let product: Product
  let cache: CachedPermissions
  var estate: RandomEstate
  var tally = Tally()
  /// Questions that were asked of the cache before, so that it may know the answer.
  var asked: [Question] = []
  var belowEntities: [String: [String]] = [:]
  var past: [PastAnswer] = []
  /// All that the policy knows.
  let stepUps: [String]
  let features: [String]
  let actionsByType: [String: [String]]

  struct Question: Hashable {
    var user: String
    var action: String
    var entity: String
  }

  init(_ product: Product, _ kind: OracleProduct, seed: UInt64) async throws {
    self.product = product
    let administrator = try await product.signUp("administrator")
    _ = try await product.associations.grantSuperAdmin(
      .init(userId: administrator.id),
      options: product.options(of: "auth", to: "tenancy")
    )
    var people: [Person] = []
    for number in 0..<16 { people.append(try await product.signUp("person\(number)")) }
    estate = try await RandomEstate(
      product,
      kind,
      people: people,
      administrator: administrator,
      seed: seed
    )
    actionsByType = estate.naive.types.keys.reduce(into: [:]) { [naive = estate.naive] in
      $0[$1] = naive.actions(of: $1).keys.sorted()
    }
    let conditions = estate.naive.types.keys.flatMap { [naive = estate.naive] type in
      naive.actions(of: type).values.flatMap { $0["conditions"] as? [[String: Any]] ?? [] }
    }
    let granting = estate.naive.types.keys.flatMap { [naive = estate.naive] type in
      naive.actions(of: type).values.flatMap {
        ($0["with_step_up"] as? [String: Any] ?? [:]).keys
      }
    }
    stepUps = Set(conditions.compactMap { $0["step_up"] as? String } + granting).sorted()
    features = Set(conditions.compactMap { $0["feature"] as? String }).sorted()
    cache = try await CachedPermissions(product, kind)
  }

  func end() async { await cache.end() }

  // MARK: - Rounds

  /// Changes, time that passes, and questions in between.
  mutating func round() async throws {
    try await askDirectly()
    try await lookUp(count: 100)
    rememberNow()
    try await pageWhileChanging()
    try await changeWhilePushed()
    // Less than the lease, so that the cache continues believing what it may.
    for _ in 0..<3 {
      pass(Int64.random(in: 1...2, using: &estate.generator) * 1_000)
      try await askCache(count: 250)
    }
    try await cache.beWarm()
    if Int.random(in: 0..<4, using: &estate.generator) == 0 { try await changeWhileSilent() }
    if Int.random(in: 0..<5, using: &estate.generator) == 0 {
      pass(Int64.random(in: 10_000...400_000, using: &estate.generator))
      try await askCache(count: 100)
    }
  }

  /// The date and the cache's own clock go forward together.
  func pass(_ milliseconds: Int64) {
    product.clock.advance(milliseconds)
    cache.advance(by: milliseconds)
  }

  /// Until a change is pushed the answer before it may be given, and from then on none.
  mutating func changeWhilePushed() async throws {
    try await cache.beWarm()
    var states = [estate.naive]
    for _ in 0..<8 {
      try await change()
      states.append(estate.naive)
    }
    try await askCache(count: 60, states)
    try await cache.hearEverything()
    try await askCache(count: 250)
  }

  /// Nothing is pushed: for the time of the lease old answers may be given, and then none.
  mutating func changeWhileSilent() async throws {
    try await askCache(count: 100)
    await cache.stopListening()
    var states = [estate.naive]
    for _ in 0..<8 {
      try await change()
      states.append(estate.naive)
    }
    try await askCache(count: 100, states)
    if Bool.random(using: &estate.generator) {
      pass(10_000)
      try await askCache(count: 150)
    }
    // What was missed counts as soon as there is a stream again; until then the lease may last.
    cache.listen()
    try await cache.beWarm()
    try await cache.hearEverything()
    try await askCache(count: 150)
  }

  // MARK: - Questions

  /// Somebody and something, mostly where a role reaches, or nearly all would be denied.
  mutating func question() -> Question {
    var question = anyQuestion()
    // A comparison means little when nearly everything is denied.
    for _ in 0..<4 where tally.denials * 100 > tally.count * 60 {
      if expected(question).reason == "ALLOWED" { break }
      question = anyQuestion()
    }
    return question
  }

  private mutating func anyQuestion() -> Question {
    let naive = estate.naive
    var user = estate.people.randomElement(using: &estate.generator)?.id ?? ""
    var entity = estate.entityIDs.randomElement(using: &estate.generator) ?? ""
    switch Int.random(in: 0..<20, using: &estate.generator) {
    case 0: user = "usr_unknown"
    case 1: entity = "dev_unknown"
    case 2: entity = "sys_root"
    case 3: break
    default:
      if let held = naive.associations.randomElement(using: &estate.generator) {
        user = held.user
        let linked = naive.links.filter { $0.from == held.entity }.map(\.to)
        let below = self.below(held.entity)
        entity = (below + linked).randomElement(using: &estate.generator) ?? held.entity
      }
    }
    // Mostly actions of the type.
    var actions = estate.actions
    if let type = naive.entities[entity]?.type, Int.random(in: 0..<8, using: &estate.generator) > 0
    {
      actions = actionsByType[type] ?? []
    }
    let action = actions.randomElement(using: &estate.generator) ?? ""
    return Question(user: user, action: action, entity: entity)
  }

  /// An entity and what is below it; the same until something changes.
  mutating func below(_ id: String) -> [String] {
    if let known = belowEntities[id] { return known }
    let found = estate.entityIDs.filter { estate.isWithin($0, id) }
    belowEntities[id] = found
    return found
  }

  mutating func change() async throws {
    try await estate.change()
    belowEntities = [:]
  }

  /// What is answered now, or in another state of the estate; to whoever `hasProven` everything that a
  /// policy can ask for.
  func expected(
    _ question: Question,
    _ naive: NaiveEvaluator? = nil,
    hasProven: Bool = false
  ) -> NaiveEvaluator.Answer {
    (naive ?? estate.naive).decide(
      question.user,
      question.action,
      question.entity,
      stepUps: hasProven ? stepUps : ["pwd"],
      features: estate.features(on: question.entity, naive ?? estate.naive),
      now: product.clock.now
    )
  }

  mutating func count(_ isAllowed: Bool) { if !isAllowed { tally.denials += 1 } }

  mutating func fail(_ text: String) {
    // The first ones say what is wrong.
    if tally.failures.count < 10 { tally.failures.append(text) }
  }
}
