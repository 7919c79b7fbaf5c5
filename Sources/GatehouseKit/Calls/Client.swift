import Foundation

/// Sends calls: with a token that has not ended, once more after a refusal of it, and with a pause where the server
/// asks for one.
final class Client: Sendable {
  struct Reply<Value: Sendable>: Sendable {
    var value: Value
    var serverTime: Date?
  }

  private struct Envelope<Value: Decodable>: Decodable {
    var status: String
    var data: Value
  }

  private static let pauseMax = 30.0
  static let tokenReasons: Set<String> = ["CREDENTIALS_INVALID", "PROOF_ENDED"]

  let transport: any Transport
  let time: any Timekeeper
  private let gateway: Gateway
  private let appVersion: String

  init(gateway: Gateway, appVersion: String, transport: any Transport, time: any Timekeeper) {
    self.gateway = gateway
    self.appVersion = appVersion
    self.transport = transport
    self.time = time
  }

  func request(_ call: Call, token: String?) throws -> HTTPRequest {
    guard let url = gateway.url(path: call.path, query: call.query) else {
      throw KitError(.invalid, reason: "PATH_INVALID")
    }
    var fields = call.fields
    fields["accept"] = fields["accept"] ?? "application/json"
    fields["user-agent"] = "GatehouseKit \(appVersion)"
    if call.body != nil { fields["content-type"] = "application/json" }
    if let key = call.idempotencyKey { fields["idempotency-key"] = key }
    if let token { fields["authorization"] = "Bearer \(token)" }
    return HTTPRequest(
      method: call.method.rawValue,
      url: url,
      fields: fields,
      body: call.body,
      silence: call.silence
    )
  }

  /// Opens a stream; an answer that is no success ends it with its error.
  func stream(_ call: Call, token: String) throws -> AsyncThrowingStream<Data, any Error> {
    let parts = transport.open(try request(call, token: token))
    return AsyncThrowingStream { continuation in
      let task = Task {
        var refusal: HTTPAnswer?
        do {
          for try await part in parts {
            switch part {
            case .head(let head): refusal = head.status == 200 ? nil : head
            case .bytes(let bytes):
              if refusal == nil { continuation.yield(bytes) } else { refusal?.body.append(bytes) }
            }
          }
          continuation.finish(throwing: refusal.map(ErrorEnvelope.error))
        } catch {
          continuation.finish(throwing: KitError(.offline))
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Sends a call once; an answer that is no success is thrown as its error.
  func exchange<Value: Decodable & Sendable>(
    _ call: Call,
    token: String?,
    as type: Value.Type
  ) async throws -> Reply<Value> {
    let answer: HTTPAnswer
    do {
      answer = try await transport.send(request(call, token: token))
    } catch let error as KitError {
      throw error
    } catch {
      // URLSession ends a cancelled task with an error of its own.
      try Task.checkCancellation()
      throw KitError(.offline)
    }
    guard (200..<300).contains(answer.status) else { throw ErrorEnvelope.error(of: answer) }
    guard let envelope = try? Wire.decode(Envelope<Value>.self, from: answer.body),
      envelope.status == "success"
    else { throw KitError(.offline, reason: "NOT_UNDERSTOOD") }
    return Reply(
      value: envelope.data,
      serverTime: answer.fields["date"].flatMap(Instants.httpDate)
    )
  }

  /// Sends a call that needs no session; one that can be repeated is, after the pause that the server asks for.
  func reply<Value: Decodable & Sendable>(
    _ call: Call,
    token: String? = nil,
    as type: Value.Type
  ) async throws -> Reply<Value> {
    do {
      return try await exchange(call, token: token, as: type)
    } catch let error as KitError where call.isRepeatable && Self.isWorthAPause(error) {
      try await time.wait(until: time.uptime + .seconds(error.retryAfter ?? 0))
      return try await exchange(call, token: token, as: type)
    }
  }

  private static func isWorthAPause(_ error: KitError) -> Bool {
    guard let pause = error.retryAfter, pause <= pauseMax else { return false }
    return error.kind == .offline || error.kind == .tooMany
  }

  /// Sends a call with the session's token.
  func reply<Value: Decodable & Sendable>(
    _ call: Call,
    of keeper: TokenKeeper,
    as type: Value.Type
  ) async throws -> Reply<Value> {
    let first = try await keeper.bearer()
    do {
      let reply = try await reply(call, token: first.token, as: type)
      return try current(reply, first, keeper)
    } catch let error as KitError where Self.tokenReasons.contains(error.reason) {
      try await keeper.renew(after: first)
    }
    let second = try await keeper.bearer()
    guard second.epoch == first.epoch else { throw KitError.signedOut(.signedOut) }
    let reply = try await reply(call, token: second.token, as: type)
    return try current(reply, second, keeper)
  }

  /// The reply, unless its person has signed out in the meantime: nobody sees another one's answer.
  ///
  /// There is no pause between this look and its return to the caller.
  private func current<Value>(
    _ reply: Reply<Value>,
    _ bearer: Bearer,
    _ keeper: TokenKeeper
  ) throws -> Reply<Value> {
    guard keeper.epoch == bearer.epoch else { throw KitError.signedOut(.signedOut) }
    return reply
  }
}
