import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// Peers that mean harm, or are broken, on real sockets; beside each a good client continues calling.
@Suite("Hostile peers over sockets", .serialized, .timeLimit(.minutes(2)))
struct HostilePeerTests {
  /// For long runs: `RPCKIT_HOSTILE_SCALE=10`.
  private static let scale =
    ProcessInfo.processInfo.environment["RPCKIT_HOSTILE_SCALE"].flatMap { Int($0) } ?? 1

  /// Lets a good client call while `body` runs; none of its calls may fail.
  private static func beside(
    _ name: String,
    _ test: EndToEnd,
    _ body: () async throws -> Void
  ) async throws {
    let (isOver, failures) = (Tally(), Log())
    let client = test.rich
    _ = try await client.echo(Rich())
    async let latencies = { () -> [Duration] in
      var latencies: [Duration] = []
      repeat {
        let start = ContinuousClock.now
        do { _ = try await client.echo(Rich(number: 1), timeout: .seconds(20)) } catch {
          failures.note("\(error)")
        }
        latencies.append(ContinuousClock.now - start)
      } while isOver.value == 0
      return latencies
    }()
    do {
      try await body()
      isOver.add()
    } catch {
      isOver.add()
      throw error
    }
    let sorted = await latencies.sorted()
    #expect(failures.lines.isEmpty, "\(failures.lines.prefix(3))")
    print("\(name): good client made \(sorted.count) calls, p99 \(sorted[sorted.count * 99 / 100])")
  }

  static func request(_ message: Rich, flags: FrameFlags = [], id: UInt32 = 1) -> [UInt8] {
    var payload = ByteBuffer()
    message.append(to: &payload) { _, _ in }
    return request(payload.withBytes { [UInt8]($0) }, flags: flags, id: id)
  }

  private static func request(_ payload: [UInt8], flags: FrameFlags, id: UInt32) -> [UInt8] {
    var frame = ByteBuffer()
    RequestEnvelope.appendFrame(
      to: &frame,
      streamID: StreamID(rawValue: id),
      flags: flags,
      service: "testing.v1.RichService",
      method: "Echo",
      timeoutNanoseconds: 0,
      metadata: [:],
      payloadByteCount: payload.count
    )
    frame.append(payload.span)
    return frame.withBytes { [UInt8]($0) }
  }

  static var hello: [UInt8] {
    var frame = ByteBuffer()
    var settings = ConnectionSettings()
    settings.features = [.deflate]
    settings.appendFrame(to: &frame)
    return frame.withBytes { [UInt8]($0) }
  }

  /// Bytes that this process holds in memory: `VmRSS` of proc(5).
  private static var residentByteCount: Int {
    let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("VmRSS:") {
      return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
    return 0
  }

  @Test("500 connections that never complete a frame are closed in time")
  func slowLoris_fiveHundred_areClosed() async throws {
    try await EndToEnd.run(server: { $0.limits.frameTimeout = .milliseconds(300) }) { test in
      try await Self.beside("slow loris", test) {
        let loop = test.clientLoops.loops[0]
        let peers = (0..<500).map { index in
          // Some stop within the header, some within the payload.
          RawPeer(
            to: test.address,
            on: loop,
            sending: Array(Self.request(Rich(byteCount: 100)).prefix(1 + index % 50))
          )
        }
        #expect(await test.eventually { peers.allSatisfy { $0.connected.value == 1 } })
        #expect(await test.eventually { peers.allSatisfy { $0.closed.value == 1 } })
        #expect(await test.eventually { test.server.connectionCount == 1 })
      }
    }
  }

  @Test("A client that floods and never reads is refused and then closed")
  func flood_withoutReading_isBoundedAndClosed() async throws {
    try await EndToEnd.run(server: { $0.limits.outputStallTimeout = .milliseconds(500) }) { test in
      try await Self.beside("flood", test) {
        let before = Self.residentByteCount
        var calls: [UInt8] = []
        for index: UInt32 in 0..<4000 {
          calls += Self.request(Rich(byteCount: 8 << 10), id: 2 * index + 1)
        }
        let peer = RawPeer(
          to: test.address,
          on: test.clientLoops.loops[0],
          sending: calls,
          reads: false
        )
        #expect(await test.eventually { peer.connected.value == 1 && peer.sent.value > 0 })
        #expect(await test.eventually(within: .seconds(30)) { test.server.connectionCount == 1 })
        #expect(test.server.core.held.byteCount(.output) == 0)
        let growth = Self.residentByteCount - before
        print(
          "flood: the process grew by \(growth >> 20) MiB, \(calls.count >> 20) MiB of it input"
        )
        #expect(growth < 256 << 20)
        peer.close()
      }
    }
  }

  @Test("A deflated request that inflates past the limit is refused as such")
  func zipBomb_inRequest_isRefused() async throws {
    try await EndToEnd.run { test in
      try await Self.beside("zip bomb", test) {
        var plain = ByteBuffer()
        var bomb = ByteBuffer()
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        plain.append(zeros.span)
        var deflater = Deflater()
        let fits = plain.withBytes { deflater.deflate($0, into: &bomb, byteCountMax: .max) }
        #expect(fits)
        let payload = bomb.withBytes { [UInt8]($0) }
        #expect(payload.count < 1 << 20)
        let peer = RawPeer(
          to: test.address,
          on: test.clientLoops.loops[0],
          sending: Self.hello + Self.request(payload, flags: .deflated, id: 1)
        )
        let isRefused = await test.eventually {
          String(decoding: peer.answer, as: UTF8.self).contains("inflated message is larger")
        }
        #expect(isRefused)
        peer.close()
      }
    }
  }

  @Test("A peer that vanished without a word is found out by its silence")
  func halfOpenPeer_silent_isClosed() async throws {
    try await EndToEnd.run(
      server: {
        $0.keepalive = .init(interval: .milliseconds(100), timeout: .milliseconds(200))
      }
    ) { test in
      try await Self.beside("half-open", test) {
        let peer = RawPeer(to: test.address, on: test.clientLoops.loops[0], sending: Self.hello)
        #expect(await test.eventually { peer.connected.value == 1 })
        #expect(await test.eventually { peer.closed.value == 1 })
      }
    }
  }

  @Test("Connections past the limit are closed, and the ones before it stay")
  func connections_pastTheLimit_areClosed() async throws {
    try await EndToEnd.run(
      server: {
        $0.limits.connectionCountMax = 50
        $0.limits.connectionsPerSourceMax = 50
      }
    ) { test in
      try await Self.beside("connection flood", test) {
        let loop = test.clientLoops.loops[0]
        let peers = (0..<400).map { _ in RawPeer(to: test.address, on: loop) }
        // The last sixteenth is kept for sources that have few.
        let isBounded = await test.eventually {
          peers.count { $0.closed.value == 1 } == 354
        }
        #expect(isBounded)
        #expect(test.server.connectionCount == 47)
        for peer in peers { peer.close() }
        #expect(await test.eventually { test.server.connectionCount == 1 })
      }
    }
  }

  @Test("Idle connections cost little and do not slow the others")
  func idleConnections_many_costLittle() async throws {
    // Both ends are in this process, and the descriptors are at most 20,000.
    let count = min(1000 * Self.scale, 9000)
    try await EndToEnd.run { test in
      try await Self.beside("\(count) idle", test) {
        let loop = test.clientLoops.loops[0]
        let before = Self.residentByteCount
        let peers = (0..<count).map { _ in
          RawPeer(to: test.address, on: loop, sending: Self.hello)
        }
        #expect(
          await test.eventually(within: .seconds(60)) { peers.allSatisfy { $0.received.value > 0 } }
        )
        #expect(test.server.connectionCount == count + 1)
        let each = (Self.residentByteCount - before) / count
        print("idle: \(each) bytes for both ends of one connection, \(count) connections")
        #expect(each < 64 << 10)
        for peer in peers { peer.close() }
        #expect(await test.eventually { test.server.connectionCount == 1 })
      }
    }
  }

  @Test("Ten thousand connections that rest do not slow the others")
  func idleConnections_tenThousand_doNotSlowOthers() async throws {
    // The other ends are in a process of their own, which needs as many descriptors.
    let count = min(10_000, DescriptorLimit.raise() - 1000)
    try #require(count > 1000, "the hard limit of descriptors (ulimit -Hn) is too low")
    try await EndToEnd.run { test in
      let holder = try ConnectionHolder(count, to: test.address)
      defer { holder.end() }
      #expect(
        await test.eventually(within: .seconds(60)) { test.server.connectionCount == count }
      )
      #expect(holder.isHolding)
      try await Self.beside("\(count) connections", test) {
        for number in 0..<500 { _ = try await test.rich.echo(Rich(number: Int32(number))) }
      }
      #expect(test.server.connectionCount == count + 1)
      holder.end()
      #expect(await test.eventually(within: .seconds(30)) { test.server.connectionCount == 1 })
    }
  }
}
