import TestingContracts
import RPCKit
import RPCKitTesting

/// Feeds the guard, protobuf-c and the generated copying with whatever libFuzzer makes up.
///
/// The first byte says which message the rest is read as.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = unsafe UnsafeBufferPointer(start: start, count: count)
  guard let selector = unsafe input.first else { return 0 }
  let bytes = unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: input.dropFirst()))
  switch selector % 4 {
  case 0: MessageProperties.check(Testing_V1.Rich.self, bytes)
  case 1: MessageProperties.check(Testing_V1.Node.self, bytes)
  case 2: MessageProperties.check(Testing_V1.Ruled.self, bytes)
  default: MessageProperties.check(Benchmark_V1.CheckRequest.self, bytes)
  }
  return 0
}
