import PeerContracts
import RPCKit
import ServiceKit

/// How many permission checks a service answers from its cache, whose push stream is alive.
enum PermissionBenchmark {
  static func run(_ options: Options) async throws {
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [AllowingHandler().definition],
      on: try .epoll(count: 1)
    )
    try await server.serving { server in
      guard let address = server.addresses.first else { throw OptionError("no address") }
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      try await withChannel("tcp://\(address)", ChannelConfiguration(loops: loops)) { channel in
        // Handlers ask on a loop of their service.
        try await withTaskExecutorPreference(loops.loops[0]) {
          try await measure(channel, loops, options)
        }
      }
    }
  }

  private static func measure(
    _ channel: Channel,
    _ loops: EventLoopGroup,
    _ options: Options
  ) async throws {
    let permissions = Permissions(
      channel,
      clock: SystemWallClock(),
      loop: loops.loops[0],
      logger: Logger(label: "benchmark", level: .error, sink: CollectingSink()),
      metrics: PermissionMetrics(MetricRegistry())
    )
    let listener = Task { await permissions.run() }
    defer { listener.cancel() }
    let questions = (0..<min(options.count, 10_000)).map { number in
      (
        subject: "usr_06xrk5tq8k000000000000\(1000 + number % 2000)",
        entity: "dev_06xrk5tq8k000000000000\(1000 + number % 9000)"
      )
    }
    for question in questions {
      _ = try await permissions.check(question.subject, "device.unlock", question.entity)
    }
    let (all, allSeconds) = try await repeated(questions, permissions, options.seconds)
    let (one, oneSeconds) = try await repeated([questions[0]], permissions, options.seconds)
    let (atOnce, atOnceSeconds) = try repeatedAtOnce(questions, permissions, options.seconds)
    var report = Report("permissions")
    report["cached_per_second"] = Double(all) / allSeconds
    report["cached_same_question_per_second"] = Double(one) / oneSeconds
    report["known_per_second"] = Double(atOnce) / atOnceSeconds
    report["questions"] = questions.count
    report.print()
  }

  private typealias Question = (subject: String, entity: String)

  private static func repeated(
    _ questions: [Question],
    _ permissions: Permissions,
    _ seconds: Double
  ) async throws -> (Int, Double) {
    var (spent, count) = (0.0, 0)
    repeat {
      let turn = turn(of: questions, count)
      let time = ProcessorTime()
      for question in turn {
        guard
          try await permissions.check(question.subject, "device.unlock", question.entity).isAllowed
        else { throw OptionError("a check was not allowed") }
      }
      spent += time.seconds
      // Otherwise the strings would be freed before the time is taken.
      count += withExtendedLifetime(turn) { turn.count }
    } while spent < seconds
    return (count, spent)
  }

  /// The same without `await`.
  private static func repeatedAtOnce(
    _ questions: [Question],
    _ permissions: Permissions,
    _ seconds: Double
  ) throws -> (Int, Double) {
    var (spent, count) = (0.0, 0)
    repeat {
      let turn = turn(of: questions, count)
      let time = ProcessorTime()
      for question in turn {
        guard
          permissions.known(question.subject, "device.unlock", question.entity)?.isAllowed == true
        else { throw OptionError("a check was not known") }
      }
      spent += time.seconds
      count += withExtendedLifetime(turn) { turn.count }
    } while spent < seconds
    return (count, spent)
  }

  /// The next questions, written again and few enough for the core's own memory, as those of a call
  /// that was decoded just now: fetching the questions is no part of answering them.
  private static func turn(of questions: [Question], _ count: Int) -> [Question] {
    (count..<count + 100).map { number in
      let question = questions[number % questions.count]
      return (
        String(decoding: Array(question.subject.utf8), as: UTF8.self),
        String(decoding: Array(question.entity.utf8), as: UTF8.self)
      )
    }
  }
}

/// Allows everything and says every second that nothing has changed.
private struct AllowingHandler: Tenancy_V1.PermissionsService {
  private var unused: RPCError { RPCError(.unimplemented, "not needed here") }

  func check(
    _ request: Tenancy_V1.CheckRequest,
    _ call: CallContext
  ) throws -> Reply<Tenancy_V1.Decision> { .now(.init(allowed: true, reason: .allowed)) }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse { throw unused }

  func listActions(
    _ request: Tenancy_V1.ListActionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListActionsResponse { throw unused }

  func listSubjects(
    _ request: Tenancy_V1.ListSubjectsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListSubjectsResponse { throw unused }

  func explain(
    _ request: Tenancy_V1.ExplainRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation { throw unused }

  func fetch(
    _ request: Tenancy_V1.FetchPermissionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.FetchPermissionsResponse { throw unused }

  func listAccessible(
    _ request: Tenancy_V1.ListAccessibleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAccessibleResponse { throw unused }

  func watchChanges(
    _ request: Tenancy_V1.WatchChangesRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.Change>
  ) async throws {
    while !Task.isCancelled {
      try await writer.write(.init(revision: "1", kind: .heartbeat))
      await call.loop.sleep(.seconds(1))
    }
  }
}
