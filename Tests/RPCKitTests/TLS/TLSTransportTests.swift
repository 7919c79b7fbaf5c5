import Testing

@testable import RPCKit

@Suite("A TLS transport")
struct TLSTransportTests {
  private let certificates: TestCertificates

  init() throws {
    certificates = try TestCertificates.shared.get()
  }

  private func makePair() throws -> TLSPair {
    try TLSPair(
      client: certificates.clientConfiguration(identity: certificates.clientIdentity),
      server: certificates.serverConfiguration(
        clients: .required(roots: certificates.root.root)
      )
    )
  }

  @Test("Both sides learn who the other is and which protocol they agreed on")
  func handshake_mutual_provesBothPeers() throws {
    let pair = try makePair()
    pair.connect()
    #expect(pair.clientSide.connectedCount == 1)
    #expect(pair.serverSide.connectedCount == 1)
    #expect(pair.client.peer.address == "left")
    #expect(pair.client.peer.certificate?.dnsNames == ["server.test"])
    #expect(pair.client.peer.certificate?.fingerprint.count == 32)
    #expect(pair.server.peer.certificate?.dnsNames == ["client.test"])
    #expect(pair.server.peer.certificate?.uris == ["spiffe://test/client"])
    #expect(pair.server.peer.certificate?.fingerprint != pair.client.peer.certificate?.fingerprint)
    #expect(pair.client.peer.applicationProtocol == "rpckit/1")
    #expect(pair.server.peer.applicationProtocol == "rpckit/1")
    #expect(pair.loop.timerCount == 0)
  }

  @Test("Data goes both ways however the stream is cut", arguments: [1, 2, 3, 7, 100, 16_384])
  func data_anyChunkSize_arrivesUnchanged(chunkByteCount: Int) throws {
    let pair = try makePair()
    pair.link.chunkByteCount = chunkByteCount
    pair.connect()
    pair.clientSide.send(Array("request".utf8))
    pair.run()
    pair.serverSide.send(Array("response".utf8))
    pair.clientSide.send([UInt8](repeating: 9, count: 20_000))
    pair.run()
    #expect(
      pair.serverSide.received == Array("request".utf8) + [UInt8](repeating: 9, count: 20_000)
    )
    #expect(pair.clientSide.received == Array("response".utf8))
    #expect(!pair.clientSide.isClosed)
  }

  @Test("4 MiB each way at once arrive unchanged, and the queue of ciphertext stays bounded")
  func data_largePayload_arrivesWithBoundedQueue() throws {
    let pair = try makePair()
    pair.connect()
    var random = SeededBytes(seed: 21)
    let request = random.bytes(4 << 20)
    let response = random.bytes(4 << 20)
    pair.clientSide.send(request)
    pair.serverSide.send(response)
    // What was not taken waits with the receiver: the transport holds its limit and one record.
    let held = TLSTransport.outboundByteCountMax + pair.link.left.capacity + 32 * 1024
    #expect(pair.clientSide.output.byteCount >= request.count - held)
    pair.run()
    #expect(pair.serverSide.received == request)
    #expect(pair.clientSide.received == response)
    #expect(pair.clientSide.writableCount > 1)
  }

  @Test("What is written during the handshake is left, and asked for after it")
  func write_duringHandshake_isAskedForLater() throws {
    let pair = try makePair()
    pair.clientSide.send([1, 2, 3])
    #expect(pair.clientSide.output.byteCount == 3)
    pair.connect()
    #expect(pair.clientSide.writableCount == 1)
    #expect(pair.serverSide.received == [1, 2, 3])
  }

  @Test("One side can end its output and go on reading")
  func closeOutput_oneSide_isHalfClose() throws {
    let pair = try makePair()
    pair.connect()
    pair.clientSide.send([1])
    pair.client.closeOutput()
    pair.run()
    #expect(pair.serverSide.received == [1])
    #expect(pair.serverSide.endCount == 1)
    #expect(!pair.serverSide.isClosed)
    pair.serverSide.send([2, 3])
    pair.run()
    #expect(pair.clientSide.received == [2, 3])
    pair.server.closeOutput()
    pair.run()
    #expect(pair.clientSide.endCount == 1)
    #expect(pair.clientSide.closings == [nil])
    #expect(pair.serverSide.closings == [nil])
  }

  @Test("Data behind a backlog is sent before the end of output")
  func closeOutput_withBacklog_sendsItFirst() throws {
    let pair = try makePair()
    pair.connect()
    pair.link.left.capacity = 1000
    pair.clientSide.send([UInt8](repeating: 6, count: 50_000))
    #expect(pair.clientSide.output.byteCount == 0)
    pair.client.closeOutput()
    pair.run()
    #expect(pair.serverSide.received.count == 50_000)
    #expect(pair.serverSide.endCount == 1)
  }

  @Test("An end of output asked for during the handshake follows it")
  func closeOutput_duringHandshake_followsIt() throws {
    let pair = try makePair()
    pair.client.closeOutput()
    pair.connect()
    #expect(pair.serverSide.connectedCount == 1)
    #expect(pair.serverSide.endCount == 1)
  }

  @Test("Closing tells the other side that nothing was cut off")
  func close_open_isAuthenticatedEnd() throws {
    let pair = try makePair()
    pair.connect()
    pair.serverSide.send([1, 2])
    pair.server.close()
    #expect(!pair.serverSide.isClosed)
    pair.run()
    #expect(pair.serverSide.closings == [nil])
    #expect(pair.clientSide.received == [1, 2])
    #expect(pair.clientSide.endCount == 1)
  }

  @Test("An end of stream without close_notify is a lost connection")
  func truncation_endWithoutCloseNotify_isConnectionLost() throws {
    let pair = try makePair()
    pair.connect()
    pair.clientSide.send([1])
    pair.link.left.closeOutput()
    pair.run()
    #expect(pair.serverSide.received == [1])
    #expect(pair.serverSide.endCount == 0)
    #expect(pair.serverSide.closings.count == 1)
    #expect(pair.serverSide.error?.reason == .connectionLost)
    #expect(pair.serverSide.error?.description.contains("close_notify") == true)
  }

  @Test("A connection that breaks reports what the inner transport said")
  func breakDown_open_passesTheErrorOn() throws {
    let pair = try makePair()
    pair.connect()
    let error = TransportError(.connectionLost, "reset")
    pair.link.left.breakDown(error)
    pair.run()
    #expect(pair.clientSide.closings == [error])
  }

  @Test("A peer that ends in the middle of the handshake is reported", arguments: [0, 1, 100])
  func truncation_duringHandshake_isConnectFailed(byteCount: Int) throws {
    let pair = try makePair()
    pair.link.right.connect()
    let hello: [UInt8] = [0x16, 3, 1, 0x10, 0] + [UInt8](repeating: 1, count: 200)
    var bytes = ByteBuffer()
    bytes.append(hello.span.extracting(first: byteCount))
    pair.link.left.write(from: &bytes)
    pair.link.left.closeOutput()
    pair.run()
    #expect(pair.serverSide.connectedCount == 0)
    #expect(pair.serverSide.error?.reason == .connectFailed)
  }

  @Test("A changed byte of ciphertext ends the connection")
  func corruption_oneBit_isRefused() throws {
    let pair = try makePair()
    pair.connect()
    pair.clientSide.send([UInt8](repeating: 1, count: 100))
    pair.link.onBytes = { [link = pair.link] bytes in
      link.onBytes = nil
      var changed = bytes
      changed[changed.count - 1] ^= 1
      return changed
    }
    pair.run()
    #expect(pair.serverSide.received == [])
    #expect(pair.serverSide.error?.reason == .tlsFailed)
    #expect(pair.serverSide.error?.description.contains("bad record mac") == true)
    #expect(pair.clientSide.error?.description.contains("alert bad record mac") == true)
  }

  @Test("A stream damaged anywhere delivers the right bytes or none", arguments: [1, 2, 3, 4])
  func corruption_anywhere_neverDeliversWrongBytes(seed: UInt64) throws {
    var random = SeededBytes(seed: seed)
    for round in 0..<60 {
      let pair = try makePair()
      pair.link.chunkByteCount = 1 + Int(random.next() % 3000)
      var countdown = Int(random.next() % 6000)
      let damage = UInt8(1 + random.next() % 255)
      pair.link.onBytes = { bytes in
        defer { countdown -= bytes.count }
        guard bytes.indices.contains(countdown) else { return bytes }
        var changed = bytes
        changed[countdown] ^= damage
        return changed
      }
      pair.connect()
      let message = random.bytes(500)
      pair.clientSide.send(message)
      pair.run()
      let received = pair.serverSide.received
      #expect(received == message || received.isEmpty, "seed \(seed), round \(round)")
      // A damaged handshake can leave both sides waiting; then the timer ends it.
      pair.loop.advance(by: .seconds(11))
      pair.run()
      if pair.serverSide.connectedCount == 0 {
        #expect(pair.serverSide.error != nil, "seed \(seed), round \(round)")
      }
    }
  }

  @Test(
    "Garbage instead of a hello is refused",
    arguments: ["GET / HTTP/1.1\r\n\r\n", "\0\0\0\u{1}"]
  )
  func garbage_insteadOfHello_isRefused(text: String) throws {
    let pair = try makePair()
    pair.link.right.connect()
    var bytes = ByteBuffer()
    bytes.append((Array(text.utf8) + [UInt8](repeating: 0, count: 64)).span)
    pair.link.left.write(from: &bytes)
    pair.run()
    #expect(pair.serverSide.error?.reason == .tlsFailed)
    #expect(pair.serverSide.error?.description.contains("no reason given") == false)
  }

  @Test("A peer that does not finish the handshake in time is dropped")
  func handshake_silentPeer_timesOut() throws {
    let pair = try makePair()
    pair.link.right.connect()
    pair.loop.advance(by: .seconds(9.9))
    pair.run()
    #expect(!pair.serverSide.isClosed)
    pair.loop.advance(by: .seconds(0.2))
    pair.run()
    #expect(pair.serverSide.error?.reason == .handshakeTimedOut)
    #expect(pair.serverSide.connectedCount == 0)
  }

  @Test("While reading is off nothing is delivered, and nothing is lost")
  func setReading_off_holdsDataBack() throws {
    let pair = try makePair()
    pair.connect()
    // The receiver pauses at the first record of several that arrive together.
    pair.serverSide.onReceived = { [weak server = pair.server] in server?.setReading(false) }
    pair.clientSide.send([UInt8](repeating: 3, count: 40_000))
    pair.run()
    #expect(pair.serverSide.received.count == 16_384)
    pair.server.setReading(true)
    #expect(pair.serverSide.received.count == 16_384)
    pair.run()
    #expect(pair.serverSide.received.count == 32_768)
    pair.serverSide.onReceived = nil
    pair.server.setReading(true)
    pair.run()
    #expect(pair.serverSide.received.count == 40_000)
  }

  @Test("Closing from inside a delivery stops it there")
  func close_insideDelivery_deliversNoMore() throws {
    let pair = try makePair()
    pair.connect()
    pair.serverSide.onReceived = { [weak server = pair.server] in server?.close() }
    pair.clientSide.send([UInt8](repeating: 3, count: 40_000))
    pair.run()
    #expect(pair.serverSide.received.count == 16_384)
    #expect(pair.serverSide.closings == [nil])
  }
}
