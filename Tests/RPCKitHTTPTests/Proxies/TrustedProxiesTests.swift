import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("Whom proxies tell of", .teardown) struct TrustedProxiesTests {
  /// What `client` finds, shortened: the source, `-` for no client, `?` for one that is unknown.
  private func client(
    _ lines: [String],
    in field: TrustedProxies.Field = .xForwardedFor
  ) throws -> String {
    var proxies = TrustedProxies()
    proxies.networks = [
      try #require(AddressNetwork("10.0.0.0/8")), try #require(AddressNetwork("2001:db8:1::/48")),
    ]
    proxies.field = field
    let fields = HTTPFields(lines.map { HTTPFields.Field(name: field.rawValue, value: $0) })
    let peer = Peer(address: "10.0.0.9:4711", source: "10.0.0.9")
    guard let client = proxies.client(of: fields, through: peer) else { return "-" }
    guard client.address != nil else {
      #expect(client.source == "10.0.0.9", "it counts for the proxy")
      return "?"
    }
    return client.source
  }

  @Test("The entry on the right that is no proxy is the client, whatever stands left of it")
  func xForwardedFor_rightmostStranger_isTheClient() throws {
    let cases: [([String], String)] = [
      ([], "-"),
      (["203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1,203.0.113.7,10.1.2.3"], "203.0.113.7"),
      (["198.51.100.1, 203.0.113.7 ,\t10.1.2.3, 2001:db8:1::5"], "203.0.113.7"),
      // The client's own garbage stands where nobody looks.
      (["<script>, 203.0.113.7"], "203.0.113.7"),
      ([",,,, 203.0.113.7"], "203.0.113.7"),
      ([String(repeating: "1.1.1.1, ", count: 3000) + "203.0.113.7"], "203.0.113.7"),
      // Lines are one list.
      (["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1, 203.0.113.7", "10.1.2.3"], "203.0.113.7"),
      (["203.0.113.7", "10.0.0.1", "10.0.0.2"], "203.0.113.7"),
      // With ports, as some proxies write it.
      (["203.0.113.7:4711"], "203.0.113.7"),
      (["[2001:db8:2::7]:4711"], "2001:db8:2:0::/64"),
      (["[2001:db8:2::7]"], "2001:db8:2:0::/64"),
      (["2001:db8:2::7"], "2001:db8:2:0::/64"),
      (["::ffff:203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1, ::ffff:10.1.1.1"], "198.51.100.1"),
      // All of them are proxies: the farthest began it.
      (["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
    ]
    for (lines, expected) in cases {
      #expect(try client(lines) == expected, "\(lines.map { $0.prefix(80) })")
    }
  }

  @Test(
    "A proxy that tells no address leaves its client unknown",
    arguments: [
      "", " ", ",", "203.0.113.7,", "unknown", "example.com", "203.0.113", "203.0.113.256",
      "203.0.113.07", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:65536", "203.0.113.7:000080",
      "203.0.113.7:+80", "203.0.113.7 198.51.100.1", "203.0.113.7;x", "[203.0.113.7]",
      "[2001:db8::7", "[2001:db8::7]80", "2001:db8::7]:80", "[]", "[2001:db8::7%eth0]",
      "2001:db8::g", "fe80::1%eth0", "\"203.0.113.7\"", "0x7f.1", "2130706433", "127.1",
      "unix:/run/a.sock", "203.0.113.7\u{a0}", "198.51.100.1, nobody, 10.0.0.1",
    ]
  )
  func xForwardedFor_notAnAddress_isUnknown(text: String) throws {
    #expect(try client([text]) == "?")
    #expect(try client(["198.51.100.1", text]) == "?")
  }

  @Test("More proxies than a chain has are not looked through")
  func xForwardedFor_endlessChain_isUnknown() throws {
    let chain = { (count: Int) in
      "203.0.113.7" + String(repeating: ", 10.0.0.1", count: count)
    }
    #expect(try client([chain(TrustedProxies.hopCountMax - 1)]) == "203.0.113.7")
    #expect(try client([chain(TrustedProxies.hopCountMax)]) == "?")
    #expect(try client([chain(3000)]) == "?")
  }

  @Test("Forwarded tells it in the parameter `for`, and the last element counts")
  func forwarded_rightmostStranger_isTheClient() throws {
    let cases: [([String], String)] = [
      ([], "-"),
      (["for=203.0.113.7"], "203.0.113.7"),
      (["For=203.0.113.7;proto=https;by=10.0.0.9"], "203.0.113.7"),
      (["proto=http;FOR=\"203.0.113.7:80\""], "203.0.113.7"),
      (["for=\"[2001:db8:2::7]\""], "2001:db8:2:0::/64"),
      (["for=\"[2001:db8:2::7]:4711\";host=a"], "2001:db8:2:0::/64"),
      (["for=198.51.100.1, for=203.0.113.7"], "203.0.113.7"),
      (["for=198.51.100.1,for=203.0.113.7 , for=10.0.0.1"], "203.0.113.7"),
      (["for=198.51.100.1", "for=203.0.113.7;host=\"a, for=1.1.1.1\""], "203.0.113.7"),
      (["garbage", "for=203.0.113.7"], "203.0.113.7"),
      (["for=\"_hidden\", for=203.0.113.7"], "203.0.113.7"),
      (["for=\"203.0.\\113.7\""], "203.0.113.7"),
    ]
    for (lines, expected) in cases {
      #expect(try client(lines, in: .forwarded) == expected, "\(lines)")
    }
  }

  @Test(
    "A line of Forwarded that is not well-formed is nobody's word",
    arguments: [
      "", ",", "for", "for=", "for=\"", "for=\"203.0.113.7", "=203.0.113.7", "203.0.113.7",
      "for=203.0.113.7,", ", for=203.0.113.7", "for=203.0.113.7;", "for =203.0.113.7",
      "for= 203.0.113.7", "for=203.0.113.7;for=203.0.113.7", "proto=https", "for=unknown",
      "for=\"_x\"", "for=203.0.113.7:80", "for=[2001:db8::7]", "for=2001:db8::7",
      "for=\"2001:db8::7\"", "for=\"203.0.113.7:_a\"", "for=\"203.0.113.7\"x",
      "for=\"\u{e9}\", for=203.0.113.7", "for=203.0.113.7 for=203.0.113.7",
      // A quote that the client left open, and what its proxy wrote behind it.
      "for=1.1.1.1;x=\", for=203.0.113.7", "for=1.1.1.1;x=\", for=\"203.0.113.7\"",
      "for=1.1.1.1;x=\"\\, for=\"203.0.113.7:80\"",
    ]
  )
  func forwarded_malformed_isUnknown(text: String) throws {
    #expect(try client([text], in: .forwarded) == "?")
  }

  @Test("A line of Forwarded that is too long to be read is unknown")
  func forwarded_long_isUnknown() throws {
    let line = { (count: Int) in
      "for=1.1.1.1;x=" + String(repeating: "y", count: count - 31) + ", for=203.0.113.7"
    }
    let max = ForwardedHops.forwardedByteCountMax
    #expect(line(max).utf8.count == max)
    #expect(try client([line(max)], in: .forwarded) == "203.0.113.7")
    #expect(try client([line(max + 1)], in: .forwarded) == "?")
  }

  @Test("A proxy is known by its address, or by a Unix socket where that is said")
  func contains_peers() throws {
    var proxies = TrustedProxies()
    proxies.networks = [try #require(AddressNetwork("10.0.0.0/8"))]
    let isTrusted = { (proxies: TrustedProxies, address: String) in
      proxies.contains(Peer(address: address))
    }
    for address in ["10.0.0.1:80", "10.255.255.255:1", "[::ffff:10.0.0.1]:80"] {
      #expect(isTrusted(proxies, address), "\(address)")
      #expect(!isTrusted(TrustedProxies(), address), "\(address): nobody is by default")
    }
    for address in ["11.0.0.1:80", "127.0.0.1:80", "[::1]:80", "[a00::1]:80", "unix", "client-1"] {
      #expect(!isTrusted(proxies, address), "\(address)")
    }
    proxies.includesUnixSockets = true
    #expect(isTrusted(proxies, "unix") && !isTrusted(proxies, "client-1"))
  }

  @Test("Without a name for the field nobody can be told by the other one")
  func client_otherField_isNotRead() throws {
    var proxies = TrustedProxies()
    proxies.networks = [try #require(AddressNetwork("10.0.0.0/8"))]
    let peer = Peer(address: "10.0.0.9:1")
    let both: HTTPFields = ["forwarded": "for=1.1.1.1", "x-forwarded-for": "203.0.113.7"]
    #expect(proxies.client(of: both, through: peer)?.source == "203.0.113.7")
    #expect(proxies.client(of: ["forwarded": "for=1.1.1.1"], through: peer) == nil)
    proxies.field = .forwarded
    #expect(proxies.client(of: both, through: peer)?.source == "1.1.1.1")
  }
}
