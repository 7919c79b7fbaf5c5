import RPCKit
import Testing

@testable import ServiceKit

@Suite("Which addresses transfers may connect to")
struct AddressRuleTests {
  private func address(_ text: String) throws -> SocketAddress {
    try #require(SocketAddress(host: text, port: 443), "\(text)")
  }

  @Test(
    "Addresses that lead into a network, to this host or to nobody are not public",
    arguments: [
      "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
      "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
      "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
      "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1",
      "ff02::1", "2001::1", "2001:1ff:ffff::1", "2001:db8::1", "2002:a00:1::1", "3fff::1",
      // IPv4 addresses in other clothes.
      "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::a00:1",
    ]
  )
  func special_isNotPublic(text: String) throws {
    #expect(try !AddressRule.publicOnly.allows(address(text)))
    #expect(try AddressRule.any.allows(address(text)))
  }

  @Test(
    "The neighbours of special addresses are public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
      "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
      "2001:200::1", "2001:db7::1", "2003::1", "2606:4700:4700::1111", "::ffff:1.1.1.1",
      "64:ff9b::101:101",
    ]
  )
  func ordinary_isPublic(text: String) throws {
    #expect(try AddressRule.publicOnly.allows(address(text)))
    #expect(try !AddressRule.loopback.allows(address(text)))
  }

  @Test("The host's own addresses are loopback in every notation")
  func loopback_isRecognized() throws {
    for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
      #expect(try AddressRule.loopback.allows(address(text)))
    }
    #expect(try !AddressRule.loopback.allows(address("10.0.0.1")))
  }
}
