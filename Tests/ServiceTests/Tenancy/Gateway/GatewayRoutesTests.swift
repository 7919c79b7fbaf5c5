import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("What a gateway's routes demand")
struct GatewayRoutesTests {
  private static func demand(
    _ method: String,
    _ path: String,
    _ extensions: [String: String] = [:],
    table: JSONValue = GatewayFixture.table
  ) throws -> GatewayDemand {
    try GatewayRoutes(JSONField(table)).demand(
      method,
      try GatewayPath(path),
      extensions: extensions
    )
  }

  private static func reason(
    _ method: String,
    _ path: String,
    _ extensions: [String: String] = [:]
  ) -> String? {
    let error = #expect(throws: RPCError.self) { try demand(method, path, extensions) }
    return error.map { Refusal($0).reason }
  }

  @Test("The first row whose path and method fit counts")
  func table_firstFit_counts() throws {
    #expect(try Self.demand("GET", "/devices/dev_1") == .action("device.view", entity: "dev_1"))
    #expect(try Self.demand("DELETE", "/portfolios") == .user)
    #expect(try Self.demand("GET", "/pages") == .nothing)
    #expect(try Self.demand("GET", "/pages/a/b") == .nothing)
    let table: JSONValue = [
      ["path": "/a/*", "access": "user"], ["path": "/a/b", "access": "public"],
      ["path": "/fixed", "action": "device.view", "entity": "dev_9"],
    ]
    #expect(try Self.demand("GET", "/a/b", table: table) == .user)
    #expect(
      try Self.demand("GET", "/fixed", table: table) == .action("device.view", entity: "dev_9")
    )
  }

  @Test(
    "Where no row fits, nobody passes",
    arguments: [
      ("POST", "/devices/dev_1"), ("get", "/devices/dev_1"), ("GET", "/devices"),
      ("GET", "/devices/"),
      ("GET", "/devices/dev_1/"), ("GET", "/devices/dev_1/more"), ("GET", "/Devices/dev_1"),
      ("GET", "/"),
      ("GET", "/portfolios/"), ("GET", "/page"),
    ]
  )
  func table_noFit_isUnknown(method: String, path: String) {
    #expect(Self.reason(method, path) == "ROUTE_UNKNOWN")
  }

  @Test("What the gateway says of its route comes before the table")
  func extensions_comeFirst() throws {
    #expect(try Self.demand("GET", "/portfolios", ["access": "public"]) == .nothing)
    #expect(
      try Self.demand("GET", "/x", ["action": "device.view", "entity": "dev_1"])
        == .action("device.view", entity: "dev_1")
    )
    #expect(
      try Self.demand("GET", "/x/dev_2", ["action": "device.view", "path": "/x/{entity}"])
        == .action("device.view", entity: "dev_2")
    )
    // Others are not ours to read.
    #expect(try Self.demand("GET", "/portfolios", ["tenant": "a"]) == .user)
    #expect(
      Self.reason("GET", "/y/dev_2", ["action": "device.view", "path": "/x/{entity}"])
        == "ROUTE_UNKNOWN"
    )
  }

  @Test(
    "A route that is not to be understood lets nobody pass",
    arguments: [
      ["access": "everybody"], ["access": ""], ["access": "public", "action": "device.view"],
      ["action": "device.view"], ["action": "", "entity": "dev_1"],
      ["action": "a.b", "entity": ""],
      ["entity": "dev_1"], ["path": "/pages/**"], ["access": "public", "entity": "dev_1"],
      ["action": "a.b", "entity": "dev_1", "path": "/pages/{entity}"],
      ["action": "a.b", "path": "/pages/{entity}/{entity}"],
      ["action": "a.b", "path": "pages/{entity}"],
      ["access": "public", "path": "/**/pages"],
    ]
  )
  func extensions_unclear_areMisconfigured(extensions: [String: String]) {
    #expect(Self.reason("GET", "/pages/a", extensions) == "ROUTE_MISCONFIGURED")
  }

  @Test(
    "A table with a mistake is no table",
    arguments: [
      ["path": "/a"], ["access": "public"], ["path": "a", "access": "public"],
      ["path": "/a", "access": "all"], ["path": "/a", "action": "device.view"],
      ["path": "/{entity}", "access": "user"], ["path": "/a//b", "access": "user"],
      ["path": "/a*", "access": "user"], ["path": "/a", "access": "user", "methode": "GET"],
      ["path": "/%61", "access": "user"],
    ] as [JSONValue]
  )
  func table_withMistake_isRefused(row: JSONValue) {
    #expect(throws: JSONDecodingError.self) {
      try GatewayRoutes(JSONField(.array([row]), path: "gateway_routes"))
    }
  }

  @Test("A table has at most 1000 rows")
  func table_ofMoreRows_isRefused() throws {
    let row: JSONValue = ["path": "/a", "access": "public"]
    let rows = [JSONValue](repeating: row, count: GatewayRoutes.countMax)
    _ = try GatewayRoutes(JSONField(.array(rows)))
    #expect(throws: JSONDecodingError.self) { try GatewayRoutes(JSONField(.array(rows + [row]))) }
  }
}
