internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.People`: whom a user may see, for AuthService, which tells the names.
struct PeopleHandler: Tenancy_V1.PeopleService {
  let core: TenancyCore

  func lookup(
    _ request: Tenancy_V1.LookupPeopleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.LookupPeopleResponse {
    _ = try call.requireService()
    var seen: Set<String> = []
    let asked = request.userIds.filter { seen.insert($0).inserted }
    let visible = try await core.people(asked, visibleTo: request.askerId)
    return .init(userIds: asked.filter { visible.contains($0) })
  }
}

extension TenancyCore {
  /// Decisions in one hold of the engine's lock.
  private static let decisionCountMax = 500

  /// Those of some people whom a user may see: itself, and everyone with a role on an entity on which the policy
  /// lets the user list roles (docs/decisions/0206).
  ///
  /// A suspended user sees nobody else. What takes a step-up is not proven by an identifier.
  func people(_ ids: [String], visibleTo userID: String) async throws -> Set<String> {
    let hidden = try await hiddenPlaces(of: ids)
    var visible = try await retrying {
      let (now, features) = (clock.now, features)
      var search = SharedPlaceSearch(
        of: ids.filter { $0 != userID },
        for: userID,
        hiding: hidden,
        context: .plain,
        now: now,
        features
      )
      while try !engine.read({ search.advance(Self.decisionCountMax, $0) }) {
        try Task.checkCancellation()
        await Task.yield()
      }
      guard search.missing.isEmpty else { throw TenancyError.featuresUnavailable(search.missing) }
      return search.found
    }
    if ids.contains(userID) { visible.insert(userID) }
    return visible
  }

  /// The entities on which people have roles that only they see; see `TakenRole`.
  private func hiddenPlaces(of ids: [String]) async throws -> [String: Set<String>] {
    let people = ids.filter { firstUses.isExpected(of: $0) }
    guard !people.isEmpty else { return [:] }
    return try await store.read { tx in
      var places: [String: Set<String>] = [:]
      for person in people {
        places[person] = Set(try TakenAssociationTable.all(of: person, in: tx).map(\.entityID))
      }
      return places
    }
  }
}
