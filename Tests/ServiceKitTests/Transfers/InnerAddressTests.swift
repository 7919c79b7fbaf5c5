import RPCKit
import Testing

@testable import ServiceKit

@Suite("Spellings of this host that a transfer must not reach")
struct InnerAddressTests {
  /// Ways to write 127.0.0.1 that some parser or other understands, and names that lead here.
  private static let spellings: [String] = {
    // Each number of the address in decimal, octal and hexadecimal.
    let first = ["127", "0177", "0x7f"]
    let other = ["0", "00", "0x0"]
    let last = ["1", "01", "0x1"]
    var all: [String] = []
    for a in first {
      for b in other {
        for c in other { for d in last { all.append("\(a).\(b).\(c).\(d)") } }
      }
    }
    all += [
      // Fewer numbers, one of them for the rest.
      "127.1", "127.0.1", "0177.1", "0x7f.1", "127.0x1", "0x7f.0.1", "2130706433", "017700000001",
      "0x7f000001", "0x7F000001", "127.00000000001", "127.000.000.001", "127.0.0.1.",
      "127.1.", "127.2.3.4", "127.255.255.254", "0", "0.0.0.0", "0x0", "00000000000", "0.",
      // IPv6, alone and with IPv4 in it.
      "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0:1]",
      "[::]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
      "[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]",
      "[64:ff9b:1::7f00:1]", "[2002:7f00:1::1]", "[::1%25lo]", "[::1%lo]", "[fe80::1%25lo]",
      "[::ffff:0:127.0.0.1]", "[::ffff:0.0.0.0]",
      // Names.
      "localhost", "LOCALHOST", "LocalHost", "localhost.", "ip6-localhost", "ip6-loopback",
      "good.localhost",
      // What is decoded, mapped or cut off on the way.
      "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "loc%61lhost", "%6cocalhost",
      "127.0.0.1%00.good.example",
      "127。0。0。1", "127.0.0.1", "①②⑦.⓪.⓪.①", "ｌｏｃａｌｈｏｓｔ", "127.0.0.1%23.good.example",
      "good.example@127.0.0.1", "good.example:80@localhost", "127.0.0.1%20", "127.0.0.1%09",
    ]
    return all
  }()

  @Test("No spelling leads to a listener on this host, which the plain address reaches")
  func spellings_reachNothing() async throws {
    #expect(Self.spellings.count >= 120)
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let (network, loop) = (SocketNetwork(), loops.loops[0])
    let seen = Lock(0)
    let four = try await network.listen(at: .ipv4([0, 0, 0, 0], port: 0), on: loop) { _ in
      seen.withLock { $0 += 1 }
    }
    defer { four.close() }
    let port = four.address.port ?? 0
    // Not every machine has IPv6.
    let six = try? await network.listen(
      at: #require(SocketAddress(host: "::1", port: port)),
      on: loop
    ) { _ in seen.withLock { $0 += 1 } }
    defer { six?.close() }
    func fetch(_ host: String, _ rule: AddressRule) async {
      var fetch = HTTPFetch(
        url: "http://\(host):\(port)/",
        addresses: rule,
        timeout: .seconds(2)
      )
      fetch.allowsPlaintext = true
      fetch.takesStatusAlone = true
      _ = try? await fetch.run()
    }
    await withTaskGroup(of: Void.self) { group in
      for (index, host) in Self.spellings.enumerated() {
        if index >= 16 { await group.next() }
        group.addTask { await fetch(host, .publicOnly) }
      }
    }
    #expect(seen.withLock { $0 } == 0)
    // A listener that nothing can reach would not notice.
    await fetch("127.0.0.1", .loopback)
    #expect(seen.withLock { $0 } > 0)
  }
}
