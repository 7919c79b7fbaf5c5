import Testing

@testable import RPCKit

@Suite("A socket address")
struct SocketAddressTests {
  @Test(
    "is printed as it is usually written",
    arguments: [
      ("127.0.0.1", UInt16(4040), "127.0.0.1:4040"), ("0.0.0.0", 0, "0.0.0.0:0"),
      ("::1", 65_535, "[::1]:65535"), ("2001:DB8:0:0::7", 1, "[2001:db8::7]:1"),
      ("::ffff:1.2.3.4", 9, "[::ffff:1.2.3.4]:9"),
    ]
  )
  func numericHost_isParsedAndPrinted(host: String, port: UInt16, text: String) {
    let address = SocketAddress(host: host, port: port)
    #expect(address?.description == text)
    #expect(address?.port == port)
    #expect(address?.withPort(77).port == 77)
  }

  @Test(
    "is not made of names and wrong numbers",
    arguments: ["", "localhost", "1.2.3", "256.1.1.1", "1.2.3.4.5", ":::", "[::1]", "::1%lo"]
  )
  func other_isRefused(host: String) {
    #expect(SocketAddress(host: host, port: 1) == nil)
  }

  @Test("of a Unix socket has a path and no port")
  func unix_hasNoPort() {
    let address = SocketAddress.unix(path: "/run/a.sock")
    #expect(address.description == "unix:/run/a.sock")
    #expect(address.port == nil && address.withPort(3) == address)
  }
}
