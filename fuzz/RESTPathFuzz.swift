// Fuzz target: paths of requests, and where they lead.
@testable import RPCKit
@testable import RPCKitHTTP

/// What must hold of any text that claims to be a path.
enum RESTPathProperties {
  static func check(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let path: RESTPath
    do throws(RESTPath.Failure) {
      path = try RESTPath(text)
    } catch {
      precondition(!error.problem.isEmpty)
      return
    }
    precondition(
      path.count > 0
        && path.count == text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).count
          - 1
    )
    for index in 0..<path.count {
      let segment = path.segment(index, withoutVerb: false)
      precondition(segment != "." && segment != ".." && !segment.utf8.contains(0))
      _ = path.segment(index, withoutVerb: true)
    }
    // As one value, a path has the slashes that separated its segments, and no others.
    let value = path.value(of: 0..<path.count, withoutVerb: false)
    precondition(value.utf8.filter { $0 == 0x2F }.count == path.count - 1)
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRESTPath(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  RESTPathProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
