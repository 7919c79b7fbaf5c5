import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

/// gRPC's interoperability cases by our client and our server, over gRPC, ttrpc and
/// Connect over HTTP/1.1: one test for all wires.
@Suite(.teardown) struct InteropTests {
  @Test(arguments: InteropCase.onWires)
  func case_inSimulation_passes(_ test: InteropCase, _ wire: InteropWire) throws {
    let interop = try SimulatedInterop(wire)
    try interop.run { stage in
      try await test.run(stage)
      await stage.channel.close()
    }
    try interop.simulation.settle()
    let prefaces = interop.firstBytes.map { $0.starts(with: "PRI * HTTP/2.0".utf8) }
    #expect(!prefaces.isEmpty && prefaces.allSatisfy { $0 == (wire == .gRPC) })
    #expect(interop.server.admission.runningCount == 0)
  }

  @Test(arguments: InteropCase.onWires)
  func case_overSockets_passes(_ test: InteropCase, _ wire: InteropWire) async throws {
    let service = InteropService()
    let loops = try EventLoopGroup.epoll(count: 2)
    let server = Server(
      InteropStage.configuration(at: .ipv4([127, 0, 0, 1], port: 0)),
      services: [service.served],
      on: EventLoopGroup([loops.loops[0]])
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      let network = SocketNetwork()
      let stage = InteropStage(service, wire, over: network, at: address, on: loops.loops[1])
      try await test.run(stage)
      await stage.channel.close()
    }
    loops.stop()
  }

  @Test(
    "what is compressed both ways is a fraction of what was sent",
    arguments: InteropWire.allCases
  )
  func largeUnary_compressed_isSmall(_ wire: InteropWire) throws {
    let interop = try SimulatedInterop(wire, compresses: true)
    let response = try interop.run { stage in
      // The first call tells a client that the server can inflate.
      _ = try await stage.client.emptyCall(Grpc_Testing.Empty())
      return try await stage.client.unaryCall(
        Grpc_Testing.SimpleRequest(responseSize: 314159, payload: .zeros(271828)),
        options: CallOptions(compressesRequest: true)
      )
    }
    #expect(response.payload == .zeros(314159))
    #expect(interop.byteCount < 10_000)
  }
}
