import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct HTTPFieldsTests {
  @Test func values_ofRepeatedName_areInOrder() {
    var fields: HTTPFields = ["accept": "text/html", "via": "a"]
    fields.append("accept", "application/json")
    #expect(fields.values("accept") == ["text/html", "application/json"])
    #expect(fields["accept"] == "text/html")
    #expect(fields["host"] == nil)
  }

  @Test func only_ofRepeatedName_isNothing() {
    var fields: HTTPFields = ["accept": "text/html", "via": "a"]
    #expect(fields.only("accept") == "text/html")
    #expect(fields.only("host") == nil)
    fields.append("accept", "text/html")
    #expect(fields.only("accept") == nil)
    #expect(fields.only("via") == "a")
  }

  @Test func byteCount_countsAsHTTP2Does() {
    let fields: HTTPFields = ["a": "bc", "d": ""]
    #expect(fields.byteCount == 3 + 32 + 1 + 32)
  }
}
