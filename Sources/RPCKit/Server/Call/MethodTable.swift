/// A method of a server with its metrics: one reference for a call to hold.
///
/// What every call needs stands here by itself, because reading it through the descriptor would
/// copy a structure of many strings.
package final class BoundMethod: Sendable {
  package let descriptor: MethodDescriptor
  let priority: MethodDescriptor.Priority
  package let isUnaryRequest: Bool
  /// Whether one side sends more than one message.
  package let isStreaming: Bool
  package let start:
    @Sendable (_ payload: Span<UInt8>, _ hasPayload: Bool, CallContext) -> RPCError?
  /// Largest request in bytes, as the wire carries it and inflated.
  package let requestByteCountMax: Int
  let metrics: MethodMetrics
  /// Refused calls by the place of their reason in `ShedReason.allCases`.
  private let shedCounters = ShedReason.allCases.map { _ in Counter() }
  fileprivate let serviceName: [UInt8]
  fileprivate let methodName: [UInt8]

  init(_ definition: MethodDefinition, _ metrics: MethodMetrics, _ limits: Limits) {
    requestByteCountMax = limits.requestByteCountMax(of: definition.descriptor)
    descriptor = definition.descriptor
    priority = definition.descriptor.priority
    isUnaryRequest = definition.isUnaryRequest
    isStreaming = definition.descriptor.kind != .unary
    start = definition.start
    self.metrics = metrics
    serviceName = Array(definition.descriptor.service.utf8)
    methodName = Array(definition.descriptor.method.utf8)
  }

  /// Counts the calls that were refused for one reason.
  func shedCounter(_ reason: ShedReason) -> Counter { shedCounters[reason.index] }

  fileprivate func isNamed(_ service: Span<UInt8>, _ method: Span<UInt8>) -> Bool {
    method.isEqual(to: methodName) && service.isEqual(to: serviceName)
  }
}

/// The methods of a server, found by the bytes of their names without making a string.
package struct MethodTable: Sendable {
  /// The result of a look-up.
  package enum Lookup {
    case found(BoundMethod)
    case unknownService
    case unknownMethod
  }

  /// Open addressing with linear probing; a power of two at least twice the number of methods.
  private var slots: [BoundMethod?]
  private let mask: Int
  private let services: Set<String>

  /// Names must be unique; two methods of one name are a mistake of the program.
  init(_ services: [ServiceDefinition], metrics: ServerMetrics, limits: Limits = Limits()) {
    let count = services.reduce(0) { $0 + $1.methods.count }
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    slots = Array(repeating: nil, count: capacity)
    mask = capacity - 1
    self.services = Set(services.map(\.name))
    precondition(self.services.count == services.count, "two services have one name")
    for service in services {
      for method in service.methods {
        insert(BoundMethod(method, metrics.method(method.descriptor), limits))
      }
    }
  }

  /// All methods, in no particular order.
  package var methods: [BoundMethod] { slots.compactMap { $0 } }

  private mutating func insert(_ bound: BoundMethod) {
    let (service, method) = (bound.serviceName, bound.methodName)
    var slot = Self.hash(service.span, method.span) & mask
    while let other = slots[slot] {
      precondition(
        other.serviceName != service || other.methodName != method,
        "two methods are named \(bound.descriptor.fullName)"
      )
      slot = (slot + 1) & mask
    }
    slots[slot] = bound
  }

  /// Looks a method up by the places of its names in a frame.
  package func find(_ bytes: Span<UInt8>, service: Range<Int>, method: Range<Int>) -> Lookup {
    let serviceBytes = bytes.extracting(service)
    let methodBytes = bytes.extracting(method)
    var slot = Self.hash(serviceBytes, methodBytes) & mask
    while let bound = slots[slot] {
      if bound.isNamed(serviceBytes, methodBytes) { return .found(bound) }
      slot = (slot + 1) & mask
    }
    guard let name = try? String(bytes, service), services.contains(name) else {
      // A name that is not UTF-8 is the name of no service.
      return .unknownService
    }
    return .unknownMethod
  }

  /// FNV-1a over the lengths and the ends of both names, which tell methods apart; the rest is
  /// compared anyway.
  ///
  /// The keys are our own and few, so nobody can make them collide.
  private static func hash(_ service: Span<UInt8>, _ method: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    add(service, to: &hash)
    add(method, to: &hash)
    return hash
  }

  private static func add(_ name: Span<UInt8>, to hash: inout UInt64) {
    hash = (hash ^ UInt64(name.count)) &* 0x0000_0100_0000_01b3
    for index in max(0, name.count - 8)..<name.count {
      hash = (hash ^ UInt64(name[index])) &* 0x0000_0100_0000_01b3
    }
  }
}

extension Limits {
  /// Largest request of a method in bytes.
  fileprivate func requestByteCountMax(of method: MethodDescriptor) -> Int {
    let ofClass = method.callerClass == .public ? publicRequestByteCountMax : nil
    return min(method.requestByteCountMax ?? ofClass ?? frameByteCountMax, frameByteCountMax)
  }
}

extension UInt64 {
  fileprivate static func & (hash: UInt64, mask: Int) -> Int {
    Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
  }
}
