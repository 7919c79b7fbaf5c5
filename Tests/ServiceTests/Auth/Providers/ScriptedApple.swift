import Foundation
import RPCKit
import ServiceKit

@testable import AuthService

/// Apple's token and revocation endpoints, played by the test.
final class ScriptedApple: Sendable {
  /// A request that came in.
  struct Asked: Hashable {
    let path: String
    let fields: [String: String]
  }

  struct State {
    var asked: [Asked] = []
    /// Whether nothing is answered.
    var isDown = false
    /// What everything is answered with.
    var status = 200
    /// Whose codes are.
    var subject = "1"
  }

  static let key = SigningKey.generate()
  private let state = Lock(State())

  var asked: [Asked] { state.withLock { $0.asked } }
  var paths: [String] { asked.map(\.path) }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Adds Apple's authorization to the ground, for whose key there is a file.
  func setUp(_ ground: inout AuthStage.Ground) throws -> AppleAuthorization {
    let path = "\(ground.folder.path)/apple.p8"
    try Data(Self.key.pem.utf8).write(to: URL(fileURLWithPath: path))
    ground.appleTokens = { [self] in try await answer($0) }
    let text = #"{"team_id": "TEAM", "key_id": "KEY", "key_file": "\#(path)"}"#
    let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 4096))
    return try AppleAuthorization(JSONField(value))
  }

  /// The refresh token of a code is `refresh` and the code.
  private func answer(_ fetch: HTTPFetch) async throws -> HTTPFetch.Answer {
    let asked = Asked(
      path: String(fetch.url.dropFirst("https://appleid.apple.com".count)),
      fields: Self.fields(fetch.content)
    )
    return try state.withLock { state in
      guard !state.isDown else { throw HTTPFetch.Failure(description: "down") }
      state.asked.append(asked)
      var body: JSONObject = ["error": "invalid_grant"]
      if state.status == 200 {
        let claims: JSONObject = ["sub": .string(state.subject)]
        body = [
          "access_token": "unused", "token_type": "Bearer",
          "refresh_token": .string("refresh \(asked.fields["code"] ?? "")"),
          "id_token": .string(TestProvider.token(claims)),
        ]
      }
      return HTTPFetch.Answer(
        status: state.status,
        fields: [:],
        body: asked.path == "/auth/revoke" ? [] : JSONValue.object(body).bytes
      )
    }
  }

  /// As the URL Standard decodes a form, which is not how the code under test makes one.
  private static func fields(_ form: [UInt8]) -> [String: String] {
    let items = URLComponents(string: "?" + String(decoding: form, as: UTF8.self))?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }
}
