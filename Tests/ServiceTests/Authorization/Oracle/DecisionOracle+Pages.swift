import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Synchronization
import Testing

@testable import ServiceTesting

/// Lists of every kind are read page by page while others rename, make, delete, move, grant and revoke.
extension DecisionOracle {
  /// Every list at least once from beginning to end, and again until the last change is done.
  mutating func pageWhileChanging() async throws {
    let device = estate.pick(estate.ids("device"))
    let before = try await operate(device, count: 6)
    let lists = try await lists(history: device.map { ($0, before) })
    let isDone = Flag()
    var states = [estate.naive]
    var read: [(PagedList, [[String]?])] = []
    try await withThrowingTaskGroup(of: (PagedList, [[String]?]).self) { group in
      for list in lists {
        group.addTask {
          var read: [[String]?] = []
          repeat { read.append(try await list.read()) } while !isDone.isSet
          return (list, read)
        }
      }
      // The lists must end, whatever becomes of the changes.
      defer { isDone.set() }
      for _ in 0..<8 {
        try await change()
        states.append(estate.naive)
        _ = try await operate(device, count: 1)
      }
      isDone.set()
      for try await result in group { read.append(result) }
    }
    for (list, readings) in read {
      tally.paged += readings.reduce(0) { $0 + ($1?.count ?? 0) }
      for mistake in Set(list.mistakes(in: readings, states)).sorted() { fail(mistake) }
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  /// Makes records of a device that is there; their identifiers.
  private mutating func operate(_ device: String?, count: Int) async throws -> [String] {
    guard let device, estate.naive.entities[device] != nil else { return [] }
    var records: [String] = []
    for _ in 0..<count {
      let response = try await product.devices.operate(
        .init(deviceId: device, operation: "view_status"),
        options: try await estate.asAdministrator
      )
      records.append(response.record?.id ?? "")
    }
    return records
  }

  // MARK: - The lists

  private mutating func lists(
    history: (device: String, records: [String])?
  ) async throws -> [PagedList] {
    guard estate.kind.isSmartHome else { return try await anyLists() }
    var lists: [PagedList] = []
    if let person = estate.pick(estate.people) {
      lists += visible(to: person.id, try await product.call(person))
    }
    let administrator = try await estate.asAdministrator
    lists += visible(to: estate.administrator.id, administrator)
    lists += below(administrator)
    lists += holders(administrator)
    if let history { lists.append(self.history(history.device, history.records, administrator)) }
    return lists
  }

  mutating func pageSize() -> UInt32 { .random(in: 2...9, using: &estate.generator) }

  /// What somebody sees, in each order, and what somebody may do something to.
  private mutating func visible(to user: String, _ options: CallOptions) -> [PagedList] {
    let (product, now) = (product, product.clock.now)
    let order = estate.pick(["name", "name", "created_at"]) ?? ""
    let size = pageSize()
    let expected = { @Sendable (type: String, state: NaiveEvaluator) in
      state.entities(user, "\(type).view", type: type, now: now)
    }
    let action = estate.pick(actionsByType["device"] ?? []) ?? ""
    let service = product.options(of: "entitlement", to: "tenancy")
    let witnessed = cache.witnessed
    return [
      PagedList(name: "Portfolios/List by \(user) by \(order)") { token in
        let page = try await product.portfolios.list(
          .init(pageSize: size, pageToken: token, sortBy: order),
          options: options
        )
        return (page.portfolios.map(\.id).filter { $0 != witnessed }, page.nextPageToken)
      } expected: {
        expected("portfolio", $0)
      },
      PagedList(name: "Properties/List by \(user) by \(order)") { token in
        let page = try await product.properties.list(
          .init(pageSize: size, pageToken: token, sortBy: order),
          options: options
        )
        return (page.properties.map(\.id), page.nextPageToken)
      } expected: {
        expected("property", $0)
      },
      PagedList(name: "Units/List by \(user) by \(order)") { token in
        let page = try await product.units.list(
          .init(pageSize: size, pageToken: token, sortBy: order),
          options: options
        )
        return (page.units.map(\.id), page.nextPageToken)
      } expected: {
        expected("unit", $0)
      },
      PagedList(name: "Devices/List by \(user) by \(order)") { token in
        let page = try await product.devices.list(
          .init(pageSize: size, pageToken: token, sortBy: order),
          options: options
        )
        return (page.devices.map(\.id), page.nextPageToken)
      } expected: {
        expected("device", $0)
      },
      PagedList(name: "Permissions/ListAccessible of \(user) for \(action)") { token in
        let page = try await product.permissions.listAccessible(
          .init(
            subjectId: user,
            action: action,
            entityType: "device",
            pageSize: size,
            pageToken: token
          ),
          options: service
        )
        return (page.entityIds, page.nextPageToken)
      } expected: {
        $0.entities(user, action, type: "device", now: now)
      },
    ]
  }

  /// What lies below a portfolio, a property and a unit.
  private mutating func below(_ options: CallOptions) -> [PagedList] {
    let (product, now, size) = (product, product.clock.now, pageSize())
    let administrator = estate.administrator.id
    let below = {
      @Sendable (type: String, filter: String, state: NaiveEvaluator) -> [String: String]? in
      guard state.entities[filter] != nil else { return nil }
      return state.entities(
        administrator,
        "\(type).view",
        type: type,
        within: filter,
        link: "common_area",
        now: now
      )
    }
    var lists: [PagedList] = []
    if let portfolio = estate.pick(estate.ids("portfolio")) {
      lists.append(
        PagedList(name: "Portfolios/ListProperties of \(portfolio)") { token in
          let page = try await product.portfolios.listProperties(
            .init(portfolioId: portfolio, pageSize: size, pageToken: token),
            options: options
          )
          return (page.properties.map(\.id), page.nextPageToken)
        } expected: {
          below("property", portfolio, $0)
        }
      )
    }
    if let property = estate.pick(estate.ids("property")) {
      lists.append(
        PagedList(name: "Properties/ListUnits of \(property)") { token in
          let page = try await product.properties.listUnits(
            .init(propertyId: property, pageSize: size, pageToken: token),
            options: options
          )
          return (page.units.map(\.id), page.nextPageToken)
        } expected: {
          below("unit", property, $0)
        }
      )
    }
    if let unit = estate.pick(estate.ids("unit")) {
      lists.append(
        PagedList(name: "Units/ListDevices of \(unit)") { token in
          let page = try await product.units.listDevices(
            .init(unitId: unit, pageSize: size, pageToken: token),
            options: options
          )
          return (page.devices.map(\.id), page.nextPageToken)
        } expected: {
          below("device", unit, $0)
        }
      )
      lists.append(
        PagedList(name: "Units/ListTenants of \(unit)") { token in
          let page = try await product.units.listTenants(
            .init(unitId: unit, pageSize: 1, pageToken: token),
            options: options
          )
          return (page.tenants.map { "\($0.id) tenant \(unit)" }, page.nextPageToken)
        } expected: { state in
          guard state.entities[unit] != nil else { return nil }
          return state.roles { $0.role == "tenant" && $0.entity == unit }
        }
      )
    }
    return lists
  }

  /// Who has what: passes, roles of somebody and on something, and suspensions.
  private mutating func holders(_ options: CallOptions) -> [PagedList] {
    let (product, now, size) = (product, product.clock.now, pageSize())
    let service = product.options(of: "entitlement", to: "tenancy")
    let user = estate.pick(estate.people)?.id ?? ""
    let portfolio = estate.pick(estate.ids("portfolio")) ?? ""
    let roles = { @Sendable (associations: [Tenancy_V1.RoleAssociation]) in
      associations.filter { $0.role != "guest" }.map { "\($0.userId) \($0.role) \($0.entityId)" }
    }
    return [
      PagedList(name: "Guests/List") { token in
        let page = try await product.guests.list(
          .init(pageSize: size, pageToken: token),
          options: options
        )
        return (page.passes.map(\.id), page.nextPageToken)
      } expected: { state in
        let passes = state.associations.filter { $0.role == "guest" && ($0.until ?? .max) > now }
        return Dictionary(
          uniqueKeysWithValues: passes.map { ($0.id, "\($0.from ?? 0) \($0.until ?? 0)") }
        )
      },
      PagedList(name: "Associations/ListByUser of \(user)") { token in
        let page = try await product.associations.listByUser(
          .init(userId: user, pageSize: 2, pageToken: token),
          options: service
        )
        return (roles(page.associations), page.nextPageToken)
      } expected: { state in
        state.suspended.contains(user) ? [:] : state.roles { $0.user == user }
      },
      PagedList(name: "Associations/ListByEntity of \(portfolio)") { token in
        let page = try await product.associations.listByEntity(
          .init(entityId: portfolio, pageSize: 1, pageToken: token),
          options: options
        )
        return (roles(page.associations), page.nextPageToken)
      } expected: { state in
        guard state.entities[portfolio] != nil else { return nil }
        return state.roles { $0.entity == portfolio }
      },
      PagedList(name: "Permissions/ListSubjects of \(portfolio)") { token in
        let page = try await product.permissions.listSubjects(
          .init(entityId: portfolio, action: "portfolio.view", pageSize: 1, pageToken: token),
          options: options
        )
        return (page.subjects.map(\.userId), page.nextPageToken)
      } expected: { state in
        guard state.entities[portfolio] != nil else { return nil }
        // With the associations of each: another one may put somebody on another page.
        return Dictionary(
          uniqueKeysWithValues: Set(state.associations.map(\.user)).filter { user in
            state.associations.contains { $0.user == user && $0.entity == portfolio }
              && state.decide(
                user,
                "portfolio.view",
                portfolio,
                stepUps: ["pwd"],
                features: [],
                now: now
              ).reason == "ALLOWED"
          }.map { user in
            let held = state.associations.filter { $0.user == user && $0.entity == portfolio }
            return (user, held.map { "\($0.id) \($0.role)" }.joined(separator: " "))
          }
        )
      },
      suspensions(options),
    ]
  }

  func suspensions(_ options: CallOptions) -> PagedList {
    let product = product
    return PagedList(name: "Subjects/ListSuspended") { token in
      let page = try await product.subjects.listSuspended(
        .init(pageSize: 1, pageToken: token),
        options: options
      )
      return (page.suspensions.map(\.userId), page.nextPageToken)
    } expected: {
      Dictionary(uniqueKeysWithValues: $0.suspended.map { ($0, "") })
    }
  }

  /// What was done with a device before the changes; what is done meanwhile comes before it.
  private mutating func history(
    _ device: String,
    _ records: [String],
    _ options: CallOptions
  ) -> PagedList {
    let product = product
    return PagedList(name: "Devices/ListHistory of \(device)") { token in
      let page = try await product.devices.listHistory(
        .init(deviceId: device, pageSize: 2, pageToken: token),
        options: options
      )
      return (page.records.map(\.id).filter(records.contains), page.nextPageToken)
    } expected: { state in
      guard state.entities[device] != nil else { return nil }
      return Dictionary(uniqueKeysWithValues: records.map { ($0, "") })
    }
  }
}
