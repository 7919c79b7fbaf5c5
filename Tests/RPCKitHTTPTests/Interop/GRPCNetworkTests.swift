import TestingContracts
import RPCKit
import Testing

@testable import RPCKitTesting

/// The network whose clients speak gRPC, where the interoperability cases do not look.
@Suite(.teardown) struct GRPCNetworkTests {
  @Test(
    "A server waits for a client that does not read, and loses nothing",
    arguments: InteropWire.bothWays
  )
  func slowReader_holdsTheServerBack(_ wire: InteropWire) throws {
    let interop = try SimulatedInterop(wire, window: 2000)
    let count = 100
    try interop.run { stage in
      let request = Grpc_Testing.StreamingOutputCallRequest(
        responseParameters: Array(repeating: .init(size: 10_000), count: count)
      )
      var taken = 0
      for try await response in stage.client.streamingOutputCall(request) {
        #expect(response.payload == .zeros(10_000))
        taken += 1
        guard taken == 1 else { continue }
        await stage.loop.sleep(.seconds(1))
        // Windows and buffers of both ends hold some of them, and not all.
        #expect(stage.service.sentCount < count / 2)
      }
      #expect(taken == count)
    }
  }

  @Test("A client waits for a server that does not read", arguments: InteropWire.bothWays)
  func slowServer_holdsTheClientBack(_ wire: InteropWire) throws {
    let interop = try SimulatedInterop(wire)
    try interop.run { stage in
      try await stage.client.fullDuplexCall { writer, responses in
        // The handler takes nothing more while it waits a minute to answer the first.
        try await writer.write(
          .init(responseParameters: [.init(size: 1, intervalUs: 60_000_000)])
        )
        let start = stage.loop.now
        for _ in 0..<20 { try await writer.write(.init(payload: .zeros(20_000))) }
        #expect(start.duration(to: stage.loop.now) > .seconds(30))
        try await writer.finish()
        for try await _ in responses {}
      }
      #expect(stage.service.takenCount == 21)
    }
  }

  @Test("A client without our extensions is served as well")
  func plainClient_isServed() throws {
    let interop = try SimulatedInterop(.gRPC)
    let calls = RawCalls(interop)
    try interop.simulation.settle()
    #expect(calls.codes == [0: .ok, 1: .unimplemented])
  }

  @Test("What is no HTTP/2 ends the connection")
  func otherProtocol_endsTheConnection() throws {
    let simulation = Simulation(seed: 1)
    let network = SimulatedNetwork(simulation)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    let listener = try WirePeer.listen(at: address, simulation, network) { peer in
      peer.send(Array("220 mail.example ESMTP\r\n".utf8))
    }
    let loop = simulation.loop("client")
    let code = try simulation.run(on: loop) {
      let stage = InteropStage(InteropService(), .gRPC, over: network, at: address, on: loop)
      defer { listener.close() }
      do {
        _ = try await stage.client.emptyCall(.init(), timeout: .seconds(5))
        return StatusCode.ok
      } catch {
        return (error as? RPCError)?.code ?? .unknown
      }
    }
    #expect(code == .unavailable)
  }

  @Test(
    "Timeouts are sent in the finest unit that eight digits allow, and never too short",
    arguments: [
      (1, "1n"), (99_999_999, "99999999n"), (100_000_000, "100000u"), (100_000_001, "100001u"),
      (99_999_999_001, "100000m"), (200_000_000_000_000, "200000S"),
      (.max, "2562048H"),
    ] as [(Int64, String)]
  )
  func timeout_isRoundedUp(_ nanoseconds: Int64, _ text: String) {
    #expect(GRPCRequest.timeout(nanoseconds: UInt64(nanoseconds)) == text)
  }

  @Test(
    "An answer without a status of gRPC has the one of its HTTP status",
    arguments: [
      (400, .internal), (401, .unauthenticated), (403, .permissionDenied), (404, .unimplemented),
      (429, .unavailable), (503, .unavailable), (200, .unknown), (500, .unknown),
    ] as [(Int, StatusCode)]
  )
  func httpStatus_isTranslated(_ status: Int, _ code: StatusCode) {
    let error = #expect(throws: TranslatedStatus.self) {
      try TranslatedStatus(
        httpStatus: status,
        contentType: "text/html",
        value: nil,
        message: nil,
        details: nil
      )
    }
    #expect(error?.code == code)
  }

  @Test(
    "A reset stream has the status of its code, and one that was refused may be sent again",
    arguments: [
      (0, .internal), (2, .internal), (7, .unavailable), (8, .cancelled), (0xB, .resourceExhausted),
      (0xC, .permissionDenied), (0xFF, .internal),
    ] as [(UInt32, StatusCode)]
  )
  func reset_isTranslated(_ reset: UInt32, _ code: StatusCode) {
    let status = TranslatedStatus.reset(reset)
    #expect(status.code == code)
    #expect(status.isNotProcessed == (reset == 7))
  }
}

/// Calls by a caller that keeps to plain ttrpc.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
private final class RawCalls: RawCallerDelegate, @unchecked Sendable {
  private(set) var codes: [UInt64: StatusCode] = [:]
  private let caller: RawCaller

  init(_ interop: SimulatedInterop) {
    let loop = interop.stage.loop
    caller = RawCaller(
      interop.gRPCNetwork.connect(to: interop.address, on: loop),
      sendsHello: false
    )
    loop.execute { [self] in caller.start(self) }
  }

  func rawConnectionReady() {
    for (token, method) in ["EmptyCall", "UnimplementedCall"].enumerated() {
      let isSent = caller.send(
        service: "grpc.testing.TestService",
        method: method,
        payload: Span(),
        token: UInt64(token)
      )
      #expect(isSent)
    }
  }

  func rawCallEnded(
    _ token: UInt64,
    _ code: StatusCode,
    _ answer: Span<UInt8>,
    isNotProcessed: Bool
  ) {
    #expect(codes[token] == nil)
    codes[token] = code
    if codes.count == 2 { caller.close() }
  }

  func rawConnectionClosed(_ error: TransportError?) {}
}
