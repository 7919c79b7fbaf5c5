import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import Reflection
import ServiceKit
import Synchronization
import Testing

@testable import ServiceTesting

/// Three houses, of which one was deleted, and who calls what about them.
struct MatrixStage: Sendable {
  /// How methods are called.
  enum Wire: Sendable {
    case frames
    /// By REST where a method has a path, and by frames otherwise.
    case rest
  }

  let product: Product
  let wire: Wire
  let house: House
  let home: MatrixObjects
  let other: MatrixObjects
  let deleted: MatrixObjects
  /// Has the roles that calls give and take.
  let somebody: Person
  private let otherHouse: House
  private let operatorPerson: Person
  private let visitor: Person
  private let stranger: Person
  private let suspended: Person
  private let counter = Counter()
  private let trials = Counter()

  private final class Counter: Sendable {
    private let value = Atomic(0)
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  static func run(
    over wire: Wire = .frames,
    _ body: (MatrixStage) async throws -> Void
  ) async throws {
    try await Product.run { product in try await body(MatrixStage(product, over: wire)) }
  }

  private init(_ product: Product, over wire: Wire) async throws {
    self.product = product
    self.wire = wire
    operatorPerson = try await product.signUp("operator")
    visitor = try await product.signUp("visitor")
    stranger = try await product.signUp("stranger")
    suspended = try await product.signUp("suspended.owner")
    somebody = try await product.signUp("somebody")
    _ = try await product.associations.grantSuperAdmin(
      .init(userId: operatorPerson.id),
      options: product.options(of: "auth", to: "tenancy")
    )
    house = try await House(product, name: "home")
    _ = try await House.lend(house.door, by: house.tenant, to: visitor, product)
    _ = try await product.portfolios.addAdmin(
      .init(portfolioId: house.portfolio, userId: suspended.id, role: "owner"),
      options: try await product.call(house.owner)
    )
    _ = try await product.subjects.suspend(
      .init(userId: suspended.id),
      options: try await product.call(operatorPerson)
    )
    otherHouse = try await House(product, name: "other")
    let gone = try await House(product, name: "gone")
    _ = try await product.portfolios.delete(
      .init(portfolioId: gone.portfolio, cascade: true, deleteDevices: true),
      options: try await product.call(gone.owner)
    )
    let sessions = try await [product.signIn(house.owner), product.signIn(otherHouse.owner)]
    let ended = try await product.signIn(gone.owner)
    _ = try await product.sessions.revoke(
      .init(sessionId: ended.sessionId),
      options: try await product.call(gone.owner)
    )
    home = MatrixObjects(house, session: sessions[0].sessionId, isHome: true)
    other = MatrixObjects(otherHouse, session: sessions[1].sessionId)
    deleted = MatrixObjects(gone, session: ended.sessionId)
  }

  func person(_ role: MatrixRole) -> Person {
    switch role {
    case .superAdmin: operatorPerson
    case .owner: house.owner
    case .admin: house.admin
    case .manager: house.manager
    case .tenant: house.tenant
    case .guest: house.guest
    case .visitor: visitor
    case .stranger: stranger
    case .suspended: suspended
    }
  }

  /// Somebody who has the same role in the other house; nil for who has none.
  func neighbour(_ role: MatrixRole) -> Person? {
    switch role {
    case .superAdmin, .visitor, .stranger, .suspended: nil
    case .owner: otherHouse.owner
    case .admin: otherHouse.admin
    case .manager: otherHouse.manager
    case .tenant: otherHouse.tenant
    case .guest: otherHouse.guest
    }
  }

  // MARK: - Requests

  /// A request of somebody about some objects, `their` objects for `<their …>`.
  func request(
    _ template: String,
    by caller: Person,
    on objects: MatrixObjects,
    their: MatrixObjects? = nil
  ) async throws -> JSONValue {
    var text = ""
    var rest = template[...]
    while let start = rest.firstIndex(of: "<"), let end = rest.firstIndex(of: ">") {
      text += rest[..<start]
      let name = String(rest[rest.index(after: start)..<end])
      if name.hasPrefix("their "), let their {
        text += try await value(String(name.dropFirst(6)), by: caller, on: their)
      } else {
        text += try await value(name, by: caller, on: objects)
      }
      rest = rest[rest.index(after: end)...]
    }
    return try JSONReader.read(Array((text + rest).utf8), limits: JSONLimits(byteCountMax: 1 << 20))
  }

  private func value(
    _ name: String,
    by caller: Person,
    on objects: MatrixObjects
  ) async throws -> String {
    switch name {
    case "password": return Person.password
    case "address": return somebody.email
    case "new address": return "new.\(counter.next())@example.com"
    case "refresh token": return try await product.signIn(caller).refreshToken
    // One that was never made.
    case "mail token": return String(repeating: "A", count: 43)
    case "soon": return InstantText.text(product.clock.now + 600_000)
    case "today": return String(InstantText.text(product.clock.now).prefix(10))
    case "operator": return operatorPerson.id
    case "me": return caller.id
    case "tenant": return house.tenant.id
    case "neighbour": return otherHouse.tenant.id
    // Whom calls give roles to, and take them from.
    case "user" where objects.isHome: return somebody.id
    case "self" where objects.isHome: return caller.id
    case "self": return try #require(objects.ids["user"])
    case "session" where objects.isHome: return try await product.signIn(caller).sessionId
    case "fresh pass" where objects.isHome:
      return try await House.lend(house.door, by: house.tenant, to: house.guest, product)
    case "fresh pass": return try #require(objects.ids["pass"])
    case "claim code":
      return try await product.devices.provision(
        .init(name: "New", type: "light"),
        options: try await product.call(operatorPerson)
      ).claimCode
    case "fresh device" where objects.isHome:
      let device = try await product.devices.register(
        .init(propertyId: house.property, unitId: house.unit, name: "New", type: "lock"),
        options: try await product.call(house.owner)
      ).id
      for guest in [house.guest, visitor] {
        _ = try await House.lend(device, by: house.tenant, to: guest, product)
      }
      return device
    case "fresh device": return try #require(objects.ids["door"])
    case "transaction": return try transaction()
    case "estate": return try transaction(of: ProductSetup.estate)
    case "fresh trial": return "try-\(trials.next() % ProductSetup.trialCount)"
    case "notification":
      return try NotificationFields.signed(
        "ONE_TIME_CHARGE",
        uuid: "8c1f4a7e-0000-4000-8000-\(100_000_000_000 + counter.next())",
        transaction: try transaction()
      )
    default: return try #require(objects.ids[name], "requests know no <\(name)>")
    }
  }

  /// One that nobody has handed in yet.
  private func transaction(of product: String = TransactionFields.product) throws -> String {
    let id = JSONValue.string("\(3_000_000_000 + counter.next())")
    return try TransactionFields.signed {
      $0["productId"] = .string(product)
      $0["transactionId"] = id
      $0["originalTransactionId"] = id
    }
  }

  // MARK: - Calls

  /// Everything that a caller sees.
  enum Outcome: Hashable {
    case answer(JSONValue)
    case refusal(StatusCode, String, [RPCError.Detail])

    var code: StatusCode? {
      if case .refusal(let code, _, _) = self { code } else { nil }
    }

    /// The answer's text, which is empty for refusals.
    var text: String {
      if case .answer(let json) = self { json.text } else { "" }
    }

    /// The reason code of a refusal.
    var reason: String? {
      guard case .refusal(_, _, let details) = self else { return nil }
      let info = details.first { $0.typeURL.hasSuffix("google.rpc.ErrorInfo") }
      return info.flatMap {
        try? Google_Rpc.ErrorInfo(protobuf: $0.value.span, limits: MessageLimits()).reason
      }
    }
  }

  static func schema(_ method: String) throws -> MethodSchema {
    try #require(SchemaRegistry.gatehouse.method(method), "there is no method \(method)")
  }

  /// Calls a method with a request in JSON.
  ///
  /// Streams go by frames always: a watch ends with its client, and `HTTPClient` reads to the end.
  func call(_ method: String, _ request: JSONValue, _ options: CallOptions) async throws -> Outcome
  {
    let schema = try Self.schema(method)
    if wire == .rest, !schema.isServerStreaming, let path = try RESTPaths.described.get()[method],
      let (target, body) = path.target(of: request)
    {
      return try await callByREST(schema, by: path.method, at: target, body, options).outcome
    }
    return try await callByFrames(schema, request, options)
  }

  /// Calls a method over frames.
  func callByFrames(
    _ schema: MethodSchema,
    _ request: JSONValue,
    _ options: CallOptions
  ) async throws -> Outcome {
    let json = MessageJSON(.gatehouse)
    let message = RawMessage(bytes: try json.encode(request, as: schema.requestType))
    let service = try #require(schema.service.split(separator: ".").first)
    let channel = product.channel(to: String(service))
    do {
      let answer = try await Self.answer(channel, schema, message, options)
      return .answer(try json.decode(answer.bytes, as: schema.responseType))
    } catch let error as RPCError {
      return .refusal(error.code, error.message, Self.comparable(error.details, options))
    }
  }

  /// The answer; the first one of a stream.
  static func answer(
    _ channel: Channel,
    _ schema: MethodSchema,
    _ message: RawMessage,
    _ options: CallOptions
  ) async throws -> RawMessage {
    let method = MethodDescriptor(
      service: schema.service,
      method: schema.name,
      kind: schema.isClientStreaming
        ? .bidirectional : schema.isServerStreaming ? .serverStreaming : .unary,
      callerClass: try schema.callerClass,
      requestType: schema.requestType,
      responseType: schema.responseType
    )
    guard !schema.isClientStreaming else {
      return try await channel.bidirectional(method, options: options) {
        (writer: RequestWriter<RawMessage>, answers: ResponseStream<RawMessage>) in
        try await writer.write(message)
        try await writer.finish()
        for try await answer in answers { return answer }
        throw RPCError(.internal, "a stream that ended without a message")
      }
    }
    guard schema.isServerStreaming else {
      return try await channel.unary(method, message, options: options)
    }
    let answers: ResponseStream<RawMessage> = channel.serverStreaming(
      method,
      message,
      options: options
    )
    for try await answer in answers { return answer }
    throw RPCError(.internal, "a stream that ended without a message")
  }

  /// Calls a method as a row says, about some objects.
  func outcome(
    _ row: MatrixRow,
    by caller: Person,
    on objects: MatrixObjects
  ) async throws -> Outcome {
    let request = try await request(row.request, by: caller, on: objects)
    let outcome = try await call(row.method, request, try await product.call(caller))
    if row.endsSession, outcome.code == nil { product.purse[caller] = nil }
    return outcome
  }

  /// What is the same for objects of which the caller must not know: identifiers do not count.
  func outcome(
    _ row: MatrixRow,
    by caller: Person,
    onForeign objects: MatrixObjects
  ) async throws -> Outcome {
    try await outcome(row, by: caller, on: objects).nameless(objects)
  }
}

extension MatrixStage.Outcome {
  func nameless(_ objects: MatrixObjects) -> Self {
    guard case .answer(let json) = self else { return self }
    return .answer(.string(objects.nameless(json.text)))
  }
}

extension MethodSchema {
  var path: String { "\(service.split(separator: ".").last ?? "")/\(name)" }

  var callerClass: MethodDescriptor.CallerClass {
    get throws { try #require(MethodDescriptor.CallerClass(rawValue: caller)) }
  }

  /// Whether requests have a field of this name.
  func takes(_ field: String) throws -> Bool {
    try SchemaRegistry.gatehouse.message(requestType).fields.contains { $0.name == field }
  }
}
