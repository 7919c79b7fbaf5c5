internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Guests`: associations with the roles of guests, which have a window, and invitations to them.
struct GuestsHandler: Tenancy_V1.GuestsService {
  let core: TenancyCore

  /// An object that a pass is for.
  private struct Target: Sendable {
    let type: String
    let id: String
    let role: String
    /// The permission that the caller needs.
    let action: String
  }

  private var windowMax: Int64 {
    let policy = core.policy
    return policy.role(named: SmartHome.guest).map { policy[$0].windowMax } ?? .max
  }

  func grant(
    _ request: Tenancy_V1.GrantGuestPassRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.GrantGuestPassResponse {
    let user = try call.requireUser()
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let now = core.clock.now
    let until = try request.validUntil?.milliseconds(field: "valid_until") ?? now
    try requireWindow(from: from, until: until)
    let recurring = try request.recurring?.checked(field: "recurring")
    let window = RoleWindow(from: from, until: until, recurring: recurring)
    let targets = try targets(request)
    let guest = try NamedUser(id: request.userId, email: request.email)
    defer { core.mailer?.wake() }
    return try await core.write(
      call,
      request,
      key: \.idempotencyKey,
      naming: [guest],
      ifAllowed: { try await mayGrant(on: targets, user) }
    ) { users, changes, tx in
      var response = Tenancy_V1.GrantGuestPassResponse()
      for target in targets {
        let window = try lent(window, on: target, user, tx)
        let place = try EntityTable.known(target.id, type: target.type, in: tx)
        switch guest {
        case .id(let guest):
          try users.require(guest, tx)
          let pass = try changes.lend(target.role, to: guest, on: place, during: window, tx)
          response.passes.append(core.message(pass: pass))
        case .email(let email):
          let draft = InvitationDraft(
            email: email,
            role: target.role,
            on: place.id,
            during: window
          )
          let invited = try changes.inviteInstead(draft, tx)
          response.passes.append(core.message(pass: invited, reader: user.userID))
        }
      }
      response.revision = core.tokens.token(revision: tx.revision)
      return response
    }
  }

  /// The objects that a request names, each once.
  private func targets(
    _ request: Tenancy_V1.GrantGuestPassRequest
  ) throws(RPCError) -> [Target] {
    let unitRole = request.includesCommonAreas ? SmartHome.areaGuest : SmartHome.guest
    let named = [
      (SmartHome.device, SmartHome.guest, request.deviceIds, "device_ids"),
      (SmartHome.unit, unitRole, request.unitIds, "unit_ids"),
      (SmartHome.property, SmartHome.guest, request.propertyIds, "property_ids"),
    ]
    var (targets, seen): ([Target], Set<String>) = ([], [])
    for (type, role, ids, field) in named where !ids.isEmpty {
      guard let action = core.policy.granting(role, on: type) else {
        throw ErrorCatalog.tenancy.invalid(
          field,
          "ROLE_NOT_ON_TYPE",
          "must be empty: the policy of this installation has no passes for a \(type)"
        )
      }
      for id in ids where seen.insert(id).inserted {
        targets.append(Target(type: type, id: id, role: role, action: action))
      }
    }
    guard !targets.isEmpty else {
      throw ErrorCatalog.tenancy.invalid(
        "device_ids",
        "REQUIRED",
        "must name a device, unless unit_ids or property_ids name something"
      )
    }
    guard !request.includesCommonAreas || !request.unitIds.isEmpty else {
      throw ErrorCatalog.tenancy.invalid(
        "includes_common_areas",
        "PASS_WITHOUT_UNIT",
        "must be false without unit_ids: a device is alone, and a property has everything in it"
      )
    }
    return targets
  }

  /// Whether the user may grant passes on all of these at the moment.
  private func mayGrant(on targets: [Target], _ user: UserIdentity) async throws -> Bool {
    for target in targets {
      let explanation = try await core.explanation(
        target.action,
        on: target.id,
        type: target.type,
        user
      )
      guard explanation.isAllowed else { return false }
    }
    return true
  }

  private func requireWindow(from: Int64?, until: Int64) throws(RPCError) {
    let now = core.clock.now
    guard until > from ?? now, until > now else {
      throw RoleError.windowInvalid("valid_until", until: until, from: from)
    }
    guard until - (from ?? now) <= windowMax else {
      throw RoleError.windowTooLong("valid_until", max: windowMax, from: from)
    }
  }

  /// A window in which a user may lend a pass.
  private func lent(
    _ window: RoleWindow,
    on target: Target,
    _ user: UserIdentity,
    _ tx: borrowing WriteTransaction
  ) throws -> RoleWindow {
    let lent = try core.require(target.action, on: target.id, type: target.type, user, tx)
      .lent(window)
    // The zone of the hours, and what the policy says of windows.
    try RoleDraft(
      role: target.role,
      on: target.id,
      to: user.userID,
      during: lent,
      replacesWindow: false
    ).check(core.policy, zones: core.zones, now: tx.now)
    return lent
  }

  func list(
    _ request: Tenancy_V1.ListGuestPassesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListGuestPassesResponse {
    let user = try call.requireUser()
    let filters = [
      (SmartHome.device, request.deviceId), (SmartHome.unit, request.unitId),
      (SmartHome.property, request.propertyId),
    ]
    for (type, id) in filters where !id.isEmpty {
      try await core.permit("\(type).view", on: id, user)
    }
    let asked = try core.asked(
      request,
      for: [
        "Guests.List", request.deviceId, request.unitId, "\(request.includeEnded)",
        "\(request.inForce)",
      ] + (request.propertyId.isEmpty ? [] : [request.propertyId]),
      call.caller
    )
    let (limit, skippedCount) = (asked.size, asked.skippedCount)
    let list = GuestPassList(
      request: request,
      user: user,
      cursor: asked.cursor?[0],
      limit: skippedCount + limit + 1
    )
    let (found, stoppedAt) = try await list.passes(core)
    let rows = found.dropFirst(skippedCount)
    var end = rows.count > limit ? rows.dropFirst(limit - 1).first?.id : stoppedAt
    var budget = AnswerBudget()
    var passes: [Tenancy_V1.GuestPass] = []
    for row in rows.prefix(limit) {
      let pass = core.message(pass: row, reader: user.userID)
      guard budget.takes(pass) else {
        guard !asked.isCounted else { throw CountedPage.tooLarge }
        end = passes.last?.id
        break
      }
      passes.append(pass)
    }
    return .init(
      passes: try await core.named(passes),
      nextPageToken: end.map { asked.token(after: [$0]) } ?? ""
    )
  }

  func update(
    _ request: Tenancy_V1.UpdateGuestPassRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.GuestPass {
    let user = try call.requireUser()
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let until = try request.validUntil?.milliseconds(field: "valid_until")
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      switch try knownPass(request.passId, changes, tx) {
      case nil: throw TenancyError.notFound
      case .invited(let record)?:
        let change = InvitationChange(
          validFrom: from,
          validUntil: until,
          expectedRevision: request.expectedRevision
        )
        let changed = try changes.update(record, change, tx)
        return core.message(pass: changed, reader: user.userID)
      case .held(let before)?:
        try core.requireRevision(request.expectedRevision, being: before.revision)
        var pass = before
        pass.validFrom = from ?? pass.validFrom
        pass.validUntil = until ?? pass.validUntil
        let end = pass.validUntil ?? .max
        let window = RoleWindow(until: end, recurring: pass.recurring)
        let right = try core.require(action(of: pass), on: pass.entityID, user, tx)
        pass.recurring = try right.lent(window).recurring
        try requireWindow(from: pass.validFrom ?? tx.now, until: end)
        guard pass.digest != before.digest else { return core.message(pass: pass) }
        // Anyone who adds time to a pass has lent it from then on: it may last beyond the right of the one
        // who gave it.
        if pass.exceeds(before) { pass.grantedBy = user.userID }
        pass = try changes.put(pass, insteadOf: before, action: "guest.update", tx)
        _ = try changes.limitLending(by: pass.userID, on: pass.entityID, tx)
        return core.message(pass: pass)
      }
    }
  }

  func revoke(
    _ request: Tenancy_V1.RevokeGuestPassRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let user = try call.requireUser()
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let known: GuestPass?
      do {
        known = try knownPass(request.passId, changes, tx)
      } catch let error as RPCError where error.code == .notFound {
        // One that the caller may not know of is treated as gone, but somebody has tried.
        core.denials.look(at: error, of: call)
        known = nil
      }
      switch known {
      case nil: return core.message(revoked: .init(revision: tx.revision))
      case .invited(let record)?:
        let isOwn = record.taken?.userID == user.userID
        let closed = try changes.close(record, isOwn ? .declined : .revoked, tx)
        return core.message(revoked: .init(count: 1, revision: closed.revision))
      case .held(let pass)?:
        // Guests may give their own back.
        if pass.userID != user.userID {
          try core.require(action(of: pass), on: pass.entityID, user, tx)
        }
        let ended = try changes.end([pass], action: "guest.revoke", tx)
        let limited = try changes.limitLending(by: pass.userID, on: pass.entityID, tx)
        return core.message(revoked: .init(count: 1, revision: limited ?? ended ?? tx.revision))
      }
    }
  }

  /// The permission that grants a pass like one.
  private func action(of pass: AssociationRecord?) -> String {
    pass.flatMap { core.policy.granting($0.role, on: $0.entityType) } ?? SmartHome.grantGuest
  }

  /// A pass that the caller may know of, as `list` or `Associations.ListByEntity` show it: its own, or
  /// one on an object where it grants them or may see who has roles.
  ///
  /// Nil when there is no such pass. Throws for a suspended caller, whether there is one or not, and
  /// NOT_FOUND for one that the caller may not know of.
  private func knownPass(
    _ id: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> GuestPass? {
    let user = changes.user
    if let record = try InvitationTable.find(id, in: tx),
      SmartHome.guestRoles.contains(record.role)
    {
      if record.taken?.userID == user.userID {
        try core.requireNotSuspended(user, tx)
      } else if try changes.managed(id, tx).isOpen(at: tx.now) == false {
        return nil
      }
      return record.isOpen(at: tx.now) ? .invited(record) : nil
    }
    let record = try AssociationTable.find(id, in: tx)
    let pass = record.flatMap { SmartHome.guestRoles.contains($0.role) ? $0 : nil }
    let (place, action) = (pass?.entityID ?? "", action(of: pass))
    let granting = try core.decide(action, on: place, user, tx)
    guard granting.reason != .subjectSuspended else {
      throw TenancyError.suspended.denying(action, on: place, because: granting.reason)
    }
    guard let pass else { return nil }
    if pass.userID == user.userID || granting.isGranted { return .held(pass) }
    if let listing = core.policy.action(of: .listAssociations, on: pass.entityType) {
      let shown = try core.decide(listing, on: place, user, tx)
      if shown.isGranted { return .held(pass) }
    }
    throw TenancyError.notFound.denying(action, on: place, because: granting.reason)
  }
}
