import ServiceKit
import Testing

@testable import ServiceTesting

/// Limits by source behind a gateway that speaks HTTP, on a socket of this host: what its own calls are not
/// counted for, its clients' are.
@Suite("Limits of the clients of a proxy", .serialized, .timeLimit(.minutes(5)))
struct ProxiedCallerTests {
  /// What a source may try, as docs/operations/services.md says it.
  private static let failureCountMax = 20

  /// One wrong password, by REST or by Connect.
  private func signIn(
    _ number: Int,
    from fields: [(name: String, value: String)],
    _ product: Product
  ) async throws -> Int {
    let target =
      number.isMultiple(of: 2) ? "/api/v1/auth/login" : "/auth.v1.Authentication/SignIn"
    let body = #"{"email": "nobody\#(number)@example.org", "password": "wrong password"}"#
    return try await product.http(to: "auth").send(
      "POST",
      target,
      fields + [(name: "content-type", value: "application/json")],
      Array(body.utf8)
    ).status
  }

  /// The statuses of as many wrong passwords as a source may try, and of one more.
  private func guesses(
    _ product: Product,
    _ fields: (_ number: Int) -> [(name: String, value: String)]
  ) async throws -> [Int] {
    var statuses: [Int] = []
    for number in 0...Self.failureCountMax {
      statuses.append(try await signIn(number, from: fields(number), product))
    }
    return statuses
  }

  private static let refused = Array(repeating: 401, count: failureCountMax) + [429]
  private static let free = Array(repeating: 401, count: failureCountMax + 1)

  @Test("Wrong passwords count for the client, whatever it claims, and not for other clients")
  func trustedProxy_clientIsLimited() async throws {
    try await Product.run(settings: ["http": ["trusted_proxies": ["unix", "10.0.0.0/8"]]]) {
      product in
      let lies = try await guesses(product) { number in
        [
          (name: "client-address", value: "198.51.100.\(number)"),
          (name: "forwarded", value: "for=198.51.100.\(number)"),
          (name: "x-forwarded-for", value: "198.51.100.\(number), 203.0.113.7, 10.0.0.1"),
        ]
      }
      #expect(lies == Self.refused)
      let other = [(name: "x-forwarded-for", value: "203.0.113.8")]
      #expect(try await signIn(0, from: other, product) == 401)
      // Garbage makes it one of those that nobody can tell apart, who are limited together.
      let garbage = try await guesses(product) { number in
        [(name: "x-forwarded-for", value: "203.0.113.7, nobody\(number)")]
      }
      #expect(garbage == Self.refused)
      // What names no client is the gateway's own, a tool of this host.
      #expect(try await guesses(product) { _ in [] } == Self.free)
    }
  }

  @Test("From anybody else the field means nothing")
  func stranger_isNotBelieved() async throws {
    // Loopback is counted, or nobody could tell whether the stranger is the client of its choice.
    let settings: JSONObject = ["http": ["trusted_proxies": ["10.0.0.0/8"]]]
    try await Product.run(settings: settings, auth: ["source_limits": ["loopback": true]]) {
      product in
      let statuses = try await guesses(product) { number in
        [(name: "x-forwarded-for", value: "198.51.100.\(number)")]
      }
      #expect(statuses == Self.refused)
    }
  }

  @Test("Streams of anonymous callers count for the client of a proxy")
  func trustedProxy_streamsAreCounted() async throws {
    let settings: JSONObject = [
      "http": ["trusted_proxies": ["unix"]], "streams": ["per_source": 1],
    ]
    try await Product.run(settings: settings) { product in
      let (answers, continuation) = AsyncStream<[UInt8]>.makeStream()
      var iterator = answers.makeAsyncIterator()
      for client in ["203.0.113.7", "203.0.113.8"] {
        let head = """
          POST /grpc.health.v1.Health/Watch HTTP/1.1
          host: localhost
          connection: close
          content-type: application/connect+proto
          x-forwarded-for: \(client)
          content-length: 5


          """
        let request = Array(head.replacing("\n", with: "\r\n").utf8) + [0, 0, 0, 0, 0]
        let http = product.http(to: "auth")
        // Of two, one stays open until the service ends, and the other is refused.
        for _ in 0..<2 {
          Task { continuation.yield(await http.exchange(request)) }
        }
        let refusal = String(decoding: await iterator.next() ?? [], as: UTF8.self)
        #expect(refusal.contains("resource_exhausted"), "\(client): \(refusal)")
      }
    }
  }
}
