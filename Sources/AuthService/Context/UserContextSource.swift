internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Asks TenancyService and EntitlementService what they know of a user, both at once, and for all calls of
/// a user that wait for it together.
struct UserContextSource: Sendable {
  private struct Parts: Sendable {
    let roles: Result<Roles, any Error>
    let bought: Result<UserEntitlements, any Error>
  }

  /// TenancyService's part.
  private struct Roles: Sendable {
    var associations: [Tenancy_V1.RoleAssociation] = []
    var isSuspended = false
  }

  private let questions: SharedQuestions<Parts>
  let permissions: Tenancy_V1.PermissionsClient
  private let people: Tenancy_V1.PeopleClient
  let childDevices: Tenancy_V1.ChildDevicesClient

  /// How long each question may take.
  static let timeout = Duration.seconds(2)
  /// Pages of associations, at most; each has a thousand.
  private static let pageCountMax = 64
  /// The feature that `has_compliance_pack` shows; what unlocks it is for the catalogue to say.
  private static let compliancePack = "compliancePack"

  /// Plans of organizations, portfolios and families in a profile, at most.
  private static let planCountMax = 20

  init(tenancy: Channel, entitlement: Channel, clock: any WallClock) {
    let associations = Tenancy_V1.AssociationsClient(tenancy)
    let entitlements = Entitlement_V1.EntitlementsClient(entitlement)
    permissions = Tenancy_V1.PermissionsClient(tenancy)
    people = Tenancy_V1.PeopleClient(tenancy)
    childDevices = Tenancy_V1.ChildDevicesClient(tenancy)
    questions = SharedQuestions { userID in
      async let roles = Self.roles(of: userID, associations)
      async let bought = Self.bought(by: userID, entitlements)
      return await Parts(
        roles: roles,
        bought: Self.withPlans(bought, of: roles, at: clock.now, entitlements)
      )
    }
  }

  /// Everything about a user; throws UNAVAILABLE for a part that cannot be obtained, unless parts may be
  /// missing.
  ///
  /// `isAsked`: the call has a field that says so, which is advised otherwise.
  func context(
    of userID: String,
    allowsPartial: Bool,
    isAsked: Bool = true
  ) async throws -> UserContext {
    let parts = await questions.answer(to: userID)
    if !allowsPartial {
      do {
        _ = try parts.roles.get()
      } catch {
        throw ContextError.unavailable(
          "role_associations",
          canBePartial: isAsked,
          cause: error
        )
      }
      do {
        _ = try parts.bought.get()
      } catch {
        throw ContextError.unavailable("entitlements", canBePartial: isAsked, cause: error)
      }
    }
    let roles = try? parts.roles.get()  // What is missing is named in the answer.
    return UserContext(
      associations: roles?.associations,
      isSuspended: roles?.isSuspended == true,
      entitlements: (try? parts.bought.get())
    )
  }

  /// Which of some entities a user may see through any role, by what they are.
  ///
  /// Throws UNAVAILABLE when TenancyService cannot be asked.
  func seen(
    _ entities: [(type: String, id: String)],
    by userID: String
  ) async throws -> Set<String> {
    guard !entities.isEmpty else { return [] }
    do {
      let checks = entities.map { entity in
        Tenancy_V1.CheckRequest(
          subjectId: userID,
          action: "\(entity.type).view",
          entityId: entity.id
        )
      }
      let answer = try await permissions.batchCheck(.init(checks: checks), timeout: Self.timeout)
      guard answer.decisions.count == entities.count else { return [] }
      return Set(zip(entities, answer.decisions).filter { $1.allowed }.map { $0.0.id })
    } catch {
      throw ContextError.unavailable("role_associations", cause: error)
    }
  }

  /// Those of some people whom a user may see.
  ///
  /// Throws UNAVAILABLE when TenancyService cannot be asked.
  func visible(_ userIDs: [String], to userID: String) async throws -> Set<String> {
    do {
      let answer = try await people.lookup(
        .init(askerId: userID, userIds: userIDs),
        timeout: Self.timeout
      )
      return Set(answer.userIds)
    } catch {
      throw ContextError.unavailable("people", cause: error)
    }
  }

  private static func roles(
    of userID: String,
    _ associations: Tenancy_V1.AssociationsClient
  ) async -> Result<Roles, any Error> {
    do {
      var all = Roles()
      var page = ""
      for _ in 0..<pageCountMax {
        let answer = try await associations.listByUser(
          .init(userId: userID, pageSize: 1000, pageToken: page),
          timeout: timeout
        )
        guard !answer.userSuspended else { return .success(Roles(isSuspended: true)) }
        all.associations += answer.associations
        page = answer.nextPageToken
        if page.isEmpty { break }
      }
      // A list is complete or there is none.
      guard page.isEmpty else {
        throw RPCError(.resourceExhausted, "the user has too many roles to list")
      }
      return .success(all)
    } catch {
      return .failure(error)
    }
  }

  /// The purchases of a user, with the plans of those on which the user has roles.
  ///
  /// Only users with such roles need the second question.
  private static func withPlans(
    _ bought: Result<UserEntitlements, any Error>,
    of roles: Result<Roles, any Error>,
    at now: Int64,
    _ entitlements: Entitlement_V1.EntitlementsClient
  ) async -> Result<UserEntitlements, any Error> {
    guard case .success(var known) = bought else { return bought }
    known.plans = known.planDetails.map { [$0] } ?? []
    // Without roles the answer names them as missing.
    let associations = (try? roles.get())?.associations ?? []
    let subjects = associations.planSubjects(at: now, countMax: planCountMax)
    guard !subjects.isEmpty else { return .success(known) }
    do {
      known.plans += try await entitlements.getPlans(.init(subjects: subjects), timeout: timeout)
        .plans
      return .success(known)
    } catch {
      return .failure(error)
    }
  }

  private static func bought(
    by userID: String,
    _ entitlements: Entitlement_V1.EntitlementsClient
  ) async -> Result<UserEntitlements, any Error> {
    do {
      let answer = try await entitlements.get(
        .init(subject: .init(kind: .user, id: userID)),
        timeout: timeout
      )
      return .success(
        UserEntitlements(
          plan: answer.tier,
          planDetails: answer.plan,
          hasCompliancePack: answer.entitlements.contains {
            $0.key == compliancePack && $0.available
          }
        )
      )
    } catch {
      return .failure(error)
    }
  }
}

enum ContextError {
  /// A part of the context that another service has, and that is unavailable now.
  ///
  /// `canBePartial`: the call has a field by which the answer may do without it.
  static func unavailable(
    _ part: String,
    canBePartial: Bool = false,
    cause: (any Error)?
  ) -> RPCError {
    ErrorCatalog.auth.unavailable(
      "CONTEXT_UNAVAILABLE",
      canBePartial
        ? "part of the user's context is unavailable; retry, or set allow_partial_context"
        : "another service's data about the user is unavailable; retry after the given delay",
      ["missing": part],
      cause: cause
    )
  }
}
