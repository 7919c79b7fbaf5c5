import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct MediaTypeTests {
  @Test(arguments: [
    ("application/grpc", "application/grpc"),
    ("application/grpc-web+proto", "application/grpc-web+proto"),
    ("Application/JSON", "application/json"), (" text/plain\t", "text/plain"), ("", ""),
    ("application/json;charset=utf-8", "application/json"),
  ])
  func essence_isInLowerCaseAndWithoutParameters(_ text: String, _ essence: String) {
    #expect(MediaType(text).essence == essence)
  }

  @Test func parameters_areReadWithoutQuotes() {
    let type = MediaType(#"application/json; Charset="UTF-8"; q=0"#)
    #expect(type.parameters == ["charset": "UTF-8", "q": "0"])
    #expect(type.isUTF8 && type.isRefused)
    #expect(MediaType("application/json").parameters.isEmpty)
    #expect(!MediaType("application/json; charset=latin1").isUTF8)
  }
}
