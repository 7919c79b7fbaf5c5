import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// Who may do something, all that somebody may, and why.
extension DecisionOracle {
  /// Everybody is listed, or they may not.
  mutating func askForSubjects(_ service: CallOptions) async throws {
    let asked = question()
    guard estate.naive.entities[asked.entity] != nil else { return }
    var request = Tenancy_V1.ListSubjectsRequest(
      entityId: asked.entity,
      action: asked.action,
      pageSize: [2, 50].randomElement(using: &estate.generator) ?? 50
    )
    var found: [String: Tenancy_V1.AllowedSubject] = [:]
    repeat {
      let page = try await product.permissions.listSubjects(request, options: service)
      for subject in page.subjects {
        if found.updateValue(subject, forKey: subject.userId) != nil {
          fail("subjects of \(asked): \(subject.userId) is listed twice")
        }
      }
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    for person in estate.people + [estate.administrator] {
      let question = Question(user: person.id, action: asked.action, entity: asked.entity)
      // Who may once they have typed their PIN is listed too.
      let expected = expected(question, hasProven: true)
      let isAllowed = expected.reason == "ALLOWED"
      tally.compared += 1
      let subject = found.removeValue(forKey: person.id)
      let agrees =
        isAllowed == (subject != nil)
        && (subject == nil
          || subject?.role == expected.role
            && isLifetime(subject?.validUntil, expected, question))
      if !agrees { fail("subjects: \(question): \(subject as Any) instead of \(expected)") }
    }
    if !found.isEmpty { fail("subjects of \(asked): \(found.keys.sorted()) are nobody") }
  }

  /// Every action on every entity below one is there, or it is not allowed.
  mutating func askForEverything(_ service: CallOptions) async throws {
    let user = estate.people.randomElement(using: &estate.generator)?.id ?? ""
    let top = estate.entityIDs.randomElement(using: &estate.generator) ?? "sys_root"
    var request = Tenancy_V1.FetchPermissionsRequest(
      subjectId: user,
      entityId: top,
      pageSize: [3, 0].randomElement(using: &estate.generator) ?? 0
    )
    var found: [String: Tenancy_V1.PermissionSet] = [:]
    repeat {
      let page = try await product.permissions.fetch(request, options: service)
      if request.pageToken.isEmpty { compare(page.below, of: user, below: top) }
      for entity in page.entities {
        let set = page.sets[Int(entity.set)]
        if found.updateValue(set, forKey: entity.entityId) != nil {
          fail("everything of \(user) below \(top): \(entity.entityId) is there twice")
        }
      }
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    let now = product.clock.now
    for id in below(top) {
      let set = found.removeValue(forKey: id)
      let roles = estate.naive.roles(of: user, on: id, now: now)
      if Set(set?.roles ?? []) != roles {
        fail("everything of \(user): \(set as Any) on \(id) instead of the roles \(roles)")
      }
      for action in actionsByType[estate.naive.entities[id]?.type ?? ""] ?? [] {
        let question = Question(user: user, action: action, entity: id)
        let isAllowed = expected(question).reason == "ALLOWED"
        tally.compared += 1
        if isAllowed != (set?.actions.contains(action) == true) {
          fail("everything: \(question), expected \(isAllowed)")
        }
      }
    }
    if !found.isEmpty { fail("everything of \(user) below \(top) has \(found.keys.sorted())") }
  }

  /// Of each type that can be directly below it, there is what a new entity would allow.
  private mutating func compare(
    _ below: [Tenancy_V1.PermissionSet],
    of user: String,
    below top: String
  ) {
    let topType = top == "sys_root" ? "system" : estate.naive.entities[top]?.type ?? ""
    for (type, actions) in actionsByType {
      guard let parents = estate.naive.types[type]?["parents"] as? [String],
        parents.contains(topType)
      else { continue }
      var naive = estate.naive
      naive.entities["new"] = .init(id: "new", type: type, parent: top, attributes: [:])
      let known = below.first { $0.entityType == type }?.actions ?? []
      for action in actions {
        let question = Question(user: user, action: action, entity: "new")
        let isAllowed = expected(question, naive).reason == "ALLOWED"
        tally.compared += 1
        if isAllowed != known.contains(action) {
          fail("a new \(type) below \(top): \(question), expected \(isAllowed)")
        }
      }
    }
  }

  /// An explanation has what a check answers, and the roles that the naive evaluator sees.
  mutating func askWhy(_ service: CallOptions) async throws {
    let question = question()
    let explanation = try await product.permissions.explain(
      .init(subjectId: question.user, action: question.action, entityId: question.entity),
      options: service
    )
    compare(explanation.decision ?? .init(), question, "explanation")
    tally.checks += 1
    let reaching = explanation.places.filter { $0.reach != .elsewhere }
    let told = reaching.flatMap { place in place.roles.map { "\($0.role) \(place.entityId)" } }
    let expected = estate.naive.associations(of: question.user, reaching: question.entity)
      .map { "\($0.role) \($0.entity)" }
    let isSuspended = estate.naive.suspended.contains(question.user)
    if !isSuspended, told.sorted() != expected.sorted() {
      fail("explanation \(question): \(told) instead of \(expected)")
    }
  }
}
