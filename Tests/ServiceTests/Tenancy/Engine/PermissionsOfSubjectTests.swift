import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("All that a subject may do below an entity")
struct PermissionsOfSubjectTests {
  /// What is known of one entity.
  private struct Held: Equatable {
    var roles: Set<String>
    var actions: Set<String>
    var validUntil: Int64
  }

  /// All parts, each of random size, with `change` in between.
  private func parts(
    of user: String,
    below top: String,
    now: Int64,
    _ world: inout RandomWorld,
    change: (inout RandomWorld) -> Void = { _ in }
  ) throws -> [(id: String, held: Held)] {
    var found: [(id: String, held: Held)] = []
    var (cursor, trees) = (Forest.PermissionsCursor?.none, [String]())
    repeat {
      let part = world.forest.permissions(
        of: user,
        below: top,
        context: world.policy.context(
          stepUps: world.policy.stepUps,
          features: world.policy.features
        ),
        now: now,
        NoFeatures(),
        after: cursor,
        countMax: Int.random(in: 1...4, using: &world.generator),
        stepCountMax: Int.random(in: 1...9, using: &world.generator)
      )
      for permissions in part.permissions {
        let held = Held(
          roles: Set(permissions.roles.roles.map { world.policy[$0].name }),
          actions: Set(permissions.actions.map { world.policy[$0] }),
          validUntil: permissions.validUntil
        )
        found.append((world.forest.entities.text(permissions.entity), held))
      }
      cursor = part.cursor
      if part.reachesTrees, cursor == nil { trees = world.forest.heldRoots }
      change(&world)
    } while cursor != nil && found.count < 10_000
    for tree in trees {
      found += try parts(of: user, below: tree, now: now, &world, change: change)
    }
    return found
  }

  private func expected(
    _ user: String,
    on id: String,
    now: Int64,
    _ world: RandomWorld
  ) -> Held? {
    let naive = world.naive
    let roles = naive.roles(of: user, on: id, now: now)
    guard !roles.isEmpty, let type = naive.entities[id]?.type else { return nil }
    var held = Held(roles: roles, actions: [], validUntil: now + 300_000)
    for action in naive.actions(of: type).keys {
      let answer = naive.decide(
        user,
        action,
        id,
        stepUps: world.policy.stepUps,
        features: world.policy.features,
        now: now
      )
      if answer.reason == "ALLOWED" { held.actions.insert(action) }
      held.validUntil = min(held.validUntil, answer.validUntil)
    }
    return held
  }

  @Test(
    "Every entity with a role is in one part, with what single decisions allow",
    arguments: 0...3,
    31...33
  )
  func permissions_randomWorlds_equalDecisions(policyIndex: Int, seed: Int) throws {
    let policy = DecisionAgreementTests.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(seed))
    var heldCount = 0
    for _ in 0..<5 {
      for _ in 0..<20 { world.change() }
      for user in world.userIDs.shuffled(using: &world.generator).prefix(6) {
        let now =
          RandomWorld.start + Int64.random(in: -1_200_000...1_200_000, using: &world.generator)
        let anywhere = try #require(world.entityIDs.randomElement(using: &world.generator))
        for top in ["sys_root", anywhere] {
          let found = try parts(of: user, below: top, now: now, &world)
          #expect(Set(found.map(\.id)).count == found.count, "\(user) has something twice")
          let byID = Dictionary(found.map { ($0.id, $0.held) }) { first, _ in first }
          for id in world.entityIDs
          where DecisionAgreementTests.isWithin(id, top, world.naive) {
            let held = expected(user, on: id, now: now, world)
            #expect(byID[id] == held, "\(user) on \(id) below \(top) at \(now)")
            if held != nil { heldCount += 1 }
          }
          #expect(byID.keys.allSatisfy { DecisionAgreementTests.isWithin($0, top, world.naive) })
        }
      }
    }
    #expect(heldCount > 100, "a comparison of little says little")
  }

  @Test("What nobody touches is in the parts, whatever else moves between them", arguments: 41...46)
  func permissions_changingWorld_missesNothing(seed: Int) throws {
    let policy = DecisionAgreementTests.policies[seed % 2]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(seed))
    var untouchedCount = 0
    for _ in 0..<12 {
      for user in world.userIDs.shuffled(using: &world.generator).prefix(6) {
        var states = [world.naive]
        let found = try parts(of: user, below: "sys_root", now: RandomWorld.start, &world) {
          $0.change()
          states.append($0.naive)
        }
        let ids = Set(found.map(\.id))
        for id in states[0].entities.keys
        where !states[0].roles(of: user, on: id, now: RandomWorld.start).isEmpty {
          let grounds = Set(states.map { Self.grounds(of: user, on: id, $0) })
          guard grounds.count == 1 else { continue }
          untouchedCount += 1
          #expect(ids.contains(id), "\(user) lost \(id)")
        }
      }
    }
    #expect(untouchedCount > 200, "a comparison of little says little")
  }

  /// All that decides whether and where an entity is found.
  private static func grounds(
    of user: String,
    on id: String,
    _ naive: NaiveEvaluator
  ) -> [String] {
    var path: [String] = []
    var next = naive.entities[id]?.parent
    while let id = next {
      path.append(id)
      next = naive.entities[id]?.parent
    }
    return naive.associations(of: user, reaching: id).map(\.id) + path
  }

  @Test("A part of many entities is found without looking at the others")
  func permissions_largeForest_staySmall() throws {
    var estate = try DeviceEstate(deviceCount: 20_000)
    estate.forest.apply(
      .putAssociation(
        AssociationRow(
          id: "asc_guest",
          subject: "usr_guest",
          role: try #require(estate.policy.role(named: "guest")),
          entity: "dev_777"
        )
      )
    )
    let ask = { (user: String, cursor: Forest.PermissionsCursor?) in
      estate.forest.permissions(
        of: user,
        below: "prt_1",
        context: .plain,
        now: 0,
        NoFeatures(),
        after: cursor,
        countMax: 50,
        stepCountMax: 1_000
      )
    }
    let guests = ask("usr_guest", nil)
    #expect(guests.permissions.map { estate.forest.identifier(of: $0.entity) } == ["dev_777"])
    #expect(guests.stepCount == 1 && guests.cursor == nil)
    var (count, cursor) = (0, Forest.PermissionsCursor?.none)
    repeat {
      let part = ask("usr_1", cursor)
      #expect(part.stepCount <= 51)
      count += part.permissions.count
      cursor = part.cursor
    } while cursor != nil
    #expect(count == 20_007)
  }
}
