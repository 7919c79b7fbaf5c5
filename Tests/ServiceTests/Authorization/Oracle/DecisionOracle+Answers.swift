import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

extension DecisionOracle {
  mutating func askDirectly() async throws {
    let service = product.options(of: "entitlement", to: "tenancy")
    for _ in 0..<80 {
      let question = question()
      let request = Self.request(question)
      compare(try await product.permissions.check(request, options: service), question, "check")
      tally.checks += 1
    }
    for person in estate.people.shuffled(using: &estate.generator).prefix(4) {
      try await askAs(person)
      try await read(as: person)
    }
    for _ in 0..<3 {
      let questions = (0..<1000).map { _ in question() }
      let response = try await product.permissions.batchCheck(
        .init(checks: questions.map(Self.request)),
        options: service
      )
      for (question, answer) in zip(questions, response.decisions) {
        compare(answer, question, "batch")
      }
      tally.batched += response.decisions.count
    }
    for _ in 0..<5 { try await askForList(service) }
    for _ in 0..<5 { try await askForSubjects(service) }
    for _ in 0..<2 { try await askForEverything(service) }
    for _ in 0..<20 { try await askWhy(service) }
  }

  /// Users ask about themselves, and what they may not know of does not exist.
  mutating func askAs(_ person: Person) async throws {
    let options = try await product.call(person)
    var questions: [Question] = []
    for _ in 0..<40 {
      var question = question()
      question.user = person.id
      questions.append(question)
    }
    for question in questions.prefix(20) {
      let answer = try await product.permissions.check(
        .init(action: question.action, entityId: question.entity),
        options: options
      )
      compare(answer, question, "own check", isUser: true)
      tally.checks += 1
    }
    let response = try await product.permissions.batchCheck(
      .init(checks: questions.map { .init(action: $0.action, entityId: $0.entity) }),
      options: options
    )
    for (question, answer) in zip(questions, response.decisions) {
      compare(answer, question, "own batch", isUser: true)
    }
    tally.batched += response.decisions.count
  }

  static func request(_ question: Question) -> Tenancy_V1.CheckRequest {
    .init(subjectId: question.user, action: question.action, entityId: question.entity)
  }

  mutating func compare(
    _ decision: Tenancy_V1.Decision,
    _ question: Question,
    _ path: String,
    isUser: Bool = false
  ) {
    var expected = expected(question)
    if isUser, !expected.isKnown, expected.reason != "SUBJECT_SUSPENDED" {
      expected.reason = "ENTITY_UNKNOWN"
    }
    count(decision.allowed)
    let isAllowed = expected.reason == "ALLOWED"
    let agrees =
      Self.reason(decision) == expected.reason && decision.allowed == isAllowed
      && isLifetime(decision.validUntil, expected, question)
      && decision.role == (isAllowed ? expected.role ?? "" : "")
      && (expected.via == nil || !isAllowed || decision.viaEntityId == expected.via)
    if !agrees { fail("\(path) \(question): \(decision) instead of \(expected)") }
  }

  static func reason(_ decision: Tenancy_V1.Decision) -> String? {
    decision.reason.name.map { String("\($0)".dropFirst("REASON_".count)) }
  }

  /// Whether an answer ends when it is expected to; what takes a feature may end earlier, because whoever
  /// keeps it does not hear of features.
  func isLifetime(
    _ end: Google_Protobuf.Timestamp?,
    _ expected: NaiveEvaluator.Answer,
    _ question: Question
  ) -> Bool {
    guard let type = estate.naive.entities[question.entity]?.type,
      takesFeature(question.action, on: type), let end = end?.milliseconds
    else { return end?.milliseconds == expected.validUntil }
    return (product.clock.now...expected.validUntil).contains(end)
  }

  /// Whether an action on entities of a type has a condition on a feature.
  func takesFeature(_ action: String, on type: String) -> Bool {
    let conditions = estate.naive.actions(of: type)[action]?["conditions"] as? [[String: Any]]
    return conditions?.contains { $0["feature"] != nil } == true
  }

  /// Every entity of the type counts as a decision: it is listed, or it is not.
  mutating func askForList(_ service: CallOptions) async throws {
    let type = estate.types.randomElement(using: &estate.generator) ?? ""
    let actions = actionsByType[type] ?? []
    let action = actions.randomElement(using: &estate.generator) ?? ""
    let user = estate.people.randomElement(using: &estate.generator)?.id ?? ""
    var request = Tenancy_V1.ListAccessibleRequest(
      subjectId: user,
      action: action,
      entityType: type,
      pageSize: [7, 50, 1000].randomElement(using: &estate.generator) ?? 50
    )
    var found: [String] = []
    repeat {
      let page = try await product.permissions.listAccessible(request, options: service)
      found += page.entityIds
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    let all = estate.entityIDs.filter { estate.naive.entities[$0]?.type == type }
    let listed = Set(found)
    for id in all {
      let question = Question(user: user, action: action, entity: id)
      let isAllowed = expected(question).reason == "ALLOWED"
      count(isAllowed)
      if isAllowed != listed.contains(id) { fail("list: \(question), expected \(isAllowed)") }
    }
    tally.listed += all.count
    if found != listed.sorted() || !listed.isSubset(of: all) {
      fail("list of \(user) \(action): not sorted, twice, or of something that is not there")
    }
  }
}
