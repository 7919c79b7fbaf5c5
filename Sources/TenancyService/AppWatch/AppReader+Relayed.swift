internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension RelayedNews.Part {
  /// The kind of its events.
  var kind: Tenancy_V1.AppEventKind {
    switch self {
    case .plan: .plan
    case .points: .points
    case .profile: .profile
    }
  }
}

extension AppReader {
  /// The events of changes of other services, each with its place among them; of several alike that of the last.
  func events(of items: [RelayedNews.Item]) async throws -> [(Int, Tenancy_V1.AppEvent)] {
    var last: [RelayedNews.Item: Int] = [:]
    for (index, item) in items.enumerated() { last[item] = index }
    var events: [(Int, Tenancy_V1.AppEvent)] = []
    for (index, item) in items.enumerated() where last[item] == index {
      guard let event = try await event(of: item) else { continue }
      events.append((index, event))
    }
    return events
  }

  /// Nil for what the user does not get.
  private func event(of item: RelayedNews.Item) async throws -> Tenancy_V1.AppEvent? {
    switch item {
    case .profile(let userID):
      guard userID == user.userID, isWanted(.profile) else { return nil }
      return Tenancy_V1.AppEvent(kind: .profile)
    case .points(let holder):
      guard isWanted(.points), try await isSeen(holder) else { return nil }
      return Tenancy_V1.AppEvent(kind: .points, objectId: holder)
    case .plan(let kind, let id):
      guard isWanted(.plan) else { return nil }
      if kind == .user ? id == user.userID : try await isSeen(id) {
        return Tenancy_V1.AppEvent(kind: .plan, subject: .init(kind: kind, id: id))
      }
      // Those with a role below may have what the plan gives, and need not know whose it is.
      let roots = try await core.retrying {
        try core.engine.read { $0.places(of: user.userID).roots }
      }
      return roots.contains(id) ? Tenancy_V1.AppEvent(kind: .plan) : nil
    case .all(let part):
      guard isWanted(part.kind) else { return nil }
      guard part == .plan else {
        return Tenancy_V1.AppEvent(kind: .resync, objectType: part.rawValue)
      }
      return Tenancy_V1.AppEvent(kind: .plan)
    }
  }

  /// Whether the user may view an entity, or is it; no, while that cannot be decided.
  private func isSeen(_ id: String) async throws -> Bool {
    guard id != user.userID else { return true }
    guard let type = try await core.retrying({ try type(of: id) }) else { return false }
    do {
      return try await core.explanation("\(type).view", on: id, type: type, user).isAllowed
    } catch let error as RPCError where error.code == .unavailable {
      return false
    }
  }
}
