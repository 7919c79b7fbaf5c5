/// The open connections of a server, and how many there may be.
struct ConnectionRegistry {
  /// The outcome of asking for a place.
  enum Reservation: Equatable {
    /// There is one: `insert` or `giveBack` follows.
    case reserved
    /// There is one, but hardly another: so many connections should go.
    case reservedAndNearlyFull(surplus: Int)
    /// There is none, because of this limit.
    case refused(LimitName)
  }

  /// How often resting connections are looked for, which takes a look at all.
  private static let evictionInterval = Duration.seconds(1)
  /// Connections of a source with which it may still have one of the last places.
  static let fewConnections = 8

  /// The server drains: what comes now drains as well.
  var isDraining = false
  /// Those who wait for the last connection to close.
  var waitingForEmpty: [CheckedContinuation<Void, Never>] = []
  /// Places that are taken.
  private(set) var count = 0

  private let countMax: Int
  private let countPerSourceMax: Int
  /// Places that only sources with few connections get: many sources that each hold some cannot keep
  /// out one that has none.
  private let reservedCount: Int
  private var countBySource: [String: Int] = [:]
  private var connections: [ObjectIdentifier: (number: Int, connection: any ServedConnection)] = [:]
  private var acceptedCount = 0
  private var nextEviction = MonotonicInstant(nanoseconds: 0)

  /// Makes an empty registry.
  ///
  /// `descriptorCountMax` is what the process may open; zero when that is unknown.
  init(_ limits: Limits, descriptorCountMax: Int = DescriptorLimit.current) {
    var countMax = limits.connectionCountMax
    if descriptorCountMax > 0 {
      let reserve = min(limits.descriptorReserve, descriptorCountMax / 2)
      countMax = min(countMax, descriptorCountMax - reserve)
    }
    self.countMax = countMax
    reservedCount = countMax / 16
    countPerSourceMax = limits.connectionsPerSourceMax ?? max(1, countMax / 4 * 3)
  }

  /// The open connections, oldest first.
  var inOrder: [any ServedConnection] {
    connections.values.sorted { $0.number < $1.number }.map(\.connection)
  }

  /// The open connections, in no order.
  var all: [any ServedConnection] { connections.values.map(\.connection) }

  /// Takes a place for a connection from `source`, if there is one.
  mutating func reserve(_ source: String, now: MonotonicInstant) -> Reservation {
    guard count < countMax else { return .refused(.connections) }
    let countOfSource = countBySource[source, default: 0]
    guard countOfSource < countPerSourceMax else { return .refused(.connectionsPerSource) }
    guard countOfSource < Self.fewConnections || count < countMax - reservedCount else {
      return .refused(.connections)
    }
    count += 1
    countBySource[source] = countOfSource + 1
    let surplus = count - (countMax - countMax / 8)
    guard surplus > 0, now >= nextEviction else { return .reserved }
    nextEviction = now.advanced(by: Self.evictionInterval)
    return .reservedAndNearlyFull(surplus: surplus)
  }

  /// Gives a place back that was not used.
  mutating func giveBack(_ source: String) {
    count -= 1
    if let countOfSource = countBySource[source] {
      countBySource[source] = countOfSource > 1 ? countOfSource - 1 : nil
    }
  }

  /// Puts a connection in a place that was reserved.
  mutating func insert(_ connection: any ServedConnection) {
    acceptedCount += 1
    connections[ObjectIdentifier(connection)] = (acceptedCount, connection)
  }

  /// Puts `connection` in the place of `other`, whose age and source it keeps; nothing when that is gone.
  mutating func replace(_ other: any ServedConnection, by connection: any ServedConnection) {
    guard let entry = connections.removeValue(forKey: ObjectIdentifier(other)) else { return }
    connections[ObjectIdentifier(connection)] = (entry.number, connection)
  }

  /// Takes a connection out; returns those who waited for the last one.
  mutating func remove(_ connection: any ServedConnection) -> [CheckedContinuation<Void, Never>] {
    connections[ObjectIdentifier(connection)] = nil
    giveBack(connection.source)
    guard count == 0 else { return [] }
    defer { waitingForEmpty = [] }
    return waitingForEmpty
  }
}
