import TestingContracts
import RPCKitTesting
import Reflection
import StrictJSON

@testable import RPCKit
@testable import RPCKitHTTP

/// A server with a library behind its REST routes, and a connection that takes requests as values and keeps what
/// is answered: what a wire makes of bytes is tested elsewhere.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class RESTStage: @unchecked Sendable {
  /// What a client got.
  struct Answer {
    var status = 0
    var fields: HTTPFields = [:]
    var text = ""
    /// The end of the answer was sent.
    var isComplete = false
    /// The answer was broken off.
    var isBrokenOff = false

    /// The content.
    var json: JSONValue? {
      try? JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 8 << 20))
    }

    /// A member of the content, at a path of names.
    subscript(_ names: String...) -> JSONValue? {
      var value = json
      for name in names { value = value?.object?[name] }
      return value
    }

    /// The content's `details.fieldViolations[0].field`.
    var field: String? {
      self["details", "fieldViolations"]?.array?.first?.object?["field"]?.string
    }
  }

  static let registry: SchemaRegistry = {
    do {
      return try SchemaRegistry([
        Testing_V1.testingV1LibraryFile, Google_Protobuf.googleProtobufDurationFile,
        Google_Protobuf.googleProtobufFieldMaskFile, Google_Protobuf.googleProtobufTimestampFile,
      ])
    } catch {
      preconditionFailure("the generated descriptors cannot be read: \(error)")
    }
  }()

  let library = Library()
  private let simulation = Simulation(seed: 1)
  private let loop: SimulatedEventLoop
  private let wire = ValueWire()
  private let routes: RESTRoutes
  private let peer: WirePeer
  private var lastID: UInt32 = 0

  init(ignoredKeys: Set<String> = []) throws {
    loop = simulation.loop("server")
    let network = SimulatedNetwork(simulation)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.wires = [wire]
    routes = RESTRoutes([library.definition], registry: Self.registry, ignoredKeys: ignoredKeys)
    let server = Server(
      configuration,
      services: [library.definition],
      on: EventLoopGroup([loop]),
      network: network,
      metrics: RPCMetrics(registry: MetricRegistry(), version: "test")
    )
    simulation.start { try await server.run() }
    try simulation.settle()
    peer = WirePeer.connect(to: address, simulation, network)
    try simulation.settle()
    peer.send([UInt8(ascii: "G")])
    try simulation.settle()
  }

  /// Begins a request; nil when it is for none of the routes.
  func begin(
    _ method: String,
    _ target: String,
    _ fields: HTTPFields = [:],
    body: [UInt8] = []
  ) throws -> UInt32? {
    guard let connection = wire.connection else { throw CancellationError() }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let head = HTTPRequestHead(
      method: method,
      path: String(parts[0]),
      query: parts.count == 2 ? String(parts[1]) : nil,
      fields: fields,
      version: .http2
    )
    lastID += 1
    let id = lastID
    let isRouted = simulation.on(loop) {
      let exchange = routes.makeExchange(
        HTTPArrival(head: head, id: id, received: loop.now, connection: connection)
      )
      guard let exchange else { return false }
      connection.open(exchange)
      // In pieces, as they come.
      for start in stride(from: 0, to: body.count, by: 1000) {
        exchange.receivedBody(body[start..<min(body.count, start + 1000)].span)
      }
      exchange.receivedEnd([:])
      return true
    }
    try simulation.settle()
    return isRouted ? id : nil
  }

  /// Lets time pass.
  func pass(_ duration: Duration) throws { try simulation.run(for: duration) }

  /// What was answered to a request until now.
  func answer(to id: UInt32) -> Answer { wire.connection?.answers[id] ?? Answer() }

  /// Sends a request with its body and lets everything happen; nil when it is for none of the routes.
  func send(
    _ method: String,
    _ target: String,
    _ fields: HTTPFields = [:],
    body: String = ""
  ) throws -> Answer? {
    try send(method, target, fields, bytes: Array(body.utf8))
  }

  /// The same with a body that is no text.
  func send(
    _ method: String,
    _ target: String,
    _ fields: HTTPFields,
    bytes: [UInt8]
  ) throws -> Answer? {
    try begin(method, target, fields, body: bytes).map(answer)
  }

  /// The same with JSON for its body.
  func send(_ method: String, _ target: String, json body: String) throws -> Answer? {
    try send(method, target, ["content-type": "application/json"], body: body)
  }
}

/// Takes every connection.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
private final class ValueWire: ServerWire, @unchecked Sendable {
  private(set) var connection: ValueConnection?

  init() {
    // The connection holds its server, and that this wire.
    Teardown.add { [self] in connection = nil }
  }

  var applicationProtocols: [String] { [] }

  func recognition(of first: Span<UInt8>) -> WireRecognition { .recognized }

  func makeConnection(
    over transport: any Transport,
    _ first: Span<UInt8>,
    core: ServerCore,
    resources: LoopResources
  ) -> any ServedConnection {
    let connection = ValueConnection(
      transport,
      core: core,
      resources: resources,
      configuration: HTTPConfiguration(router: NoRouter())
    )
    self.connection = connection
    return connection
  }
}

private struct NoRouter: HTTPRouter {
  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange {
    HTTPExchange(arrival)
  }
}

/// Keeps answers instead of making bytes of them.
private final class ValueConnection: HTTPConnection, @unchecked Sendable {
  private(set) var answers: [UInt32: RESTStage.Answer] = [:]

  override func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {
    answers[exchange.id, default: .init()].status = head.status
    answers[exchange.id]?.fields = head.allFields
    if isEnd { sendEnd(of: exchange, trailers: [:]) }
  }

  override func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    write(&buffer)
    answers[exchange.id]?.text += buffer.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }

  override func breakOff(_ exchange: HTTPExchange) {
    answers[exchange.id]?.isBrokenOff = true
    close(exchange, isAbandoned: true)
  }

  override func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {
    answers[exchange.id]?.isComplete = true
    close(exchange, isAbandoned: false)
  }
}
