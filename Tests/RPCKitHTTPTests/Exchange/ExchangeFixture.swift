import TestingContracts
import RPCKit
import RPCKitTesting
import Reflection

@testable import RPCKitHTTP

/// A server whose requests are made by hand and whose answers are kept, without a protocol below.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class ExchangeFixture: @unchecked Sendable {
  let simulation = Simulation(seed: 1)
  let loop: SimulatedEventLoop
  let service = EchoService()
  let health = HealthService()
  let server: Server
  let connection: RecordingConnection
  /// Every exchange that was begun.
  private(set) var made: [UInt32: HTTPExchange] = [:]
  private let router: CallRouter
  private let peer: WirePeer
  private var lastID: UInt32 = 0

  init(
    limits: Limits = Limits(),
    compresses: Bool = false,
    configure: (inout CallRouter) -> Void = { _ in }
  ) throws {
    var router = CallRouter()
    router.transcoder = try ReflectedTranscoder(
      SchemaRegistry([Benchmark_V1.benchmarkV1PermissionFile])
    )
    configure(&router)
    self.router = router
    loop = simulation.loop("server")
    let network = SimulatedNetwork(simulation)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 80)
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.limits = limits
    configuration.compressesResponses = compresses
    configuration.refusalDetails = { _ in [RPCError.Detail(typeURL: "x/test.Refused", value: [7])] }
    let wire = RecordingWire(HTTPConfiguration(router: router))
    configuration.wires = [wire]
    let services = [service.definition, health.definition]
    let reflection = try ServerReflection(services: services)
    server = Server(
      configuration,
      services: services + reflection.definitions,
      on: EventLoopGroup([loop]),
      network: network
    )
    simulation.start { [server] in try await server.run() }
    try simulation.settle()
    peer = WirePeer.connect(to: address, simulation, network)
    peer.send([0])
    try simulation.settle()
    connection = wire.connections[0]
  }

  /// Lets go of the exchanges, so that the connection alone has them.
  func forgetExchanges() { made = [:] }

  /// What all requests hold.
  var heldByteCount: Int { made.values.reduce(0) { $0 + $1.heldByteCount } }

  /// Begins a request.
  ///
  /// With an error it is one that the connection refuses at its head.
  func open(_ head: HTTPRequestHead, refusing error: RPCError? = nil) throws -> OpenRequest {
    lastID += 1
    let id = lastID
    loop.execute { [self] in
      let exchange = router.makeExchange(
        HTTPArrival(head: head, id: id, received: loop.now, connection: connection)
      )
      _ = connection.answer(of: exchange)
      made[id] = exchange
      if let error {
        connection.open(exchange, refusing: error)
      } else {
        connection.open(exchange)
      }
    }
    try simulation.settle()
    return OpenRequest(id: id, fixture: self)
  }

  /// Makes a whole request, its content cut into pieces of `pieceByteCount` bytes.
  func answer(
    _ head: HTTPRequestHead,
    _ content: [UInt8] = [],
    pieceByteCount: Int = .max
  ) throws -> RecordedAnswer {
    let request = try open(head)
    var rest = content[...]
    while !rest.isEmpty {
      try request.send(Array(rest.prefix(pieceByteCount)))
      rest = rest.dropFirst(pieceByteCount)
    }
    try request.end()
    return request.answer
  }
}

/// A request whose content the test sends.
struct OpenRequest {
  let id: UInt32
  let fixture: ExchangeFixture

  var answer: RecordedAnswer { fixture.connection.answers[id] ?? RecordedAnswer() }

  /// Sends content, unless the answer is over; nothing arrives at an exchange then.
  func send(_ content: [UInt8]) throws {
    try with { $0.receivedBody(content.span) }
  }

  func end() throws {
    try with { $0.receivedEnd([:]) }
  }

  /// The client gives the request up.
  func abandon() throws {
    try with { [connection = fixture.connection] in connection.close($0, isAbandoned: true) }
  }

  private func with(_ body: @escaping @Sendable (HTTPExchange) -> Void) throws {
    fixture.loop.execute { [fixture, id] in
      if let exchange = fixture.connection.exchanges[id] { body(exchange) }
    }
    try fixture.simulation.settle()
  }
}

extension HTTPRequestHead {
  /// A POST to a method of the service.
  static func call(
    _ method: String,
    query: String? = nil,
    _ fields: HTTPFields,
    verb: String = "POST",
    version: Version = .http2
  ) -> HTTPRequestHead {
    HTTPRequestHead(
      method: verb,
      path: "/\(EchoService.name)/\(method)",
      query: query,
      fields: fields,
      version: version
    )
  }
}

/// A message as gRPC, gRPC-Web and Connect put it into content.
func envelope(_ message: [UInt8], flags: UInt8 = 0) -> [UInt8] {
  let length = UInt32(message.count)
  return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + message
}

/// An encoded request.
func request(_ subject: String, _ context: String = "") -> [UInt8] {
  Benchmark_V1.CheckRequest(subject: subject, context: context).protobufBytes
}

/// An encoded response.
func response(_ reason: String) -> [UInt8] {
  Benchmark_V1.CheckResponse(reason: reason).protobufBytes
}
