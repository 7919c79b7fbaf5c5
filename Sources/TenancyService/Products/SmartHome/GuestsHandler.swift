internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Guests`: associations with the role of guests, which have a window.
struct GuestsHandler: Tenancy_V1.GuestsService {
  let core: TenancyCore

  private static let action = SmartHome.grantGuest

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
    var seen: Set<String> = []
    let devices = request.deviceIds.filter { seen.insert($0).inserted }
    let guest = try NamedUser(id: request.userId, email: request.email)
    defer { core.mailer?.wake() }
    return try await core.write(
      call,
      request,
      key: \.idempotencyKey,
      naming: [guest],
      ifAllowed: { try await mayGrant(on: devices, user) }
    ) { users, changes, tx in
      var response = Tenancy_V1.GrantGuestPassResponse()
      for id in devices {
        let window = try lent(RoleWindow(from: from, until: until), on: id, user, tx)
        let device = try EntityTable.known(id, type: SmartHome.device, in: tx)
        switch guest {
        case .id(let guest):
          try users.require(guest, tx)
          let pass = try changes.lend(SmartHome.guest, to: guest, on: device, during: window, tx)
          response.passes.append(core.message(pass: pass))
        case .email(let email):
          let draft = InvitationDraft(
            email: email,
            role: SmartHome.guest,
            on: device.id,
            during: window
          )
          response.passes.append(core.message(invitedPass: try changes.inviteInstead(draft, tx)))
        }
      }
      response.revision = core.tokens.token(revision: tx.revision)
      return response
    }
  }

  /// Whether the user may grant passes on all of these at the moment.
  private func mayGrant(on devices: [String], _ user: UserIdentity) async throws -> Bool {
    for device in devices {
      let explanation = try await core.explanation(Self.action, on: device, user)
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
    on id: String,
    _ user: UserIdentity,
    _ tx: borrowing WriteTransaction
  ) throws -> RoleWindow {
    try core.require(Self.action, on: id, user, tx).lent(window)
  }

  func list(
    _ request: Tenancy_V1.ListGuestPassesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListGuestPassesResponse {
    let user = try call.requireUser()
    if !request.deviceId.isEmpty {
      try await core.permit("device.view", on: request.deviceId, user)
    }
    if !request.unitId.isEmpty {
      try await core.permit("unit.view", on: request.unitId, user)
    }
    let asked = try core.asked(
      request,
      for: [
        "Guests.List", request.deviceId, request.unitId, "\(request.includeEnded)",
        "\(request.inForce)",
      ],
      call.caller
    )
    let (limit, skippedCount) = (asked.size, asked.skippedCount)
    let found = try await core.retryingWithFeatures {
      try await visiblePasses(
        request,
        user,
        after: asked.cursor?[0],
        limit: skippedCount + limit + 1
      )
    }
    let ids = Array(found.dropFirst(skippedCount))
    let rows = try await core.read { tx in
      try AssociationTable.all(Array(ids.prefix(limit)), in: tx)
    }
    // One that has ended since is missing among the rows, so they do not say where the page ends.
    var end = ids.count > limit ? ids[limit - 1] : nil
    var budget = AnswerBudget()
    var passes: [Tenancy_V1.GuestPass] = []
    for row in rows {
      let pass = core.message(pass: row)
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

  /// The first passes after one, on devices where the caller may grant them and of the caller's own.
  private func visiblePasses(
    _ request: Tenancy_V1.ListGuestPassesRequest,
    _ user: UserIdentity,
    after cursor: String?,
    limit: Int
  ) async throws -> [String] {
    let (now, features) = (core.clock.now, core.features)
    let filters = [request.deviceId, request.unitId].filter { !$0.isEmpty }
    let takesEnded = request.includeEnded && !request.inForce
    let ids = try await core.engine.walk { forest in
      guard let role = forest.policy.role(named: SmartHome.guest),
        var query = forest.query(Self.action, on: SmartHome.device, user, now: now, features),
        let within = forest.deepest(filters)
      else { return nil }
      query.within = within.entity
      let selection = AssociationSelection(
        of: role,
        endingAfter: takesEnded ? .min : now,
        beginningBy: request.inForce ? now : .max,
        after: cursor,
        isDescending: ListDirection(request.sortBy, standard: .ascending).isDescending,
        limit: limit
      )
      return AccessWalk(query, .associations(selection), forest)
    } finish: { walk, forest -> [String] in
      guard walk.missing.isEmpty else { throw TenancyError.featuresUnavailable(walk.missing) }
      guard case .associations(var selection) = walk.purpose else { return [] }
      forest.offer(associationsOf: user.userID, within: walk.query.within, to: &selection)
      return selection.identifiers
    }
    return ids ?? []
  }

  func update(
    _ request: Tenancy_V1.UpdateGuestPassRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.GuestPass {
    let user = try call.requireUser()
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let until = try request.validUntil?.milliseconds(field: "valid_until")
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      guard let before = try knownPass(request.passId, user, tx) else {
        throw TenancyError.notFound
      }
      var pass = before
      pass.validFrom = from ?? pass.validFrom
      pass.validUntil = until ?? pass.validUntil
      let end = pass.validUntil ?? .max
      let window = RoleWindow(until: end, recurring: pass.recurring)
      pass.recurring = try lent(window, on: pass.entityID, user, tx).recurring
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

  func revoke(
    _ request: Tenancy_V1.RevokeGuestPassRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let user = try call.requireUser()
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let known: AssociationRecord?
      do {
        known = try knownPass(request.passId, user, tx)
      } catch let error as RPCError where error.code == .notFound {
        // One that the caller may not know of is treated as gone, but somebody has tried.
        core.denials.look(at: error, of: call)
        known = nil
      }
      guard let pass = known else { return core.message(revoked: .init(revision: tx.revision)) }
      // Guests may give their own back.
      if pass.userID != user.userID {
        try core.require(Self.action, on: pass.entityID, user, tx)
      }
      let ended = try changes.end([pass], action: "guest.revoke", tx)
      let limited = try changes.limitLending(by: pass.userID, on: pass.entityID, tx)
      return core.message(revoked: .init(count: 1, revision: limited ?? ended ?? tx.revision))
    }
  }

  /// A pass that the caller may know of, as `list` or `Associations.ListByEntity` show it: its own, or
  /// one on a device where it grants them or may see who has roles.
  ///
  /// Nil when there is no such pass. Throws for a suspended caller, whether there is one or not, and
  /// NOT_FOUND for one that the caller may not know of.
  private func knownPass(
    _ id: String,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> AssociationRecord? {
    let record = try AssociationTable.find(id, in: tx)
    let pass = record?.role == SmartHome.guest ? record : nil
    let device = pass?.entityID ?? ""
    let granting = try core.decide(Self.action, on: device, user, tx)
    guard granting.reason != .subjectSuspended else {
      throw TenancyError.suspended.denying(Self.action, on: device, because: granting.reason)
    }
    guard let pass else { return nil }
    if pass.userID == user.userID || granting.isGranted { return pass }
    let listing = "device.list_associations"
    let shown = try core.decide(listing, on: device, user, tx)
    if shown.isGranted { return pass }
    throw TenancyError.notFound.denying(Self.action, on: device, because: granting.reason)
  }
}
