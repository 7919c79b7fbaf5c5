/// A method of a server with its metrics: one reference for a call to hold.
///
/// What every call needs stands here by itself, because reading it through the descriptor would
/// copy a structure of many strings.
final class BoundMethod: Sendable {
  let descriptor: MethodDescriptor
  let priority: MethodDescriptor.Priority
  let isUnaryRequest: Bool
  let start: @Sendable (_ payload: Span<UInt8>, _ hasPayload: Bool, CallContext) -> RPCError?
  let metrics: MethodMetrics

  init(_ definition: MethodDefinition, _ metrics: MethodMetrics) {
    descriptor = definition.descriptor
    priority = definition.descriptor.priority
    isUnaryRequest = definition.isUnaryRequest
    start = definition.start
    self.metrics = metrics
  }
}

/// The methods of a server, found by the bytes of their names without making a string.
struct MethodTable: Sendable {
  /// What was found.
  enum Lookup {
    case found(BoundMethod)
    case unknownService
    case unknownMethod
  }

  private struct Entry: Sendable {
    let service: [UInt8]
    let method: [UInt8]
    let bound: BoundMethod
  }

  /// Open addressing with linear probing; a power of two at least twice the number of methods.
  private var slots: [Entry?]
  private let mask: Int
  private let services: Set<String>

  /// Names must be unique; two methods of one name are a mistake of the program.
  init(_ services: [ServiceDefinition], metrics: ServerMetrics) {
    let count = services.reduce(0) { $0 + $1.methods.count }
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    slots = Array(repeating: nil, count: capacity)
    mask = capacity - 1
    self.services = Set(services.map(\.name))
    precondition(self.services.count == services.count, "two services have one name")
    for service in services {
      for method in service.methods {
        insert(BoundMethod(method, metrics.method(method.descriptor)))
      }
    }
  }

  private mutating func insert(_ bound: BoundMethod) {
    let entry = Entry(
      service: Array(bound.descriptor.service.utf8),
      method: Array(bound.descriptor.method.utf8),
      bound: bound
    )
    var slot = Self.hash(entry.service.span, Self.hash(entry.method.span, Self.seed)) & mask
    while let other = slots[slot] {
      precondition(
        other.service != entry.service || other.method != entry.method,
        "two methods are named \(bound.descriptor.fullName)"
      )
      slot = (slot + 1) & mask
    }
    slots[slot] = entry
  }

  /// Looks a method up by the places of its names in a frame.
  func find(_ bytes: Span<UInt8>, service: Range<Int>, method: Range<Int>) -> Lookup {
    let serviceBytes = bytes.extracting(service)
    let methodBytes = bytes.extracting(method)
    var slot = Self.hash(serviceBytes, Self.hash(methodBytes, Self.seed)) & mask
    while let entry = slots[slot] {
      if Self.equal(entry.method, methodBytes), Self.equal(entry.service, serviceBytes) {
        return .found(entry.bound)
      }
      slot = (slot + 1) & mask
    }
    guard let name = try? String(bytes, service), services.contains(name) else {
      // A name that is not UTF-8 is the name of no service.
      return .unknownService
    }
    return .unknownMethod
  }

  private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

  /// FNV-1a.
  ///
  /// The keys are our own and few, so nobody can make them collide.
  private static func hash(_ bytes: Span<UInt8>, _ seed: UInt64) -> UInt64 {
    var hash = seed
    for index in bytes.indices {
      hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3
    }
    return hash
  }

  private static func equal(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    let left = left.span
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }
}

extension UInt64 {
  fileprivate static func & (hash: UInt64, mask: Int) -> Int {
    Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
  }
}
