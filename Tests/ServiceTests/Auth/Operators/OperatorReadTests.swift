import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What operators read of a customer's ways to sign in, and in the audit log")
struct OperatorReadTests {
  private func run(
    _ body: (AuthStage, _ boss: Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.runWithPasskeys { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      try await body(stage, boss)
    }
  }

  @Test(
    "Factors and failed sign-ins of a customer are shown without a secret, and that is recorded"
  )
  func getUserFactors_ofSomebody_showsThem() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      let operators = Auth_V1.OperatorsClient(stage.channel)
      let request = Auth_V1.GetUserFactorsRequest(userId: ada.user?.id ?? "")
      let before = try await operators.getUserFactors(request, options: stage.with(boss))
      #expect(before.hasPassword && before.totpAddedAt == nil && !before.hasPin)
      #expect(before.passkeys.isEmpty && before.failedSignIns == 0)
      #expect(before.lastFailedSignInAt == nil && before.signInsWaitUntil == nil)
      try await stage.register(SoftAuthenticator(), for: ada)
      try await stage.enroll(ada)
      _ = try await stage.stepUp.setPin(.init(pin: "730284"), options: stage.with(ada))
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      let after = try await operators.getUserFactors(request, options: stage.with(boss))
      #expect(after.totpAddedAt != nil && after.hasPin && after.recoveryCodesLeft == 10)
      #expect(after.passkeys.map(\.name) == ["Phone"] && after.failedSignIns == 5)
      #expect(after.lastFailedSignInAt != nil && after.signInsWaitUntil != nil)
      let id = ada.user?.id ?? ""
      #expect(
        try await stage.audited("user.get_factors")
          == ["user.get_factors \(id)", "user.get_factors \(id)"]
      )
      let other = await outcome {
        _ = try await operators.getUserFactors(request, options: stage.with(ada))
      }
      #expect(other.hasPrefix("PERMISSION_DENIED"))
    }
  }

  @Test("The audit log is searched by who, what, when and outcome, page by page")
  func searchAudit_filters_findRecords() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      stage.clock.advance(1000)
      let middle = stage.clock.now
      _ = try await stage.signIn()
      try await stage.changePassword(ada, to: "another battery staple horse")
      let operators = Auth_V1.OperatorsClient(stage.channel)
      func search(_ request: Audit_V1.SearchAuditRequest) async throws -> [String] {
        var (found, request) = ([String](), request)
        repeat {
          let page = try await operators.searchAudit(request, options: stage.with(boss))
          found += page.entries.map(\.action)
          request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        return found
      }
      let actor = "user:\(ada.user?.id ?? "")"
      let named = try await operators.searchAudit(
        .init(actor: actor, pageSize: 1),
        options: stage.with(boss)
      )
      #expect(named.entries.first?.actorName == ada.user?.displayName)
      let all = try await search(.init(actor: actor, pageSize: 1))
      #expect(all.first == "password.change" && all.last == "user.sign_up")
      #expect(all == (try await search(.init(actor: actor))))
      #expect(try await search(.init(actor: actor, action: "password.")) == ["password.change"])
      let since = try await search(.init(actor: actor, since: .init(milliseconds: middle)))
      #expect(!since.contains("user.sign_up") && since.contains("password.change"))
      let until = try await search(.init(actor: actor, until: .init(milliseconds: middle)))
      #expect(until.contains("user.sign_up") && !until.contains("password.change"))
      #expect(try await search(.init(object: ada.user?.id ?? "", refusedOnly: true)).isEmpty)
      #expect(try await search(.init(action: "audit.search")).count >= 5)
      let other = await outcome {
        _ = try await operators.searchAudit(.init(), options: stage.with(boss)).entries
        _ = try await operators.searchAudit(.init(), options: stage.with(ada))
      }
      #expect(other.hasPrefix("PERMISSION_DENIED") || other.hasPrefix("UNAUTHENTICATED"))
    }
  }

  @Test("Every method that operators may call has a path, unless it streams to the server")
  func methods_ofOperators_havePaths() async throws {
    try await AuthStage.run { stage in
      let methods = stage.service.services.flatMap { $0.methods.map(\.descriptor) }
        .filter { [.admin, .support].contains($0.callerClass) }
      #expect(methods.count >= 14)
      for method in methods where method.kind == .unary || method.kind == .serverStreaming {
        #expect(!method.httpBindings.isEmpty, "\(method.fullName)")
      }
    }
  }
}
