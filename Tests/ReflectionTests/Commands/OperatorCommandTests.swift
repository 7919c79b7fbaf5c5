import AuthContracts
import PeerContracts
import RPCKit
import Testing

@testable import CommandLineClient

/// Three accounts, two a page, who ended whose sessions, and what else was done to whom.
private final class ScriptedOperators: Auth_V1.OperatorsService {
  let ended = Lock<[String]>([])
  let changes = Lock<[String]>([])

  private static let accounts = [
    Auth_V1.Account(id: "usr_3", email: "Ada@example.com", displayName: "Ada\u{1B}[2J"),
    Auth_V1.Account(id: "usr_2", email: "ada@example.community", displayName: "Other Ada"),
    Auth_V1.Account(
      id: "usr_1",
      email: "bob@example.com",
      displayName: "Bob",
      state: .disabled,
      disabledReason: "left"
    ),
  ]

  func listUsers(
    _ request: Auth_V1.ListUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUsersResponse {
    let text = request.text.lowercased()
    let found = Self.accounts.filter { $0.email.lowercased().hasPrefix(text) }
      .sorted { left, right in left.email.lowercased() == text && right.email != left.email }
    let start = Int(request.pageToken) ?? 0
    let next = start + 2
    return .init(
      users: Array(found.dropFirst(start).prefix(2)),
      nextPageToken: next < found.count ? "\(next)" : ""
    )
  }

  func listMails(
    _ request: Auth_V1.ListMailsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListMailsResponse {
    .init()
  }

  func searchAudit(
    _ request: Audit_V1.SearchAuditRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.SearchAuditResponse {
    .init()
  }

  func getUserFactors(
    _ request: Auth_V1.GetUserFactorsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserFactors {
    .init()
  }

  func requestAccountChange(
    _ request: Auth_V1.RequestAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    .init()
  }

  func approveAccountChange(
    _ request: Auth_V1.ApproveAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    .init()
  }

  func cancelAccountChange(
    _ request: Auth_V1.CancelAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    .init()
  }

  func listAccountChanges(
    _ request: Auth_V1.ListAccountChangesRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListAccountChangesResponse {
    .init()
  }

  func getUser(
    _ request: Auth_V1.GetUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    Self.accounts.first { $0.id == request.userId } ?? .init()
  }

  func disableUser(
    _ request: Auth_V1.DisableUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    changes.withLock { $0.append("disable \(request.userId): \(request.reason)") }
    return .init(id: request.userId)
  }

  func enableUser(
    _ request: Auth_V1.EnableUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    changes.withLock { $0.append("enable \(request.userId): \(request.reason)") }
    return .init(id: request.userId)
  }

  func forcePasswordReset(
    _ request: Auth_V1.ForcePasswordResetRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    changes.withLock { $0.append("reset \(request.userId): \(request.reason)") }
    return .init(revoked: 1)
  }

  func listUserSessions(
    _ request: Auth_V1.ListUserSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListSessionsResponse {
    .init(sessions: [.init(id: "ses_1", network: "192.0.2.0/24")])
  }

  func listUserAudit(
    _ request: Auth_V1.ListUserAuditRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUserAuditResponse {
    .init(entries: [.init(actor: "user:usr_9", action: "user.disable", object: request.userId)])
  }

  func endSessions(
    _ request: Auth_V1.EndSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let token = call.metadata["authorization"] ?? "no token"
    return ended.withLock { ended in
      ended.append("\(request.userId), \(token)")
      return .init(revoked: UInt32(ended.count))
    }
  }
}

@Suite("What operators do on the command line")
struct OperatorCommandTests {
  private func run(_ body: (CommandStage, ScriptedOperators) async throws -> Void) async throws {
    let operators = ScriptedOperators()
    let services = ScriptedServices().definitions + [operators.definition]
    try await CommandStage.run(services) { stage in
      let password = ["GATEHOUSE_PASSWORD": "right password"]
      _ = await stage.gatehouse("login", "ada@example.com", environment: password)
      try await body(stage, operators)
    }
  }

  @Test("All pages of accounts are listed, in words a terminal cannot be fooled by")
  func users_severalPages_areListed() async throws {
    try await run { stage, _ in
      let all = await stage.gatehouse("users")
      #expect(all.code == 0, "\(all.errors)")
      #expect(
        all.output == #"""
          usr_3  Ada@example.com  Ada\u{1b}[2J
          usr_2  ada@example.community  Other Ada
          usr_1  bob@example.com  Bob  (disabled)

          """#
      )
      let some = await stage.gatehouse("users", "bob")
      #expect(some.output == "usr_1  bob@example.com  Bob  (disabled)\n")
    }
  }

  @Test("Sessions are ended by identifier, or by the whole address and no longer one")
  func endSessions_byAddress_findsExactlyThatUser() async throws {
    try await run { stage, operators in
      let byAddress = await stage.gatehouse("end-sessions", "ADA@example.com")
      #expect(byAddress.output == "ended 1 session of usr_3\n")
      let byID = await stage.gatehouse("end-sessions", "usr_9")
      #expect(byID.output == "ended 2 sessions of usr_9\n")
      #expect(
        operators.ended.withLock { $0 } == ["usr_3, Bearer access-1", "usr_9, Bearer access-1"]
      )
      let unknown = await stage.gatehouse("end-sessions", "ada@example")
      #expect(unknown.code == 1)
      #expect(unknown.errors.contains("account not found: ada@example"))
      #expect(operators.ended.withLock { $0.count } == 2)
    }
  }

  @Test("Accounts are disabled, enabled and reset by identifier or address, with a reason")
  func changes_byAddress_areMade() async throws {
    try await run { stage, operators in
      let disabled = await stage.gatehouse("disable-user", "ada@example.com", "a police matter")
      #expect(
        disabled.output == "usr_3 is disabled; its sessions have ended\n",
        "\(disabled.errors)"
      )
      let enabled = await stage.gatehouse("enable-user", "usr_1", "came back")
      #expect(enabled.output == "usr_1 can be signed in to again\n")
      let reset = await stage.gatehouse("force-reset", "bob@example.com", "leaked")
      #expect(
        reset.output
          == "usr_1 has to set a new password, and a mail is on its way; ended 1 session\n"
      )
      #expect(
        operators.changes.withLock { $0 } == [
          "disable usr_3: a police matter", "enable usr_1: came back", "reset usr_1: leaked",
        ]
      )
      let unexplained = await stage.gatehouse("disable-user", "usr_1")
      #expect(unexplained.code == 2 && unexplained.errors.contains("missing argument REASON"))
      #expect(operators.changes.withLock { $0.count } == 3)
    }
  }

  @Test("An account is shown with its sessions and records")
  func user_byAddress_isShown() async throws {
    try await run { stage, _ in
      let shown = await stage.gatehouse("user", "bob@example.com")
      #expect(shown.code == 0, "\(shown.errors)")
      for text in ["usr_1", "left", "ses_1", "192.0.2.0/24", "user.disable", "user:usr_9"] {
        #expect(shown.output.contains(text), "\(text): \(shown.output)")
      }
      let json = await stage.gatehouse("user", "usr_1", "--output", "json")
      #expect(json.output.contains(#""disabledReason": "left""#), "\(json.output)")
    }
  }

  @Test("Nobody who is not signed in asks")
  func users_withoutSession_isRefused() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("users")
      #expect(outcome.code == 3)
      #expect(outcome.errors.contains("not signed in"))
    }
  }
}
