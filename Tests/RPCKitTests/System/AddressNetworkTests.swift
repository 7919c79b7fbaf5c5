import Testing

@testable import RPCKit

@Suite("Networks of addresses") struct AddressNetworkTests {
  @Test("A network holds the addresses that begin with its bits, and no others")
  func contains_prefix() throws {
    let cases: [(network: String, inside: [String], outside: [String])] = [
      (
        "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
        ["9.255.255.255", "11.0.0.0"]
      ),
      ("192.0.2.5", ["192.0.2.5"], ["192.0.2.4", "192.0.2.6"]),
      ("172.16.0.0/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]),
      ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]),
      ("2001:db8::/32", ["2001:db8::1", "2001:db8:ffff::"], ["2001:db9::", "32.1.13.184"]),
      ("::1", ["::1"], ["::2", "::", "127.0.0.1"]),
      ("::ffff:192.0.2.5", ["192.0.2.5", "::ffff:192.0.2.5"], ["192.0.2.6"]),
      ("0.0.0.0/0", ["255.255.255.255", "0.0.0.0"], ["::1"]),
    ]
    for (text, inside, outside) in cases {
      let network = try #require(AddressNetwork(text), "\(text)")
      #expect(network.isEverything == text.hasSuffix("/0"))
      for (addresses, isInside) in [(inside, true), (outside, false)] {
        for host in addresses {
          let address = try #require(SocketAddress(host: host, port: 1))
          #expect(network.contains(address) == isInside, "\(host) in \(text)")
        }
      }
      #expect(!network.contains(.unix(path: "/run/a.sock")))
    }
  }

  @Test(
    "What is no network is none",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
      "10.0.0.0/0x8", "10.0.0.0/0008", "10/8", "10.0.0.0:80", "localhost", "unix", "2001:db8::/129",
      "[::1]", "10.0.0.0 /8",
      // Bits behind the prefix.
      "10.0.0.1/8", "2001:db8::1/32", "255.255.255.255/0", "::ffff:10.0.0.0/104",
    ]
  )
  func parse_otherText_isNil(text: String) {
    #expect(AddressNetwork(text) == nil)
  }
}
