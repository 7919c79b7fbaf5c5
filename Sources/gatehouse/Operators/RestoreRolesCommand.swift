internal import PeerContracts
internal import TenancyContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection

/// `gatehouse restore-roles`: the roles that an upgrade turned into invitations, and restores them.
struct RestoreRolesCommand: Command {
  static let description = CommandDescription(
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
  ) { words throws(UsageError) in
    RestoreRolesCommand(role: try words.checked([], optionalCount: 1).first)
  }

  /// The word that stands for every role that can be restored.
  private static let all = "all"
  private static let pageSize: UInt32 = 1000

  /// A role's identifier, or `all`; nil lists them.
  let role: String?

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "tenancy") { channel in
      let roles = Tenancy_V1.RolesClient(channel)
      let options = CallOptions(timeout: context.callTimeout, metadata: metadata)
      switch role {
      case nil: try await list(roles, options, context)
      case Self.all: try await restoreAll(roles, options, context)
      case let id?:
        let restored = try await roles.restoreConverted(
          .init(associationId: id),
          options: options
        )
        try context.console.line(Self.text(of: restored, from: id))
      }
    }
  }

  private func list(
    _ roles: Tenancy_V1.RolesClient,
    _ options: CallOptions,
    _ context: CommandContext
  ) async throws {
    let json = MessageJSON(context.registry, unset: .all)
    var page = ""
    repeat {
      let answer = try await roles.listConverted(
        .init(pageSize: Self.pageSize, pageToken: page),
        options: options
      )
      for converted in answer.roles {
        try context.show(
          [try json.decode(converted.protobufBytes, as: Tenancy_V1.ConvertedRole.protobufName)],
          table: [Self.text(of: converted)]
        )
      }
      page = answer.nextPageToken
    } while !page.isEmpty
  }

  private func restoreAll(
    _ roles: Tenancy_V1.RolesClient,
    _ options: CallOptions,
    _ context: CommandContext
  ) async throws {
    var (page, restoredCount) = ("", 0)
    var failed: RPCError?
    repeat {
      let answer = try await roles.listConverted(
        .init(restorableOnly: true, pageSize: Self.pageSize, pageToken: page),
        options: options
      )
      for id in answer.roles.compactMap({ $0.association?.id }) {
        do {
          let restored = try await roles.restoreConverted(
            .init(associationId: id),
            options: options
          )
          try context.console.line(Self.text(of: restored, from: id))
          restoredCount += 1
        } catch let error as RPCError where error.code != .unavailable {
          // One that cannot come back must not keep the others from it.
          failed = failed ?? error
          let reason = FailureText.printable(error.message)
          try context.console.line("\(id) stays an invitation: \(reason)")
        }
      }
      page = answer.nextPageToken
    } while !page.isEmpty
    try context.console.line("restored \(restoredCount) role" + (restoredCount == 1 ? "" : "s"))
    if let failed { throw failed }
  }

  private static func text(of restored: Tenancy_V1.RoleAssociation, from id: String) -> String {
    "\(id) is restored as \(restored.id): \(role(restored)) for \(restored.userId)"
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
