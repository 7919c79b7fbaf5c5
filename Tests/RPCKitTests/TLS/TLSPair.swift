@testable import RPCKit

/// A client and a server that speak TLS to each other in memory.
final class TLSPair {
  let loop = ManualLoop()
  let link: MemoryLink
  let client: TLSTransport
  let server: TLSTransport
  let clientSide = RecordingReceiver()
  let serverSide = RecordingReceiver()

  init(client: TLSContext, server: TLSContext, expectedHost: String = "server.test") throws {
    link = MemoryLink(loop: loop)
    self.client = try TLSTransport(over: link.left, context: client, expectedHost: expectedHost)
    self.server = try TLSTransport(over: link.right, context: server)
    clientSide.transport = self.client
    serverSide.transport = self.server
    self.client.start(clientSide)
    self.server.start(serverSide)
  }

  convenience init(
    client: TLSConfiguration,
    server: TLSConfiguration,
    clientPolicy: TLSPolicy = .modern,
    serverPolicy: TLSPolicy = .modern,
    expectedHost: String = "server.test"
  ) throws {
    try self.init(
      client: TLSContext(client, policy: clientPolicy),
      server: TLSContext(server, policy: serverPolicy),
      expectedHost: expectedHost
    )
  }

  deinit {
    link.abandon()
    loop.abandon()
  }

  /// Connects both ends and lets everything happen that can.
  func connect() {
    link.left.connect()
    link.right.connect()
    run()
  }

  /// Moves bytes until nothing moves any more.
  func run() {
    while true {
      let hasMoved = link.step()
      let hasTurned = loop.endTurn()
      if !hasMoved, !hasTurned { return }
    }
  }
}
