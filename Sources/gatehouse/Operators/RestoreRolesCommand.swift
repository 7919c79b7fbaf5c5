internal import PeerContracts
internal import TenancyContracts
internal import RPCKit

extension Command {
  /// `gatehouse restore-roles`: the roles that an upgrade turned into invitations, and restores them.
  static let restoreRoles = Command(
    name: "restore-roles",
    arguments: "[ROLE|all]",
    summary: "list or restore roles that an upgrade made invitations, for operators",
    details: """
      Lists the roles that the upgrade turned into invitations, because one person had given them to another
      whose account has not proven its address: what has become of the invitation, the role, the user and the
      address. With ROLE (asc_…), gives that role back to the user as it was and revokes the invitation; with
      all, every role whose invitation was not answered or revoked. What was lent by a role, or paired, does
      not come back. They are listed until 60 days after the upgrade. Needs the role super_admin and a
      sign-in of the last five minutes, and is recorded in TenancyService's audit log.

        gatehouse restore-roles
        gatehouse restore-roles asc_06gzt47ebk7am2948s4kyvhwzc
        gatehouse restore-roles all
      """,
    formats: OutputFormat.allCases
  ) { context, words in
    try await context.signedIn(to: "tenancy") { channel, options in
      let roles = ConvertedRoles(Tenancy_V1.RolesClient(channel), options, context)
      switch words.first {
      case nil: try await roles.list()
      case "all": try await roles.restoreAll()
      case let id?: try await roles.restore(id)
      }
    }
  }
}

/// The roles that an upgrade turned into invitations.
private struct ConvertedRoles {
  private let roles: Tenancy_V1.RolesClient
  private let options: CallOptions
  private let context: CommandContext

  init(_ roles: Tenancy_V1.RolesClient, _ options: CallOptions, _ context: CommandContext) {
    (self.roles, self.options, self.context) = (roles, options, context)
  }

  /// Prints all of them.
  func list() async throws {
    try await each(restorableOnly: false) { converted in
      try context.show([try context.json(converted)], table: [Self.text(of: converted)])
    }
  }

  /// Gives a role back.
  func restore(_ id: String) async throws {
    let restored = try await roles.restoreConverted(.init(associationId: id), options: options)
    try context.console.line(
      "\(id) is restored as \(restored.id): \(Self.role(restored)) for \(restored.userId)"
    )
  }

  /// Gives back all that can be.
  func restoreAll() async throws {
    var restoredCount = 0
    var failed: RPCError?
    try await each(restorableOnly: true) { converted in
      guard let id = converted.association?.id else { return }
      do {
        try await restore(id)
        restoredCount += 1
      } catch let error as RPCError where error.code != .unavailable {
        // One that cannot come back must not keep the others from it.
        failed = failed ?? error
        let reason = FailureText.printable(error.message)
        try context.console.line("\(id) stays an invitation: \(reason)")
      }
    }
    try context.console.line("restored \(CountText.text(restoredCount, "role"))")
    if let failed { throw failed }
  }

  private func each(
    restorableOnly: Bool,
    _ body: (Tenancy_V1.ConvertedRole) async throws -> Void
  ) async throws {
    var page = ""
    repeat {
      let answer = try await roles.listConverted(
        .init(restorableOnly: restorableOnly, pageSize: 1000, pageToken: page),
        options: options
      )
      for converted in answer.roles { try await body(converted) }
      page = answer.nextPageToken
    } while !page.isEmpty
  }

  private static func text(of converted: Tenancy_V1.ConvertedRole) -> String {
    guard let held = converted.association else { return "" }
    let state =
      if converted.restoredAt != nil {
        "restored"
      } else {
        switch converted.invitationState {
        case .pending: "pending"
        case .accepted: "accepted"
        case .declined: "declined"
        case .revoked: "revoked"
        case .expired: "expired"
        default: "unknown"
        }
      }
    let email = FailureText.printable(converted.email)
    return "\(held.id)  \(state)  \(role(held))  \(held.userId)  \(email)"
  }

  private static func role(_ held: Tenancy_V1.RoleAssociation) -> String {
    let name = held.customRole.isEmpty ? held.role : held.customRole
    return "\(FailureText.printable(name)) on \(held.entityId)"
  }
}
