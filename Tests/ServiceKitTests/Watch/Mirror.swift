import PeerContracts
import RPCKit
import RPCKitTesting

@testable import ServiceKit

/// Follows a `ChangeLog` as a cache does, and notes what a cache must never see.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class Mirror: @unchecked Sendable {
  let sink = CollectingSink()
  let registry = MetricRegistry()
  let loop: SimulatedEventLoop
  /// How far the log was heard.
  private(set) var position: UInt64?
  private(set) var lease = Lease(.seconds(10))
  private(set) var events: [Entitlement_V1.ChangeKind] = []
  private(set) var anewCount = 0
  private(set) var lostCount = 0
  private(set) var problems: [String] = []
  private let log: ChangeLog
  private let follower: WatchFollower

  init(_ log: ChangeLog) {
    self.log = log
    loop = log.simulation.loop("mirror")
    follower = WatchFollower(
      "log",
      lease: .seconds(10),
      loop: loop,
      random: SeededRandom(log.simulation),
      // Every line is wanted, and the limiter would count real seconds.
      logger: Logger(label: "mirror", level: .trace, sink: sink, limiter: nil)
    )
    follower.report(to: registry)
  }

  /// Follows until the task is cancelled.
  func follow(_ channel: Channel) async {
    let client = Entitlement_V1.EntitlementsClient(channel)
    await follower.run(
      open: { client.watch(.init(afterRevision: $0 ?? 0)) },
      beginAnew: { [self] in
        anewCount += 1
        if lease.isLive(at: loop.preciseNow), position != nil {
          problems.append("begins anew while what is known is believed")
        }
      },
      apply: { [self] event, now in
        apply(event)
        if let now { lease.extend(at: now) }
        position = event.revision
        return event.revision == 0 ? nil : event.revision
      },
      lost: { [self] in lostCount += 1 }
    )
  }

  private func apply(_ event: Entitlement_V1.Change) {
    events.append(event.kind)
    guard let position, position > 0, event.kind != .resync else { return }
    if event.revision < position {
      problems.append("goes back from \(position) to \(event.revision)")
    } else if event.kind == .heartbeat, log.hasTold(after: position, through: event.revision) {
      problems.append("a heartbeat skips from \(position) to \(event.revision)")
    } else if event.kind == .subject, log.hasTold(after: position, through: event.revision - 1) {
      problems.append("a change is missing between \(position) and \(event.revision)")
    }
  }

  /// How old the oldest change is that is believed not to have happened.
  var staleness: Duration {
    guard lease.isLive(at: loop.preciseNow), let position else { return .zero }
    let missed = log.told.first { $0.revision > position }
    return missed?.time.duration(to: loop.preciseNow) ?? .zero
  }

  /// Messages of the log lines, without what failed.
  var lines: [String] {
    sink.lines.map { $0.contains("push stream lost") ? "lost" : "resumed" }
  }

  /// The value of a metric of the stream.
  func metric(_ name: String, _ labels: String = #"watch="log""#) -> String? {
    let start = "gatehouse_service_watch_\(name){\(labels)} "
    let text = String(decoding: registry.render(), as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix(start) }.map {
      String($0.dropFirst(start.count))
    }
  }
}

/// The simulation's random numbers for code that wants bytes.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
private final class SeededRandom: RandomSource, @unchecked Sendable {
  private let simulation: Simulation

  init(_ simulation: Simulation) { self.simulation = simulation }

  func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: simulation.random.next()) }
  }
}
