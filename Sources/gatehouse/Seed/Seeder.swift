internal import PeerContracts
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// Makes what of a world is not there yet, each thing by a public call of anyone who would make it.
struct Seeder {
  private let world: SeedWorld
  private let context: CommandContext
  /// Sessions of the people, by key; they end with the run.
  private var sessions: [String: Session] = [:]
  /// Tokens of those who are in parent mode, by key.
  private var elevated: [String: String] = [:]
  /// Identifiers of people and things, by key.
  private var identifiers: [String: String] = [:]

  init(_ world: SeedWorld, _ context: CommandContext) {
    (self.world, self.context) = (world, context)
  }

  /// Makes everything and says what was made, who can sign in and what to try.
  mutating func run() async throws {
    let password = try PasswordSource.new(context)
    do {
      for person in world.people { try await signIn(person, password) }
      for thing in world.things { try await make(thing) }
      for role in world.roles { try await grant(role) }
      for step in world.steps { try await take(step) }
    } catch {
      await end()
      throw error
    }
    await end()
    try sayWhatIsNext()
  }

  /// A session that cannot be ended now ends by itself.
  private func end() async {
    for session in sessions.values { try? await SessionKeeper(context).end(session) }
  }

  // MARK: People

  private func email(_ person: SeedWorld.Person) -> String { "\(person.key)@\(world.domain)" }

  /// Signs in first: another run is no attempt to make accounts, of which each machine has few.
  private mutating func signIn(_ person: SeedWorld.Person, _ password: String) async throws {
    let email = email(person)
    let timeout = context.callTimeout
    var isNew = false
    let response: Auth_V1.SignInResponse
    do {
      let request = Auth_V1.SignInRequest(
        email: email,
        password: password,
        device: .commandLine,
        allowPartialContext: true
      )
      response = try await context.withChannel(to: "auth") { channel in
        try await Auth_V1.AuthenticationClient(channel).signIn(request, timeout: timeout)
      }
    } catch let failure as CallFailure where failure.error.code == .unauthenticated {
      isNew = true
      response = try await signUp(person, password)
    }
    let session = Session(response, authTarget: context.options.targets["auth"] ?? "")
    sessions[person.key] = session
    identifiers[person.key] = session.userID
    try say("account", session.userID, email, isNew: isNew)
  }

  private func signUp(
    _ person: SeedWorld.Person,
    _ password: String
  ) async throws -> Auth_V1.SignInResponse {
    let request = Auth_V1.SignUpRequest(
      email: email(person),
      password: password,
      displayName: person.name,
      device: .commandLine,
      allowPartialContext: true
    )
    let timeout = context.callTimeout
    do {
      return try await context.withChannel(to: "auth") { channel in
        try await Auth_V1.AuthenticationClient(channel).signUp(request, timeout: timeout)
      }
    } catch let failure as CallFailure where failure.error.code == .alreadyExists {
      throw SeedFailure(
        "\(email(person)) has another password; give the one of the first run, for example in "
          + Secret.password.variable
      )
    }
  }

  // MARK: Things and roles

  private mutating func make(_ thing: SeedWorld.Thing) async throws {
    let parent = thing.parent.flatMap { identifiers[$0] }
    var filter: JSONObject = ["type": .string(thing.type), "pageSize": 1000]
    if let parent { filter["parentId"] = .string(parent) }
    let there = try await call("Entities/List", .object(filter), by: thing.by)
    let known = Self.objects(there["entities"]).first { $0["name"]?.string == thing.name }
    if let id = known?["id"]?.string {
      identifiers[thing.key] = id
      return try say(thing.type, id, thing.name, isNew: false)
    }
    var entity: JSONObject = [
      "type": .string(thing.type), "name": .string(thing.name),
      "attributes": try Self.json(thing.attributes),
    ]
    if let parent { entity["parentId"] = .string(parent) }
    let made = try await call("Entities/Create", ["entity": .object(entity)], by: thing.by)
    let id = made["id"]?.string ?? ""
    identifiers[thing.key] = id
    try say(thing.type, id, thing.name, isNew: true)
  }

  private mutating func grant(_ role: SeedWorld.Role) async throws {
    let (user, entity) = (identifiers[role.to] ?? "", identifiers[role.on] ?? "")
    let there = try await call(
      "Roles/ListByEntity",
      [
        "entityId": .string(entity), "role": .string(role.role), "inForce": true,
        "pageSize": 1000,
      ],
      by: role.by
    )
    let known = Self.objects(there["associations"]).first { $0["userId"]?.string == user }
    let name = "\(role.role) \(role.to)@\(world.domain)"
    if let id = known?["id"]?.string { return try say("role", id, name, isNew: false) }
    var new: JSONObject = [
      "entityId": .string(entity), "role": .string(role.role), "userId": .string(user),
    ]
    if let days = role.days {
      let now = context.clock.now
      new["validFrom"] = .string(InstantText.text(now))
      new["validUntil"] = .string(InstantText.text(now + days * 86_400_000))
    }
    if role.isGuarded { try await enterParentMode(role.by) }
    let made = try await call(
      "Roles/Grant",
      ["role": .object(new)],
      by: role.by,
      inParentMode: role.isGuarded
    )
    try say("role", made["id"]?.string ?? "", name, isNew: true)
  }

  private mutating func take(_ step: SeedWorld.Step) async throws {
    if let lookup = step.unless {
      let there = try await call(
        lookup.method,
        try Self.json(filled(lookup.request)),
        by: step.by
      )
      let elements = Self.objects(there[lookup.list])
      let isThere = elements.contains { lookup.app == nil || $0["app"]?.string == lookup.app }
      guard !isThere else { return try say("call", "", step.method, isNew: false) }
    }
    do {
      if step.isGuarded { try await enterParentMode(step.by) }
      _ = try await call(
        step.method,
        try Self.json(filled(step.request)),
        by: step.by,
        inParentMode: step.isGuarded
      )
      try say("call", "", step.method, isNew: true)
    } catch let failure as CallFailure where failure.error.code == .alreadyExists {
      try say("call", "", step.method, isNew: false)
    }
  }

  // MARK: Parent mode

  /// Proves the PIN of the family for a person, once; sets it if there is none.
  private mutating func enterParentMode(_ person: String) async throws {
    guard elevated[person] == nil, let pin = world.familyPin else { return }
    let family = JSONValue.string(identifiers[pin.family] ?? "")
    let request: JSONValue = ["familyId": family, "pin": .string(pin.pin)]
    let state = try await call("StepUp/GetFamilyPin", ["familyId": family], by: pin.by)
    if state["isSet"]?.boolean != true {
      _ = try await call("StepUp/SetFamilyPin", request, by: pin.by)
    }
    let answer = try await call("StepUp/VerifyFamilyPin", request, by: person)
    elevated[person] = answer["token"]?.object?["token"]?.string ?? ""
  }

  // MARK: Calls

  /// Calls a method as somebody; the answer with all its fields.
  private func call(
    _ method: String,
    _ request: JSONValue,
    by person: String,
    inParentMode: Bool = false
  ) async throws -> JSONObject {
    let schema = try MethodLookup.method(method, in: context.registry)
    let service = schema.service.split(separator: ".").first.map(String.init) ?? ""
    let message = RawMessage(
      bytes: try MessageJSON(context.registry).encode(request, as: schema.requestType)
    )
    let token = inParentMode ? elevated[person] : sessions[person]?.accessToken
    let options = CallOptions(
      timeout: context.callTimeout,
      metadata: ["authorization": "Bearer \(token ?? "")"]
    )
    let answer: RawMessage = try await context.withChannel(to: service) { channel in
      try await channel.unary(schema.descriptor, message, options: options)
    }
    let json = MessageJSON(context.registry, unset: .all)
    return try json.decode(answer.bytes, as: schema.responseType).object ?? [:]
  }

  /// A text with identifiers in the place of keys.
  private func filled(_ text: String) -> String {
    var parts = text.split(separator: "{", omittingEmptySubsequences: false).map(String.init)
    for place in parts.indices.dropFirst() {
      let end = parts[place].firstIndex(of: "}")
      let key = end.map { String(parts[place][..<$0]) }
      guard let end, let key, let id = identifiers[key] else {
        parts[place] = "{" + parts[place]
        continue
      }
      parts[place] = id + parts[place][parts[place].index(after: end)...]
    }
    return parts.joined()
  }

  private static func json(_ text: String) throws -> JSONValue {
    try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 16))
  }

  private static func objects(_ value: JSONValue?) -> [JSONObject] {
    (value?.array ?? []).compactMap(\.object)
  }

  // MARK: Output

  private func say(_ kind: String, _ id: String, _ name: String, isNew: Bool) throws {
    let padding = String(repeating: " ", count: max(0, 12 - kind.count))
    let place = id.isEmpty ? "" : "\(id)  "
    try context.show(
      [
        [
          "type": .string(kind), "id": .string(id), "name": .string(name),
          "new": .boolean(isNew),
        ]
      ],
      table: [
        FailureText.printable("\(isNew ? "new  " : "there")  \(kind)\(padding)  \(place)\(name)")
      ]
    )
  }

  /// Notes for people, beside the results that programs read.
  private func sayWhatIsNext() throws {
    guard context.options.output != .json else { return }
    let width = world.people.map { email($0).count }.max() ?? 0
    try context.console.line("")
    try context.console.line("who can sign in, all with the password that you gave:")
    for person in world.people {
      let email = email(person)
      let padding = String(repeating: " ", count: width - email.count)
      try context.console.line("  \(email)\(padding)  \(person.name), who \(person.about)")
    }
    try context.console.line("")
    try context.console.line("what to try:")
    for command in world.next { try context.console.line("  \(filled(command))") }
  }
}

/// A world that cannot be made.
struct SeedFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
