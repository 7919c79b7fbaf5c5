import Testing

@testable import RPCKit

@Suite("A channel's target")
struct ChannelTargetTests {
  @Test("names addresses, hosts, sockets, and several of them")
  func target_isParsed() throws {
    let loopback = SocketAddress.ipv4([127, 0, 0, 1], port: 80)
    #expect(
      try ChannelTarget("tcp://127.0.0.1:80").endpoints == [.init(.address(loopback))]
    )
    #expect(
      try ChannelTarget("tcp://[::1]:80").endpoints
        == [.init(.address(.ipv6(Array(repeating: 0, count: 15) + [1], port: 80)))]
    )
    #expect(
      try ChannelTarget("unix:///run/a.sock").endpoints
        == [.init(.address(.unix(path: "/run/a.sock")))]
    )
    #expect(
      try ChannelTarget("tls://api.example:443").endpoints
        == [.init(.name(host: "api.example", port: 443), tlsHost: "api.example")]
    )
    #expect(
      try ChannelTarget("tcp://127.0.0.1:80,other:81,tls://third:82").endpoints == [
        .init(.address(loopback)),
        .init(.name(host: "other", port: 81)),
        .init(.name(host: "third", port: 82), tlsHost: "third"),
      ]
    )
  }

  @Test(
    "refuses what it cannot connect to, and says what is wrong",
    arguments: [
      "", "host:80", "http://host:80", "tcp://host", "tcp://host:0", "tcp://host:65536",
      "tcp://:80", "tcp://::1:80", "unix://relative",
      "unix:///" + String(repeating: "x", count: 107),
      "tcp://a:1,", "tcp://a:1,,b:2", "tcp://host:-1",
    ]
  )
  func target_wrong_throws(text: String) {
    #expect(throws: ChannelTargetError.self) { try ChannelTarget(text) }
  }
}
