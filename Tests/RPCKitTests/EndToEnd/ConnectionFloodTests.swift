import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// Many connections of one source, and what they may take from the process.
@Suite("Floods of connections over sockets", .serialized, .timeLimit(.minutes(2)))
struct ConnectionFloodTests {
  @Test("One source gets its share of the places and no more", arguments: SocketKind.allCases)
  func connections_ofOneSource_areBounded(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind, server: { $0.limits.connectionsPerSourceMax = 10 }) { test in
      _ = try await test.rich.echo(Rich())
      let loop = test.clientLoops.loops[0]
      let peers = (0..<30).map { _ in RawPeer(to: test.address, on: loop) }
      #expect(await test.eventually { peers.count { $0.closed.value == 1 } == 21 })
      #expect(test.server.connectionCount == 10)
      let metrics = test.server.core.observer.metrics
      #expect(metrics.limitReached("connections_per_source").value == 21)
      for peer in peers { peer.close() }
      #expect(await test.eventually { test.server.connectionCount == 1 })
      // Places come back with the connections that had them.
      let next = RawPeer(to: test.address, on: loop)
      #expect(await test.eventually { test.server.connectionCount == 2 })
      next.close()
    }
  }

  @Test("A Unix socket is for its owner unless told otherwise, whatever the umask")
  func unixSocket_mode_isIndependentOfUmask() async {
    await #expect(processExitsWith: .success) {
      umask(0)
      let loops = try EventLoopGroup.epoll(count: 1)
      for (mode, expected) in [(nil, 0o600), (0o660, 0o660)] as [(UInt32?, Int)] {
        let folder = try SocketFolder()
        var endpoint = ServerConfiguration.Endpoint(.unix(path: folder.path("socket")))
        if let mode { endpoint.options.unixSocketMode = mode }
        let peers = OneTimeEvent<Peer>()
        let handler = RichHandler(onEcho: { request, call in
          peers.happened(call.peer)
          return request
        })
        let server = Server(
          ServerConfiguration(endpoints: [endpoint]),
          services: [handler.definition],
          on: loops
        )
        try await server.serving { server in
          let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("socket"))
          #expect(attributes[.posixPermissions] as? Int == expected)
          let target = endpoint.address.target
          try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
            _ = try await Testing_V1.RichClient(channel).echo(Rich())
          }
          let peer = try await peers.value()
          #expect(peer.source == "unix:uid=\(getuid())" && peer.address == "unix")
        }
      }
    }
  }

  /// In a process of its own, because the memory of others would count.
  ///
  /// The address sanitizer keeps what is freed, so there is nothing to see under it; under the thread
  /// sanitizer, which needs several times the memory, the peers are not done in the time there is.
  @Test(
    "Unfinished frames of 300 connections hold 64 MiB at most, and give them back",
    .enabled(if: !isSanitized)
  )
  func unfinishedFrames_many_areBoundedAndGivenBack() async {
    await #expect(processExitsWith: .success) {
      DescriptorLimit.raise()
      try await EndToEnd.run { test in
        _ = try await test.rich.echo(Rich(byteCount: 1 << 20))
        let before = ProcessMemory.now
        let frame = WireHeader.request(declaring: 4 << 20)
        let flood = [UInt8](repeating: 0, count: 16 << 10)
        let loop = test.clientLoops.loops[0]
        let peers = (0..<300).map { _ in
          RawPeer(
            to: test.address,
            on: loop,
            sending: frame,
            flooding: flood,
            upTo: (4 << 20) - (64 << 10)
          )
        }
        let metrics = test.server.core.observer.metrics
        // Beside it a good client sends large messages, until all but a few have lost their places.
        while metrics.limitReached("assembly_bytes").value < 280 {
          let large = Rich(byteCount: 1 << 20)
          let echoed = try await test.rich.echo(large, timeout: .seconds(20))
          #expect(echoed == large)
        }
        let held = test.server.core.held
        // Each may add what one turn reads before the others learn of it.
        #expect(held.byteCount(.assembly) <= 80 << 20)
        let peak = ProcessMemory.now.peakByteCount - before.byteCount
        #expect(peak < 160 << 20, "\(peak >> 20) MiB at the peak")
        for peer in peers { peer.close() }
        let isGivenBack = await test.eventually(within: .seconds(30)) {
          ProcessMemory.now.byteCount - before.byteCount < 32 << 20
        }
        #expect(isGivenBack, "\((ProcessMemory.now.byteCount - before.byteCount) >> 20) MiB stay")
      }
    }
  }
}

/// Whether the tests run under one of the sanitizers that need options.
private let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
  ProcessInfo.processInfo.environment[$0] != nil
}

/// What a process holds, after proc(5).
struct ProcessMemory {
  /// `VmRSS`.
  var byteCount = 0
  /// `VmHWM`.
  var peakByteCount = 0

  static var now: ProcessMemory {
    var memory = ProcessMemory()
    let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count > 1, let count = Int(words[1]) else { continue }
      if words[0] == "VmRSS:" { memory.byteCount = count << 10 }
      if words[0] == "VmHWM:" { memory.peakByteCount = count << 10 }
    }
    return memory
  }
}

/// The ten bytes in front of a request that may never come.
enum WireHeader {
  static func request(declaring byteCount: Int) -> [UInt8] {
    var header = ByteBuffer()
    FrameHeader(payloadByteCount: byteCount, streamID: .first, type: .request).append(to: &header)
    return header.withBytes { [UInt8]($0) }
  }
}
