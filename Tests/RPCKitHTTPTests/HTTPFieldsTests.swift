import Testing

@testable import RPCKitHTTP

@Suite struct HTTPFieldsTests {
  @Test func values_ofRepeatedName_areInOrder() {
    var fields: HTTPFields = ["accept": "text/html", "via": "a"]
    fields.append("accept", "application/json")
    #expect(fields.values("accept") == ["text/html", "application/json"])
    #expect(fields["accept"] == "text/html")
    #expect(fields["host"] == nil)
  }

  @Test func byteCount_countsAsHTTP2Does() {
    let fields: HTTPFields = ["a": "bc", "d": ""]
    #expect(fields.byteCount == 3 + 32 + 1 + 32)
  }
}
