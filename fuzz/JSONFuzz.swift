// Fuzz target: JSON as settings, policies, tokens and Apple's data have it.
import ServiceKit

/// What must hold of any bytes that claim to be JSON.
enum JSONProperties {
  static func check(_ input: [UInt8]) {
    let limits = JSONLimits(byteCountMax: 16 << 10, depthMax: 16, valueCountMax: 1000)
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONReader.read(input, limits: limits)
    } catch {
      precondition(error.line > 0 && error.column > 0, "places count from 1")
      return
    }
    for text in [value.text, value.indentedText] {
      // Longer than what was read by escapes and spaces, but with no more in it.
      let wide = JSONLimits(byteCountMax: 1 << 20, depthMax: 16, valueCountMax: 1000)
      do throws(JSONError) {
        let again = try JSONReader.read(Array(text.utf8), limits: wide)
        precondition(again == value, "a value changed on its way through")
      } catch {
        preconditionFailure("our own text cannot be read: \(error)")
      }
    }
    walk(value)
  }

  /// Asks everything that decoders ask of a value; none of it may trap.
  private static func walk(_ value: JSONValue) {
    _ = (value.kind, value.integer, value.number?.double, value.boolean, value.string)
    for element in value.array ?? [] { walk(element) }
    for (name, member) in value.object?.members.map({ ($0.name, $0.value) }) ?? [] {
      precondition(value.object?[name] == member, "a member is not found by its name")
      walk(member)
    }
  }
}

#if FUZZING
/// Feeds one input to the checks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  JSONProperties.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
#endif
