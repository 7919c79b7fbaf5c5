import AccessEngine
import ServiceKit
import TenancyService

/// A million devices and a million associations in memory, loaded as the service loads its store.
struct EngineWorld {
  var forest: Forest
  let actions: [ActionID]
  private let devices: [String]
  private let users: [String]
  /// Of each association: whose, and on which level and entity.
  private let grants: [(user: Int, level: Int, entity: Int)]

  /// Devices below one entity of a level: device, unit, property, portfolio.
  private static let devicesBelow = [1, 4, 100, 1000]

  /// Identifiers of one question, and whether it is about something that an association reaches.
  struct Question {
    let subject: String
    let action: ActionID
    let entity: String
  }

  init(policy text: [UInt8], deviceCount: Int, associationCount: Int) throws {
    let policy = try Policy.load(text)
    var names = Names()
    let levels = Self.devicesBelow.enumerated().map { level, below in
      let prefix = IdentifierPrefix(configured: ["dev", "unt", "prp", "prt"][level])
      return (0..<max(1, deviceCount / below)).map { _ in names.next(prefix) }
    }
    let users = (0..<max(1, associationCount / 2)).map { _ in names.next(IdentifierPrefix("usr")) }
    var forest = Forest(policy: policy)
    try Self.loadEntities(levels, into: &forest)
    grants = try Self.loadAssociations(associationCount, levels, users, &names, into: &forest)
    self.forest = forest
    devices = levels[0]
    self.users = users
    actions = ["device.view", "device.unlock", "device.update"].compactMap {
      policy.action(named: $0)
    }
    guard actions.count == 3 else { throw OptionError("the policy lacks actions of devices") }
  }

  private static func loadEntities(_ levels: [[String]], into forest: inout Forest) throws {
    for (level, name) in ["device", "unit", "property", "portfolio"].enumerated() {
      guard let type = forest.policy.type(named: name) else {
        throw OptionError("the policy has no type \(name)")
      }
      for (index, id) in levels[level].enumerated() {
        var parent = Forest.systemIdentifier
        if level < 3 {
          let above = index * devicesBelow[level] / devicesBelow[level + 1]
          parent = levels[level + 1][min(above, levels[level + 1].count - 1)]
        }
        forest.load(EntityRow(id: id, type: type, parent: parent, name: name, codes: []))
      }
    }
  }

  /// Half on units, a quarter on devices, most of the rest on properties, few on portfolios.
  private static func loadAssociations(
    _ count: Int,
    _ levels: [[String]],
    _ users: [String],
    _ names: inout Names,
    into forest: inout Forest
  ) throws -> [(user: Int, level: Int, entity: Int)] {
    let roles = try ["guest", "tenant", "property_manager", "portfolio_admin"].map { name in
      guard let role = forest.policy.role(named: name) else {
        throw OptionError("the policy has no role \(name)")
      }
      return role
    }
    var grants: [(user: Int, level: Int, entity: Int)] = []
    for index in 0..<count {
      let level = [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 3][index % 20]
      let user = Int.random(in: 0..<users.count)
      let entity = Int.random(in: 0..<levels[level].count)
      grants.append((user, level, entity))
      forest.apply(
        .putAssociation(
          AssociationRow(
            id: names.next(.association),
            subject: users[user],
            role: roles[level],
            entity: levels[level][entity]
          )
        )
      )
    }
    return grants
  }

  /// Half about devices that an association of the user reaches, half about any.
  ///
  /// The texts are new ones, as those of a request that was read just now.
  func question(_ index: Int) -> Question {
    let action = actions[index % actions.count]
    guard index % 2 == 0, let grant = grants.randomElement() else {
      return Question(
        subject: Self.copy(users[Int.random(in: 0..<users.count)]),
        action: action,
        entity: Self.copy(devices[Int.random(in: 0..<devices.count)])
      )
    }
    let below = Self.devicesBelow[grant.level]
    let device = min(grant.entity * below + Int.random(in: 0..<below), devices.count - 1)
    return Question(
      subject: Self.copy(users[grant.user]),
      action: action,
      entity: Self.copy(devices[device])
    )
  }

  private static func copy(_ text: String) -> String {
    String(decoding: [UInt8](text.utf8), as: UTF8.self)
  }
}

/// Identifiers as the services make them.
private struct Names {
  private var random = SystemRandomNumberGenerator()
  private let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private var made: UInt64 = 0

  mutating func next(_ prefix: IdentifierPrefix) -> String {
    made += 1
    // Fifty a millisecond, from some day in 2026 on.
    let milliseconds = 1_790_000_000_000 + made / 50
    var letters = [UInt8](prefix.text.utf8) + [UInt8(ascii: "_")]
    for place in (0..<10).reversed() {
      letters.append(alphabet[Int(milliseconds >> UInt64(place * 5) & 31)])
    }
    var chance = random.next()
    for _ in 0..<16 {
      letters.append(alphabet[Int(chance & 31)])
      chance = chance >> 5 | chance << 59
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
