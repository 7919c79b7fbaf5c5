import Contracts
import RPCKit
import Testing

@testable import CommandLineClient

/// Three accounts, two a page, and who ended whose sessions.
private final class ScriptedOperators: Auth_V1.OperatorsService {
  let ended = Lock<[String]>([])

  private static let accounts = [
    Auth_V1.Account(id: "usr_3", email: "Ada@example.com", displayName: "Ada\u{1B}[2J"),
    Auth_V1.Account(id: "usr_2", email: "ada@example.community", displayName: "Other Ada"),
    Auth_V1.Account(id: "usr_1", email: "bob@example.com", displayName: "Bob"),
  ]

  func listUsers(
    _ request: Auth_V1.ListUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUsersResponse {
    let text = request.text.lowercased()
    let found = Self.accounts.filter { $0.email.lowercased().hasPrefix(text) }
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
          usr_1  bob@example.com  Bob

          """#
      )
      let some = await stage.gatehouse("users", "bob")
      #expect(some.output == "usr_1  bob@example.com  Bob\n")
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
      #expect(unknown.code == 2)
      #expect(unknown.errors.contains("ada@example has no account"))
      #expect(operators.ended.withLock { $0.count } == 2)
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
