internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What other services know of a user; a part that could not be had is nil.
struct UserContext: Sendable {
  /// Roles, oldest first.
  var associations: [Tenancy_V1.RoleAssociation]?
  /// What was bought.
  var entitlements: UserEntitlements?

  /// The names of the parts that could not be had, as the contract has them.
  var missing: [String] {
    (associations == nil ? ["role_associations"] : [])
      + (entitlements == nil ? ["entitlements"] : [])
  }

  /// Entities of a type that the user has a role on now, oldest role first.
  func entities(_ type: String, now: Int64) -> [String] {
    (associations ?? []).filter { $0.entityType == type && $0.isValid(at: now) }.map(\.entityId)
  }
}

/// What a user has bought, as far as sign-in tells.
struct UserEntitlements: Sendable {
  /// The plan.
  var plan: String
  /// Whether the user has the Compliance Pack.
  var hasCompliancePack: Bool
}

extension Tenancy_V1.RoleAssociation {
  fileprivate func isValid(at now: Int64) -> Bool {
    if let validFrom, now < validFrom.milliseconds { return false }
    if let validUntil, now >= validUntil.milliseconds { return false }
    return true
  }
}

/// Asks TenancyService and EntitlementService what they know of a user, both at once.
struct UserContextSource: Sendable {
  private let associations: Tenancy_V1.AssociationsClient
  private let permissions: Tenancy_V1.PermissionsClient
  private let entitlements: Entitlement_V1.EntitlementsClient

  /// How long each question may take.
  private static let timeout = Duration.seconds(2)
  /// Pages of associations, at most; each has a thousand.
  private static let pageCountMax = 64
  /// The feature that `has_compliance_pack` shows; what unlocks it is for the catalogue to say.
  private static let compliancePack = "compliancePack"

  init(tenancy: Channel, entitlement: Channel) {
    associations = Tenancy_V1.AssociationsClient(tenancy)
    permissions = Tenancy_V1.PermissionsClient(tenancy)
    entitlements = Entitlement_V1.EntitlementsClient(entitlement)
  }

  /// Everything about a user; throws UNAVAILABLE for a part that cannot be had, unless parts may be
  /// missing.
  func context(of userID: String, allowsPartial: Bool) async throws -> UserContext {
    async let roles = roles(of: userID)
    async let bought = bought(by: userID)
    let (rolesResult, boughtResult) = (await roles, await bought)
    if !allowsPartial {
      do {
        _ = try rolesResult.get()
      } catch {
        throw AuthError.contextUnavailable("role_associations", cause: error)
      }
      do {
        _ = try boughtResult.get()
      } catch {
        throw AuthError.contextUnavailable("entitlements", cause: error)
      }
    }
    return UserContext(
      associations: (try? rolesResult.get()),  // What is missing is named in the answer.
      entitlements: (try? boughtResult.get())
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
      throw AuthError.contextUnavailable("role_associations", cause: error)
    }
  }

  private func roles(
    of userID: String
  ) async -> Result<[Tenancy_V1.RoleAssociation], any Error> {
    do {
      var all: [Tenancy_V1.RoleAssociation] = []
      var page = ""
      for _ in 0..<Self.pageCountMax {
        let answer = try await associations.listByUser(
          .init(userId: userID, pageSize: 1000, pageToken: page),
          timeout: Self.timeout
        )
        all += answer.associations
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

  private func bought(by userID: String) async -> Result<UserEntitlements, any Error> {
    do {
      let answer = try await entitlements.get(
        .init(subject: .init(kind: .user, id: userID)),
        timeout: Self.timeout
      )
      return .success(
        UserEntitlements(
          plan: answer.tier,
          hasCompliancePack: answer.entitlements.contains {
            $0.key == Self.compliancePack && $0.available
          }
        )
      )
    } catch {
      return .failure(error)
    }
  }
}
