import PeerContracts
import Glibc
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Secrets stay where they are")
struct CanaryTests {
  /// What callers were told.
  private final class Answers: Sendable {
    private let texts = Lock<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    /// Calls, and keeps everything that an error says.
    func of(_ body: () async throws -> Void) async {
      do {
        try await body()
      } catch let error as RPCError {
        let details = error.details.map { detail in
          detail.typeURL + " " + String(decoding: detail.value, as: UTF8.self)
        }
        texts.withLock { $0.append("\(error.code) \(error.message) \(details)") }
      } catch {
        texts.withLock { $0.append("\(error)") }
      }
    }
  }

  @Test("No path of a secret ends in a log line, an error, a metric or a file")
  func secrets_allPaths_areHidden() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.failures = 8
    let answers = Answers()
    let canaries = try await AuthStage.run(on: ground) { stage in
      let password = "canary-right-7f3a"
      let up = try await stage.signUp(password: password)
      let tokens = try #require(up.tokens)
      var canaries = [
        password, tokens.accessToken, tokens.refreshToken, up.deviceToken, "canary-wrong-91bd",
        "canary-new-55aa", "canary-unknown-02ce", "canary-device-8b1d", "canary-refresh-6c0e",
        "canary-access-4d7f", "canary-service-3e2a", "canary-early-1199", "canary-limited-aa01",
        "canary-shed-77b3", "ada-canary-part",
      ]
      try await passwords(stage, up, answers)
      try await tokensOfAllKinds(stage, up, answers)
      let next = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      canaries += [next.accessToken, next.refreshToken]
      stage.clock.advance(60_000)
      // Reuse, which is logged and ends the session.
      await answers.of {
        _ = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      }
      #expect(stage.sink.lines.contains { $0.contains("used refresh token") })
      #expect(answers.all.count > 15)
      let metrics = String(decoding: stage.registry.render(), as: UTF8.self)
      for canary in canaries {
        for line in stage.sink.lines { #expect(!line.contains(canary), "a line has \(canary)") }
        for answer in answers.all { #expect(!answer.contains(canary), "an error has \(canary)") }
        #expect(!metrics.contains(canary))
      }
      return canaries
    }
    // The files as somebody who stole them reads them; the log was moved into the store at the end.
    for name in ["auth.db", "auth.db-wal"] {
      guard let bytes = try? FileBytes.read("\(ground.folder.path)/\(name)", byteCountMax: 1 << 26)
      else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(name != "auth.db" || text.contains("ada@example.org"), "what is stored is found so")
      for canary in canaries { #expect(!text.contains(canary), "\(name) has \(canary)") }
    }
  }

  /// Every way in which a password is refused.
  private func passwords(
    _ stage: AuthStage,
    _ up: Auth_V1.SignInResponse,
    _ answers: Answers
  ) async throws {
    await answers.of {
      _ = try await stage.signUp("ada-canary-part@example.org", password: "ada-canary-part")
    }
    await answers.of { _ = try await stage.signIn(password: "canary-wrong-91bd") }
    await answers.of {
      _ = try await stage.signIn("nobody@example.org", password: "canary-unknown-02ce")
    }
    for (current, new) in [
      ("canary-wrong-91bd", "canary-new-55aa"), ("canary-right-7f3a", "password1"),
    ] {
      await answers.of {
        _ = try await stage.users.changePassword(
          .init(currentPassword: current, newPassword: new),
          options: stage.with(up)
        )
      }
    }
    let places = HeldPlaces(of: stage.service.core.pool, .ordinary)
    await answers.of {
      _ = try await stage.signUp("new@example.org", password: "canary-shed-77b3")
    }
    places.free()
    for _ in 0..<5 {
      await answers.of { _ = try await stage.signIn(password: "canary-early-1199") }
    }
    for _ in 0..<5 {
      await answers.of { _ = try await stage.signIn(password: "canary-limited-aa01") }
    }
    #expect(stage.metric(#"gatehouse_auth_source_refusals_total{method="SignIn"}"#) > 0)
    stage.peers.change { $0.isTenancyDown = true }
    await answers.of {
      _ = try await stage.authentication.signIn(
        .init(
          email: "ada@example.org",
          password: "canary-right-7f3a",
          deviceToken: up.deviceToken
        )
      )
    }
    stage.peers.change { $0.isTenancyDown = false }
  }

  /// Tokens that are made up, changed, or in the wrong place.
  private func tokensOfAllKinds(
    _ stage: AuthStage,
    _ up: Auth_V1.SignInResponse,
    _ answers: Answers
  ) async throws {
    let tokens = try #require(up.tokens)
    for text in [
      "canary-refresh-6c0e", tokens.refreshToken + "A", tokens.accessToken, up.deviceToken,
    ] {
      await answers.of { _ = try await stage.authentication.refresh(.init(refreshToken: text)) }
    }
    for text in ["canary-device-8b1d", up.deviceToken + "A", tokens.refreshToken] {
      await answers.of {
        _ = try await stage.authentication.signIn(
          .init(email: "ada@example.org", password: "canary-wrong-91bd", deviceToken: text)
        )
      }
    }
    for text in [
      "canary-access-4d7f", tokens.accessToken + "x", String(tokens.accessToken.dropLast(3)),
      tokens.refreshToken, up.deviceToken,
    ] {
      for key in ["authorization", "service-authorization"] {
        await answers.of {
          _ = try await stage.users.getMe(
            .init(),
            options: .init(metadata: [key: "Bearer \(text)"])
          )
        }
        await answers.of {
          _ = try await stage.users.getMe(.init(), options: .init(metadata: [key: text]))
        }
      }
    }
    await answers.of {
      _ = try await stage.authentication.signIn(
        .init(email: "ada@example.org", password: "canary-wrong-91bd"),
        options: .init(metadata: ["service-authorization": "Bearer canary-service-3e2a"])
      )
    }
  }

  @Test("A file of secrets that is wrong is refused without showing what is in it")
  func secretsFile_wrong_showsNothing() throws {
    let good = AuthSecrets.generate(SystemRandomSource())
    let canary = "canary-secret-e5f1"
    for text in [
      good.replacing("\"peppers\"", with: "\"peppers\": {\"1\": \"\(canary)\"}, \"more\""),
      good.replacing("\"sealing_key\": \"", with: "\"sealing_key\": \"\(canary)"),
      "{\"sealing_key\": \"\(canary)\"", "\(canary)", "{\"lookup_key\": [\"\(canary)\"]}",
      good + canary,
    ] {
      let error = #expect(throws: JSONDecodingError.self) {
        try AuthSecrets(json: Array(text.utf8))
      }
      let shown = error.map { "\($0)" } ?? ""
      #expect(!shown.contains(canary))
      #expect(!shown.contains("canary"))
    }
  }
}
