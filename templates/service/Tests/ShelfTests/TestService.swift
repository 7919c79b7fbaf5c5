import Foundation
import RPCKit
import ServiceKit
import ShelfContracts

@testable import Shelf

/// The handlers on a socket and a store of their own, for users whose tokens the test signs.
struct TestService {
  private static let issuer = "gatehouse"

  let items: Shelf_V1.ItemsClient
  private let key: SigningKey
  private let clock: any WallClock

  /// Serves, runs `body`, and takes everything away again.
  static func run(_ body: (TestService) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = SystemWallClock()
    let identifiers = IdentifierFactory(clock: clock, random: SystemRandomSource())
    let database = try await Database.open(
      DatabaseConfiguration(
        path: folder.appending(path: "shelf.db").path,
        applicationID: ShelfSchema.applicationID
      ),
      migrations: ShelfSchema.migrations
    )
    let store = ServiceStore(
      database,
      of: ShelfService.identity.name,
      identifiers: identifiers,
      metrics: MetricRegistry()
    )
    let key = SigningKey.generate()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [ItemsHandler(store: store, identifiers: identifiers, clock: clock).definition],
      interceptors: [
        AuthenticationInterceptor(
          tokens: AccessTokenAuthenticator(
            verifier: AccessTokenVerifier(issuer: issuer, audience: issuer),
            keys: FixedKeySource(KeySet([key.verificationKey])),
            revocations: RevocationSet(),
            clock: clock
          ),
          services: nil,
          clock: clock
        )
      ],
      on: loops
    )
    do {
      try await server.serving { server in
        try await withChannel(
          "tcp://\(server.addresses[0])",
          ChannelConfiguration(loops: loops)
        ) { channel in
          try await body(
            TestService(items: Shelf_V1.ItemsClient(channel), key: key, clock: clock)
          )
        }
      }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
  }

  /// Calls as the user, with a token as AuthService issues it.
  func by(_ userID: String) -> CallOptions {
    let now = clock.now
    let claims = AccessClaims(
      userID: userID,
      sessionID: "ses_of_\(userID)",
      tokenID: "tok_1",
      issued: now,
      expires: now + 600_000,
      acr: "pwd",
      methods: ["pwd"],
      authenticated: now
    )
    let token = JSONWebToken.signed(
      type: AccessTokenVerifier.type,
      claims: claims.object(issuer: Self.issuer, audience: Self.issuer),
      by: key
    )
    return CallOptions(metadata: ["authorization": "Bearer \(token)"])
  }
}
