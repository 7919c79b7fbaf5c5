import RPCKit
import Testing

@Suite("What tracing systems tell one another beside the trace")
struct TraceStateTests {
  @Test("Several lines are one list; white space and empty entries are left out")
  func read_valid_isOneList() {
    let cases: [(values: [String], text: String)] = [
      (["foo=1"], "foo=1"), (["foo=1,bar=2"], "foo=1,bar=2"), (["foo=1", "bar=2"], "foo=1,bar=2"),
      ([" foo=1 \t, ,bar=2,", "", "baz=3"], "foo=1,bar=2,baz=3"),
      (["f_-*/oo@vendor=a b!~"], "f_-*/oo@vendor=a b!~"), (["1a=2"], "1a=2"), (["a= b"], "a= b"),
      (["\(String(repeating: "k", count: 256))=v"], "\(String(repeating: "k", count: 256))=v"),
    ]
    for (values, text) in cases { #expect(TraceState(values)?.text == text, "\(values)") }
  }

  @Test(
    "A list with an entry that is not valid is dropped as a whole",
    arguments: [
      "foo", "foo=", "=1", "foo=1,bar", "Foo=1", "fOo=1", "_foo=1", "@foo=1", "foo =1", "foo=1=2",
      "foo=\u{1}", "foo=é", "föö=1", "foo=a\tb", "foo.bar=1",
      "\(String(repeating: "k", count: 257))=v", "k=\(String(repeating: "v", count: 257))",
    ]
  )
  func read_invalid_isDropped(value: String) {
    #expect(TraceState([value]) == nil)
    #expect(TraceState(["good=1", value]) == nil)
  }

  @Test("Nothing is no list, and 32 entries are the most")
  func read_count_isBounded() {
    #expect(TraceState([]) == nil && TraceState([""]) == nil && TraceState([" , ,"]) == nil)
    let members = (0..<32).map { "k\($0)=1" }
    #expect(TraceState(members)?.text == members.joined(separator: ","))
    #expect(TraceState(members + ["k=1"]) == nil)
  }

  @Test("Beyond 512 bytes long entries are left out first, then the last ones, none in part")
  func read_long_isCutByEntries() {
    func member(_ key: String, byteCount: Int) -> String {
      "\(key)=" + String(repeating: "v", count: byteCount - key.utf8.count - 1)
    }
    // 128, 128, 128 and 125 bytes with three commas are 512.
    let fitting = [("a", 128), ("b", 128), ("c", 128), ("d", 125)].map {
      member($0.0, byteCount: $0.1)
    }
    #expect(TraceState(fitting)?.text == fitting.joined(separator: ","))
    let tooMany = Array(fitting.dropLast()) + [member("d", byteCount: 126)]
    #expect(TraceState(tooMany)?.text == fitting.dropLast().joined(separator: ","))
    let long = member("l", byteCount: 129)
    #expect(TraceState([long] + fitting)?.text == fitting.joined(separator: ","))
    // Of long ones the last goes first, and no more than must.
    let other = member("m", byteCount: 200)
    let third = member("n", byteCount: 250)
    #expect(TraceState([long, other, "a=1", third])?.text == "\(long),\(other),a=1")
  }
}
