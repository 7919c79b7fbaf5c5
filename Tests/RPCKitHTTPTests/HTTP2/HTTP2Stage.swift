import TestingContracts
import RPCKitTesting

@testable import RPCKit
@testable import RPCKitHTTP

/// A server that speaks HTTP/2 on a simulated network, and an exchange for each thing a test needs.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class HTTP2Stage: @unchecked Sendable {
  let simulation: Simulation
  let loop: SimulatedEventLoop
  let network: SimulatedNetwork
  let server: Server
  let service = WaitingService()
  let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")
  let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  private(set) var isServerDone = false

  init(
    faults: FaultPlan = .calm,
    limits: Limits = Limits(),
    _ configure: (inout HTTPConfiguration) -> Void = { _ in }
  ) throws {
    simulation = Simulation(seed: 1)
    loop = simulation.loop("server")
    network = SimulatedNetwork(simulation, faults: faults)
    var http = HTTPConfiguration(router: PathRouter())
    configure(&http)
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.wires = [HTTPServerWire(http)]
    configuration.limits = limits
    server = Server(
      configuration,
      services: [service.definition],
      on: EventLoopGroup([loop]),
      network: network,
      metrics: metrics
    )
    simulation.start { [self] in
      try await server.run()
      isServerDone = true
    }
    try simulation.settle()
  }

  /// A client that has not sent its preface.
  func connect() throws -> HTTP2Client {
    let client = HTTP2Client(WirePeer.connect(to: address, simulation, network), simulation)
    try simulation.settle()
    return client
  }

  /// A client past its preface.
  func open(settings: [(UInt16, UInt32)] = []) throws -> HTTP2Client {
    let client = try connect()
    client.sendPreface(settings: settings)
    try simulation.settle()
    return client
  }

  /// What all connections hold.
  func held(_ sort: HeldSort) -> Int { server.core.held.byteCount(sort) }

  /// How often a limit was reached.
  func reached(_ limit: LimitName) -> UInt64 { UInt64(metrics.limitReached(limit.rawValue).value) }
}

/// Makes the exchange that a path names: `/echo`, `/bytes/<count>`, `/cut`, `/shared`, `/silent`, `/call`.
struct PathRouter: HTTPRouter {
  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange {
    let parts = arrival.head.path.split(separator: "/")
    return switch parts.first {
    case "bytes":
      BytesExchange(arrival)
    case "cut": CutExchange(arrival)
    case "shared": SharedExchange(arrival)
    case "silent": SilentExchange(arrival)
    case "call": CallExchange(arrival)
    default: EchoExchange(arrival)
    }
  }
}

/// Answers with the request: its fields named `x-…` in the head, its content, its trailers.
final class EchoExchange: HTTPExchange {
  override func begin() {
    var fields = HTTPFields()
    for field in head.fields.fields where field.name.hasPrefix("x-") {
      fields.append(field.name, field.value)
    }
    fields.append("x-path", head.path)
    connection.sendHead(HTTPResponseHead(status: 200, fields: fields), of: self, isEnd: false)
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.sendBody(of: self) { $0.append(bytes) }
    connection.consumedBody(bytes.count, of: self)
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    connection.sendEnd(of: self, trailers: trailers)
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    sendHead(HTTPResponseHead(status: error.httpStatus), isEnd: true)
  }
}

/// Answers with as many bytes as the path says, without waiting for the end of the request.
final class BytesExchange: HTTPExchange {
  override func begin() {
    let count = Int(head.path.split(separator: "/").last ?? "") ?? 0
    connection.sendHead(HTTPResponseHead(status: 200), of: self, isEnd: false)
    connection.sendBody(of: self) { $0.append(Array(repeating: 120, count: count).span) }
    connection.sendEnd(of: self, trailers: [:])
  }
}

/// Begins an answer and breaks it off at the end of the request.
final class CutExchange: HTTPExchange {
  override func begin() {
    connection.sendHead(HTTPResponseHead(status: 200), of: self, isEnd: false)
    connection.sendBody(of: self) { $0.append(Array("hel".utf8).span) }
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    connection.breakOff(self)
  }
}

/// Answers with what all such answers share.
final class SharedExchange: HTTPExchange {
  /// The content; each byte tells where it is.
  static let content = HTTPContent((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  override func begin() {
    connection.sendHead(HTTPResponseHead(status: 200), of: self, isEnd: false)
    connection.sendBody(of: self, sharing: Self.content)
    connection.sendEnd(of: self, trailers: [:])
  }
}

/// Takes content without making room for more, and never answers unless it is refused.
final class SilentExchange: HTTPExchange {
  override func receivedBody(_ bytes: Span<UInt8>) {}
  override func receivedEnd(_ trailers: HTTPFields) {}

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    sendHead(HTTPResponseHead(status: error.httpStatus), isEnd: true)
  }
}

/// Makes a call without a message, and answers 200 when it ends.
final class CallExchange: HTTPExchange {
  override func begin() {
    guard case .success(let method) = connection.method(at: "/test.Service/Hold") else { return }
    let begun = connection.beginCall(
      of: method,
      for: self,
      metadata: Metadata(),
      timeout: nil,
      requestByteCount: 0
    )
    guard let begun else { return }
    connection.start(begun, Span(), hasPayload: true)
  }

  override func receivedBody(_ bytes: Span<UInt8>) {}
  override func receivedEnd(_ trailers: HTTPFields) {}

  override func respond(_ append: MessageAppending) {
    connection.sendHead(HTTPResponseHead(status: 200), of: self, isEnd: true)
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    connection.sendHead(HTTPResponseHead(status: 429), of: self, isEnd: true)
  }
}

/// A service whose handlers wait for the test, also when their call is given up.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class WaitingService: @unchecked Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse

  /// Handlers that began.
  private(set) var startedCount = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "test.Service",
      methods: [
        .unary(
          MethodDescriptor(
            service: "test.Service",
            method: "Hold",
            kind: .unary,
            callerClass: .public,
            isIdempotent: false,
            priority: .normal,
            requestType: Request.protobufName,
            responseType: Response.protobufName
          )
        ) { [self] (_: Request, _) in
          startedCount += 1
          await withCheckedContinuation { waiting.append($0) }
          return Response()
        }
      ]
    )
  }

  /// Lets every handler return that waits.
  func release() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
