internal import CStoreSimulation
import Glibc

/// The simulated machine under programs that know nothing of it.
@safe
enum Hooks {
  /// The simulation that runs.
  final class Stage: @unchecked Sendable {
    var schedule: Schedule?
    var cluster: Cluster?

    /// The one of the seed that runs.
    var present: (schedule: Schedule, cluster: Cluster) {
      guard let schedule, let cluster else { preconditionFailure("nothing is simulated") }
      return (schedule, cluster)
    }
  }

  static let stage = Stage()

  /// Takes over the calls of this process, once.
  static func install() {
    installJobs()
    var hooks = CStoreSimulation_hooks()
    hooks.sleep = { Hooks.stage.present.cluster.sleep($0) }
    unsafe hooks.wait = { semaphore in
      guard let semaphore = unsafe semaphore else { return }
      unsafe Hooks.stage.present.schedule.pause(.post(semaphore))
    }
    unsafe hooks.start = {
      unsafe Unmanaged.passRetained(Hooks.stage.present.schedule.makeThread()).toOpaque()
    }
    // It may not look at anything before it is its turn.
    unsafe hooks.begin = { thread in unsafe Hooks.thread(thread).takeUnretainedValue().park() }
    unsafe hooks.end = { thread in
      Hooks.stage.present.schedule.end(unsafe Hooks.thread(thread).takeRetainedValue())
    }
    unsafe hooks.connect = { connection, host in
      guard let connection = unsafe connection, let host = unsafe host else { return false }
      let handle = unsafe LinkHandle(connection)
      return unsafe Hooks.stage.present.cluster.connect(handle, String(cString: host))
    }
    unsafe hooks.finish = { connection in
      guard let connection = unsafe connection else { return }
      unsafe Hooks.stage.present.cluster.finish(LinkHandle(connection))
    }
    unsafe hooks.execute = { connection, text in
      guard let connection = unsafe connection, let text = unsafe text else { return nil }
      let handle = unsafe LinkHandle(connection)
      return unsafe Hooks.stage.present.cluster.execute(handle, String(cString: text)).taken
    }
    unsafe hooks.prepare = { connection, name, text, count, types in
      guard let connection = unsafe connection, let name = unsafe name, let text = unsafe text
      else {
        return nil
      }
      let types = unsafe UnsafeBufferPointer(start: types, count: Int(count))
      return unsafe Hooks.stage.present.cluster.prepare(
        LinkHandle(connection),
        String(cString: name),
        String(cString: text),
        [UInt32](types)
      ).taken
    }
    unsafe hooks.run = { connection, count, calls, results in
      guard let connection = unsafe connection, let calls = unsafe calls,
        let results = unsafe results
      else { return }
      let sent = unsafe UnsafeBufferPointer(start: calls, count: Int(count)).compactMap {
        unsafe $0.map { unsafe ServerCall($0) }
      }
      let answers = unsafe Hooks.stage.present.cluster.run(LinkHandle(connection), sent)
      for (place, answer) in answers.enumerated() { unsafe results[place] = answer.taken }
    }
    unsafe CStoreSimulation_begin(&hooks)
  }

  @unsafe
  private static func thread(_ pointer: UnsafeMutableRawPointer?) -> Unmanaged<SimulatedThread> {
    guard let pointer = unsafe pointer else { preconditionFailure("a thread is known") }
    return unsafe Unmanaged.fromOpaque(pointer)
  }

  // MARK: Jobs

  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Has all jobs of the process's shared pool come here.
  private static func installJobs() {
    let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")
    guard let place = unsafe symbol?.assumingMemoryBound(to: Hook?.self) else {
      fatalError("the runtime has no hook for jobs")
    }
    unsafe place.pointee = { job, _ in Hooks.stage.present.schedule.add(job) }
  }
}
