internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Invitations`.
struct InvitationsHandler: Tenancy_V1.InvitationsService {
  let core: TenancyCore
  private let attempts: CodeAttempts

  init(core: TenancyCore) {
    self.core = core
    attempts = CodeAttempts(.invitation, InvitationLimits.attempts, core)
  }

  func create(
    _ request: Tenancy_V1.CreateInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    _ = try call.requireUser()
    let draft = try InvitationDraft(request)
    let id = core.identifiers.make(.invitation)
    let code = core.invitationCode()
    var response = try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.invite(draft, id: id, code: code, tx)
      return Tenancy_V1.CreateInvitationResponse(
        invitation: core.message(invitation: record, now: tx.now)
      )
    }
    core.mailer?.wake()
    // Answers are kept in the store for repeated requests, and a code must not be.
    if response.invitation?.id == id { response.code = code.text }
    return response
  }

  func list(
    _ request: Tenancy_V1.ListInvitationsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListInvitationsResponse {
    let (user, core) = (try call.requireUser(), core)
    try core.requireNotSuspended(user)
    if !request.entityId.isEmpty {
      _ = try await core.read { tx in try core.requireListing(on: request.entityId, user, tx) }
    }
    let page = try await page(
      request.entityId.isEmpty ? .inviter(user.userID) : .entity(request.entityId),
      pending: request.pending,
      request,
      filter: [request.entityId],
      call
    )
    return .init(invitations: page.items, nextPageToken: page.nextToken)
  }

  func listReceived(
    _ request: Tenancy_V1.ListReceivedInvitationsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListReceivedInvitationsResponse {
    let user = try call.requireUser()
    try core.requireNotSuspended(user)
    guard let address = try await core.verifiedAddress(of: user) else { return .init() }
    let page = try await page(
      .address(address, owner: user.userID),
      pending: true,
      request,
      filter: [address.key],
      call
    )
    return .init(
      invitations: page.items,
      nextPageToken: page.nextToken,
      emailVerified: true
    )
  }

  private func page(
    _ filter: InvitationTable.Filter,
    pending: Bool,
    _ request: some PagedRequest,
    filter bound: [String],
    _ call: CallContext
  ) async throws -> (items: [Tenancy_V1.Invitation], nextToken: String) {
    let filters = [call.method.fullName, "\(pending)"] + bound
    let asked = try core.asked(request, for: filters, call.caller)
    let direction = ListDirection(request.sortBy, standard: .ascending)
    let now = core.clock.now
    let isReceived = if case .address = filter { true } else { false }
    let rows = try await core.read { tx in
      try InvitationTable.list(
        filter,
        pendingAt: pending ? now : nil,
        after: asked.cursor?[0],
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = try core.page(of: rows, asked, after: { [$0.id] }) {
      core.message(invitation: $0, toInvited: isReceived, now: now)
    }
    return (try await core.named(page.items), page.nextToken)
  }

  func accept(
    _ request: Tenancy_V1.AcceptInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let core = core
    return try await answer(
      try NamedInvitation(id: request.invitationId, code: request.code),
      call,
      request,
      key: \.idempotencyKey
    ) { record, changes, tx in
      if record.state == .accepted {
        // The one who has accepted it asks again, but the role may be gone since.
        guard let association = try AssociationTable.find(record.associationID, in: tx) else {
          throw TenancyError.notFound
        }
        return core.message(association: association)
      }
      guard record.state == .pending else {
        throw InvitationError.closed(record.state.rawValue)
      }
      return core.message(association: try changes.accept(record, tx))
    }
  }

  func decline(
    _ request: Tenancy_V1.DeclineInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Invitation {
    let core = core
    return try await answer(
      try NamedInvitation(id: request.invitationId, code: request.code),
      call,
      request,
      key: \.idempotencyKey
    ) { record, changes, tx in
      var record = record
      switch record.state {
      case .pending: record = try changes.close(record, .declined, tx)
      case .declined: break
      case .accepted, .revoked:
        throw InvitationError.closed(record.state.rawValue, for: .accepter)
      }
      return core.message(invitation: record, toInvited: true, now: tx.now)
    }
  }

  /// Runs `body` with the invitation that the caller may answer: by its code, or because it is for the
  /// caller's verified address.
  ///
  /// It is pending and has not expired, or the caller has answered it before. A code of any other is
  /// CODE_UNKNOWN, like one that never was.
  private func answer<Request: Message, Response: Message>(
    _ named: NamedInvitation,
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String,
    _ body:
      @escaping @Sendable (InvitationRecord, ChangeSet, borrowing WriteTransaction) throws ->
      Response
  ) async throws -> Response {
    let user = try call.requireUser()
    let find = try await finder(of: named, user)
    func write() async throws -> Response {
      try await core.write(call, request, key: key) { changes, tx in
        try core.requireNotSuspended(user, tx)
        return try body(try find(tx), changes, tx)
      }
    }
    guard case .code = named else { return try await write() }
    return try await attempts.trying(user.userID, write)
  }

  /// Finds the invitation that is named, inside a write.
  private func finder(
    of named: NamedInvitation,
    _ user: UserIdentity
  ) async throws -> @Sendable (borrowing WriteTransaction) throws -> InvitationRecord {
    switch named {
    case .code(let code):
      let digest = core.invitationDigest(of: code)
      return { tx in
        guard let record = try InvitationTable.find(codeDigest: digest, in: tx),
          record.isOpen(at: tx.now) || record.closedBy == user.userID
        else {
          throw CodeError.unknown.denying("invitation.answer", on: "")
        }
        return record
      }
    case .id(let id):
      // Before the write, which cannot wait; thrown in it, so that a repeated request gets its answer
      // even when AuthService is down.
      let address = try await core.addressResult(of: user)
      return { tx in
        let address = try address.get()
        guard let record = try InvitationTable.find(id, in: tx), !record.email.isEmpty,
          EmailAddress(record.email).key == address?.key
        else {
          throw TenancyError.notFound.denying("invitation.answer", on: id)
        }
        guard record.isOpen(at: tx.now) || record.closedBy == user.userID else {
          throw InvitationError.closed(
            record.state == .pending ? "expired" : record.state.rawValue,
            for: .invited
          )
        }
        return record
      }
    }
  }

  func revoke(
    _ request: Tenancy_V1.RevokeInvitationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Invitation {
    let (user, core) = (try call.requireUser(), core)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      try core.requireNotSuspended(user, tx)
      guard let record = try InvitationTable.find(request.invitationId, in: tx),
        try changes.mayRevoke(record, tx)
      else {
        throw TenancyError.notFound.denying("invitation.revoke", on: request.invitationId)
      }
      guard record.state != .accepted else { throw InvitationError.closed("accepted") }
      let closed =
        record.isOpen(at: tx.now) ? try changes.close(record, .revoked, tx) : record
      return core.message(invitation: closed, now: tx.now)
    }
  }
}

extension TenancyCore {
  /// A fresh code of an invitation.
  func invitationCode() -> PassedCode {
    PassedCode(letterCount: InvitationLimits.codeLetterCount, random: random)
  }

  /// The stored digest of an invitation's code.
  func invitationDigest(of code: PassedCode) -> [UInt8] {
    codeDigests.digest(of: code, for: "invitation")
  }

  /// The address by which a user is invited; nil unless it is verified.
  ///
  /// The one place that says whose invitations somebody may see and accept without a code. Anyone who has
  /// signed up with an address need not be its owner, so only AuthService's word counts that the address
  /// is verified. UNAVAILABLE when that cannot be determined.
  func verifiedAddress(of user: UserIdentity) async throws -> EmailAddress? {
    do {
      let address = try await users.address(of: user.userID)
      return address.flatMap { $0.isVerified ? $0.email : nil }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw TenancyError.usersUnavailable(error)
    }
  }

  /// As `verifiedAddress`, for a write that is to fail with what it throws.
  fileprivate func addressResult(
    of user: UserIdentity
  ) async throws -> Result<EmailAddress?, RPCError> {
    do {
      return .success(try await verifiedAddress(of: user))
    } catch let error as RPCError {
      return .failure(error)
    }
  }
}
