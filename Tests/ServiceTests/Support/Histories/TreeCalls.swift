import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

/// The house of a `TreeModel` in a real TenancyService.
struct TreeCalls: Sendable {
  /// Users by their place in `TreeUser.allCases`.
  let users: [String]
  let flats: [String]
  let doors: [String]
  private let channel: Channel
  /// How a call of a user proves whose it is; of nobody's for an operator's.
  private let options: @Sendable (TreeUser?) -> CallOptions

  /// Builds a house; `options` says how calls of users are made, and of an operator for nil.
  init(
    users: [String],
    _ channel: Channel,
    options: @escaping @Sendable (TreeUser?) -> CallOptions
  ) async throws {
    (self.users, self.channel, self.options) = (users, channel, options)
    let owner = options(.owner)
    let portfolio = try await Tenancy_V1.PortfoliosClient(channel).create(
      .init(name: "House"),
      options: owner
    ).id
    let property = try await Tenancy_V1.PropertiesClient(channel).create(
      .init(portfolioId: portfolio, name: "House"),
      options: owner
    ).id
    var (flats, doors): ([String], [String]) = ([], [])
    for name in ["first", "second"] {
      let flat = try await Tenancy_V1.UnitsClient(channel).create(
        .init(propertyId: property, name: name),
        options: owner
      ).id
      flats.append(flat)
      doors.append(
        try await Tenancy_V1.DevicesClient(channel).register(
          .init(propertyId: property, unitId: flat, name: name, type: "lock"),
          options: owner
        ).id
      )
    }
    (self.flats, self.doors) = (flats, doors)
  }

  /// Does an operation of a history; nil when its answer was lost.
  func answer(_ operation: TreeOperation, key: String, until: Int64) async -> TreeAnswer? {
    do {
      return try await perform(operation, key: key, until: until)
    } catch let error as RPCError {
      switch error.code {
      case .notFound, .permissionDenied, .failedPrecondition: return .no
      default: return nil
      }
    } catch {
      return nil
    }
  }

  private func id(_ user: TreeUser) -> String { users[user.rawValue] }

  private func perform(
    _ operation: TreeOperation,
    key: String,
    until: Int64
  ) async throws -> TreeAnswer {
    let units = Tenancy_V1.UnitsClient(channel)
    let owner = options(.owner)
    switch operation {
    case .check(let user, let door):
      let decision = try await Tenancy_V1.PermissionsClient(channel).check(
        .init(action: "device.unlock", entityId: doors[door]),
        options: options(user)
      )
      return decision.allowed ? .yes : .no
    case .operate(let user, let door):
      _ = try await Tenancy_V1.DevicesClient(channel).operate(
        .init(deviceId: doors[door], operation: "unlock", idempotencyKey: key),
        options: options(user)
      )
      return .yes
    case .grantPass, .revokePass, .listPasses:
      return try await perform(onPasses: operation, key: key, until: until)
    case .sees: preconditionFailure("a part of a list is no call")
    case .addTenant(let user, let flat):
      _ = try await units.addTenant(
        .init(unitId: flats[flat], userId: id(user), idempotencyKey: key),
        options: owner
      )
      return .yes
    case .removeTenant(let user, let flat):
      let answer = try await units.removeTenant(
        .init(unitId: flats[flat], userId: id(user), idempotencyKey: key),
        options: owner
      )
      return answer.removed > 0 ? .yes : .no
    case .move(let door, let flat):
      _ = try await units.assignDevice(
        .init(unitId: flats[flat], deviceId: doors[door], idempotencyKey: key, take: true),
        options: owner
      )
      return .yes
    case .suspend(let user):
      _ = try await Tenancy_V1.SubjectsClient(channel).suspend(
        .init(userId: id(user), idempotencyKey: key),
        options: options(nil)
      )
      return .yes
    case .resume(let user):
      let answer = try await Tenancy_V1.SubjectsClient(channel).resume(
        .init(userId: id(user), idempotencyKey: key),
        options: options(nil)
      )
      return answer.wasSuspended ? .yes : .no
    }
  }

  private func perform(
    onPasses operation: TreeOperation,
    key: String,
    until: Int64
  ) async throws -> TreeAnswer {
    let guests = Tenancy_V1.GuestsClient(channel)
    switch operation {
    case .grantPass(let lender, let holder, let door):
      let answer = try await guests.grant(
        .init(
          userId: id(holder),
          deviceIds: [doors[door]],
          validUntil: .init(milliseconds: until),
          idempotencyKey: key
        ),
        options: options(lender)
      )
      return .pass(answer.passes.first?.id ?? "")
    case .revokePass(let pass, let user):
      let answer = try await guests.revoke(
        .init(passId: pass, idempotencyKey: key),
        options: options(user)
      )
      return answer.removed > 0 ? .yes : .no
    case .listPasses(let user, let door):
      let answer = try await guests.list(
        .init(deviceId: doors[door], pageSize: 200),
        options: options(user)
      )
      return .passes(answer.passes.map(\.id))
    default: preconditionFailure("not about passes")
    }
  }
}
