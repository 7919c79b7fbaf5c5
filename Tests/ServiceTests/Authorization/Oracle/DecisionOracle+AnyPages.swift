import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// The lists that every product has.
extension DecisionOracle {
  mutating func anyLists() async throws -> [PagedList] {
    var lists: [PagedList] = []
    if let person = estate.pick(estate.people) {
      lists += seen(by: person.id, try await product.call(person))
    }
    let administrator = try await estate.asAdministrator
    lists += seen(by: estate.administrator.id, administrator)
    lists += held(administrator)
    return lists
  }

  /// What somebody sees of each type, and what somebody may do something to.
  private mutating func seen(by user: String, _ options: CallOptions) -> [PagedList] {
    let (product, now, witnessed) = (product, product.clock.now, cache.witnessed)
    let service = product.options(of: "entitlement", to: "tenancy")
    var lists: [PagedList] = []
    for type in estate.types {
      guard let view = estate.lifecycle("view", of: type) else { continue }
      let (order, size) = (estate.pick(["name", "created_at"]) ?? "", pageSize())
      lists.append(
        PagedList(name: "Entities/List of \(type) by \(user) by \(order)") { token in
          let page = try await product.entities.list(
            .init(type: type, sortBy: order, pageSize: size, pageToken: token),
            options: options
          )
          return (page.entities.map(\.id).filter { $0 != witnessed }, page.nextPageToken)
        } expected: {
          $0.entities(user, view, type: type, now: now)
        }
      )
      // What takes a feature may be asked before a new root has paid for it.
      let actions = (actionsByType[type] ?? []).filter { !takesFeature($0, on: type) }
      guard let action = estate.pick(actions) else { continue }
      lists.append(
        PagedList(name: "Permissions/ListAccessible of \(user) for \(action)") { token in
          let page = try await product.permissions.listAccessible(
            .init(
              subjectId: user,
              action: action,
              entityType: type,
              pageSize: size,
              pageToken: token
            ),
            options: service
          )
          return (page.entityIds.filter { $0 != witnessed }, page.nextPageToken)
        } expected: {
          $0.entities(user, action, type: type, now: now)
        }
      )
    }
    return lists
  }

  /// Who has what: roles of somebody and on something, and suspensions.
  private mutating func held(_ options: CallOptions) -> [PagedList] {
    let (product, size) = (product, pageSize())
    let service = product.options(of: "entitlement", to: "tenancy")
    let user = estate.pick(estate.people)?.id ?? ""
    let id = estate.pick(estate.entityIDs) ?? ""
    let windows = {
      @Sendable (state: NaiveEvaluator, isMeant: (NaiveEvaluator.Association) -> Bool) in
      let held = state.associations.filter(isMeant)
      return Dictionary(
        uniqueKeysWithValues: held.map { held in
          let hours = held.recurring.map { "\($0.sorted { $0.key < $1.key })" } ?? ""
          return (held.id, "\(held.from ?? 0) \(held.until ?? 0) \(hours)")
        }
      )
    }
    return [
      PagedList(name: "Roles/ListByUser of \(user)") { token in
        let page = try await product.roles.listByUser(
          .init(userId: user, pageSize: 2, pageToken: token),
          options: service
        )
        return (page.associations.map(\.id), page.nextPageToken)
      } expected: { state in
        state.suspended.contains(user) ? [:] : windows(state) { $0.user == user }
      },
      PagedList(name: "Roles/ListByEntity of \(id)") { token in
        let page = try await product.roles.listByEntity(
          .init(entityId: id, pageSize: size, pageToken: token),
          options: options
        )
        return (page.associations.map(\.id), page.nextPageToken)
      } expected: { state in
        guard state.entities[id] != nil else { return nil }
        return windows(state) { $0.entity == id }
      },
      suspensions(options),
    ]
  }
}
