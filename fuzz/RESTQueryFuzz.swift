// Fuzz target: queries and forms of requests.
@testable import RPCKit
@testable import RPCKitHTTP

/// What must hold of any text that claims to be a query.
enum RESTQueryProperties {
  static func check(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let query: RESTQuery
    do throws(RESTFailure) {
      query = try RESTQuery(text)
    } catch {
      precondition(error.error.code == .invalidArgument && !error.error.message.isEmpty)
      return
    }
    precondition(query.pairs.count <= RESTQuery.pairCountMax)
    for (key, value) in query.pairs {
      precondition(!key.utf8.contains(0) && !value.utf8.contains(0))
      precondition(key.utf8.count + value.utf8.count <= text.utf8.count)
    }
    // Written again with every byte escaped, it says the same.
    let escaped = query.pairs.map { "\(escape($0.key))=\(escape($0.value))" }
    guard let again = try? RESTQuery(escaped.joined(separator: "&")) else {
      preconditionFailure("a query cannot be read that says the same")
    }
    precondition(again.pairs.elementsEqual(query.pairs) { $0 == $1 })
  }

  private static func escape(_ text: String) -> String {
    text.utf8.map { byte in
      let digits = String(byte, radix: 16)
      return "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRESTQuery(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  RESTQueryProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
