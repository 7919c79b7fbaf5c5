import RPCKit
import Testing

@testable import TenancyService

@Suite("Paths that a gateway asks about")
struct GatewayPathTests {
  @Test(
    "A path is split into segments and decoded once",
    arguments: [
      ("/", [""]), ("/devices/dev_1", ["devices", "dev_1"]), ("/a/", ["a", ""]),
      ("/a?b=/../c", ["a"]), ("/caf%C3%A9", ["café"]), ("/a%20b", ["a b"]),
      ("/a;v=1/b", ["a;v=1", "b"]),
      ("/a:b@c,d", ["a:b@c,d"]), ("/...", ["..."]),
    ]
  )
  func path_isSplit(target: String, segments: [String]) throws {
    #expect(try GatewayPath(target).segments == segments)
  }

  @Test(
    "A path that two programs could understand differently is refused",
    arguments: [
      "", "devices", "*", "http://host/devices", "//devices", "/a//b", "/.", "/..", "/a/../b",
      "/a/./b",
      "/a/%2e%2E/b", "/a/.%2e", "/a/..;x/b", "/a/.;/b", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b",
      "/a%00b",
      "/a%0ab", "/a%7f", "/%252e%252e/b", "/a%25b", "/a%", "/a%2", "/a%zz", "/%ff", "/%c0%ae",
      "/a b",
      "/a\tb", "/café", "/a#b", "/a\"b", "/a<b", "/a{b}", "/a|b", "/a^b", "/a`b", "/a\u{0}b",
    ]
  )
  func path_ofTwoMeanings_isRefused(target: String) {
    let error = #expect(throws: RPCError.self) { try GatewayPath(target) }
    #expect(error?.code == .invalidArgument)
    #expect(error.map { Refusal($0).reason } == "PATH_REFUSED")
  }
}
