internal import CommandLineTool
internal import AccessEngine
internal import RPCKit
internal import ServiceKit
internal import TenancyService

extension Command {
  /// `gatehouse policy`: what policy files say, without a service.
  static let policy = Command(
    name: "policy",
    arguments: "check|explain|diff|test FILE|FOLDER...",
    words: "[WORD]...",
    summary: "check, explain, compare or test policy files, without a service",
    details: """
      Reads policy files, and of folders all that end in .json, as TenancyService would load them
      together. If they do not load, prints all mistakes, each with its file and its place in it, and
      exits with 1.

        check    says how many types, roles, actions and assertions there are
        explain  says what each role allows, or only --role ROLE, and under which conditions
        diff     compares two: which roles and which pairs of a role and an action are new (+), gone
                 (-), or have other conditions (~)
        test     runs the assertions, and lists the pairs that none of them touches: nobody with the
                 role on an entity is asked about the action

        gatehouse policy check policies/
        gatehouse policy diff old.json policies/smart-home.json
      """,
    formats: OutputFormat.allCases,
    options: ["--role"],
    optionScope: "policy explain",
    firstWords: PolicyWork.Task.allCases.map(\.rawValue)
  ) { context, words in
    try PolicyWork(words).run(context)
  }
}

/// Work on policy files.
private struct PolicyWork {
  /// The task for the files.
  enum Task: String, CaseIterable {
    case check
    case explain
    case diff
    case test
  }

  private let task: Task
  private let paths: [String]

  /// The task, then files and folders.
  init(_ words: [String]) throws(UsageError) {
    let tasks = Task.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.first else { throw UsageError("missing argument: one of \(tasks)") }
    guard let task = Task(rawValue: word) else {
      throw UsageError("unknown task \"\(word)\" of gatehouse policy; use \(tasks)")
    }
    (self.task, paths) = (task, Array(words.dropFirst()))
    guard !paths.isEmpty else { throw UsageError("missing argument FILE") }
    guard task != .diff || paths.count == 2 else {
      throw UsageError("gatehouse policy diff takes two files or folders, the earlier one first")
    }
  }

  /// Does the task, and prints what it finds.
  func run(_ context: CommandContext) throws {
    guard context.options.role == nil || task == .explain else {
      throw UsageError("--role is only for gatehouse policy explain")
    }
    do {
      switch task {
      case .check: try check(context)
      case .explain: try explain(context)
      case .diff: try compare(context)
      case .test: try test(context)
      }
    } catch let error as PolicyError {
      throw try report(error, context)
    }
  }

  private func check(_ context: CommandContext) throws {
    let sources = try Self.sources(paths)
    let policy = try PolicyFiles.load(sources)
    let coverage = try PolicyFiles.coverage(of: sources)
    try context.show([coverage.json(of: policy)], table: [coverage.summary(of: policy)])
  }

  private func explain(_ context: CommandContext) throws {
    let policy = try PolicyFiles.load(try Self.sources(paths))
    let description = PolicyDescription(policy)
    var roles = description.roles
    if let name = context.options.role {
      let known = roles.map(\.name).joined(separator: ", ")
      roles.removeAll { $0.name != name }
      guard !roles.isEmpty else { throw UsageError("unknown role \"\(name)\"; use \(known)") }
    } else {
      // They may do the same under every policy.
      roles.removeAll { Policy.builtInRoles.contains($0.name) }
    }
    for (place, role) in roles.enumerated() {
      let text = role.lines(style: context.console.outputStyle)
      try context.show([role.json], table: (place == 0 ? [] : [""]) + text)
    }
    guard context.options.role == nil, !description.limits.isEmpty else { return }
    let text = description.limitLines(style: context.console.outputStyle)
    try context.show(description.limits.map(\.json), table: [""] + text)
  }

  private func compare(_ context: CommandContext) throws {
    let difference = PolicyDifference(
      from: try PolicyFiles.load(try Self.sources([paths[0]])),
      to: try PolicyFiles.load(try Self.sources([paths[1]]))
    )
    try context.show(difference.json, table: difference.lines)
  }

  private func test(_ context: CommandContext) throws {
    let sources = try Self.sources(paths)
    let policy = try PolicyFiles.load(sources)
    let coverage = try PolicyFiles.coverage(of: sources)
    try context.show(
      [coverage.json(of: policy)] + coverage.untouched.map(\.json),
      table: [coverage.summary(of: policy)] + coverage.lines
    )
  }

  /// Prints each mistake with its place.
  private func report(
    _ error: PolicyError,
    _ context: CommandContext
  ) throws -> PolicyMistakes {
    for problem in error.problems {
      let text = [problem.source, problem.path, problem.problem].filter { !$0.isEmpty }
        .joined(separator: ": ")
      try context.show(
        [
          [
            "file": .string(problem.source), "path": .string(problem.path),
            "problem": .string(problem.problem),
          ]
        ],
        table: [FailureText.printable(text)]
      )
    }
    return PolicyMistakes(count: error.problems.count)
  }

  /// The files, and those of the folders, which are loaded together.
  private static func sources(_ paths: [String]) throws -> [PolicySource] {
    var sources: [PolicySource] = []
    for path in paths {
      for file in try PolicyFiles.files(at: path) { sources.append(try PolicyFiles.read(file)) }
    }
    return sources
  }
}

/// Policies that do not load; what is wrong was printed.
struct PolicyMistakes: Error, CustomStringConvertible {
  let count: Int

  var description: String {
    "the policy has \(CountText.text(count, "mistake"))"
  }
}
