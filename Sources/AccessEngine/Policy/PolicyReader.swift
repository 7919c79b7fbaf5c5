internal import StrictJSON

/// Compiles the JSON of policies that are loaded together into one policy: first the names of all files,
/// then what refers to them.
///
/// Mistakes are noted and reading continues, with something harmless in the place of what is wrong.
struct PolicyReader {
  let problems = PolicyProblems()
  var documents: [PolicyDocument] = []
  var types = [Policy.EntityType(name: Policy.systemType)]
  var roles: [Policy.Role] = []
  var links: [Policy.Link] = []
  var actions: [String] = []
  var actionIDs: [String: ActionID] = [:]
  var stepUps: [String] = []
  var features: [String] = []
  var windows: [ZonedWindow] = []
  /// The action that enters the mode which covers an action.
  var modes: [ActionID: ActionID] = [:]
  /// The names of ours that policies may use.
  let words: PolicyWords
  /// Where conditions on the time find their zones.
  let zones: any TimeZoneSource
  var selfServices: [Policy.SelfService] = []
  /// Which file a name is from, by what it names and the name.
  private var owners: [String: String] = [:]
  /// Of each role, those that it includes, and then itself and every role that includes it.
  var included: [RoleSet] = []
  var including: [RoleSet] = []
  /// Actions that each role has through each link: `[link][role]`.
  var linkActions: [[Set<String>]] = []
  /// The role of operators, if no file declares it.
  var builtInOperator: RoleID?
  /// The role of support people, if no file declares one of the name.
  var builtInSupport: RoleID?
  /// Attributes that could not be read: what refers to them is no mistake of its own.
  var unreadable: Set<String> = []
  /// The names that applications have.
  var appNames = AppNames()
  var rules: [(type: EntityTypeID, action: ActionID, rule: Policy.ActionRule)] = []

  /// Reads policies; of one that was in force once, its words are not checked again.
  init(zones: any TimeZoneSource, isPast: Bool = false) {
    self.zones = zones
    words = PolicyWords(areClosed: !isPast)
  }

  /// The policy of some files; of no use if problems were noted.
  mutating func read(_ sources: [PolicySource]) -> Policy {
    for source in sources { open(source) }
    nameBuiltInRoles()
    linkActions = links.map { _ in [Set<String>](repeating: [], count: roles.count) }
    included = roles.map { _ in .none }
    eachDocument { reader, document in reader.readLinks(document) }
    eachDocument { reader, document in reader.readRoles(document) }
    readBuiltInRoles()
    including = Self.closure(of: included)
    eachDocument { reader, document in reader.readTypes(document) }
    eachDocument { reader, document in reader.readRules(document) }
    eachDocument { reader, document in reader.readModes(document) }
    readBuiltInActions()
    eachDocument { reader, document in reader.readDeclarations(document) }
    return compiled()
  }

  private mutating func eachDocument(_ body: (inout PolicyReader, Int) -> Void) {
    for document in documents.indices {
      problems.source = documents[document].source
      body(&self, document)
    }
  }

  // MARK: Names

  private mutating func open(_ source: PolicySource) {
    problems.source = source.name
    let json: JSONValue
    do {
      json = try JSONReader.read(source.text, limits: JSONLimits(byteCountMax: Policy.byteCountMax))
    } catch {
      return problems.note("", "is not JSON: \(error)")
    }
    guard var object = PolicyObject(JSONField(json), problems) else { return }
    // For editors: it names the JSON Schema of the file.
    _ = object.optional("$schema") { field throws(JSONDecodingError) in try field.string() }
    var document = PolicyDocument(source: source.name)
    if let field = object.required("name") {
      let name = problems.attempt { () throws(JSONDecodingError) in try Self.name(field) }
      document.name = name ?? ""
      if let name { _ = claim(name, "policy", field) }
    }
    document.version =
      object.required("version") { field throws(JSONDecodingError) in
        try field.integer(in: 1...Int64(Int32.max))
      } ?? 0
    document.accessLevels =
      object.required("access_levels") { field throws(JSONDecodingError) in
        try field.strings()
      } ?? []
    document.typeMembers = problems.members(object.required("types"))
    document.roleMembers = problems.members(object.required("roles"))
    document.linkMembers = problems.members(object.optional("links"))
    document.conditionSets = conditionSets(object.optional("condition_sets"))
    document.selfService = object.optional("self_service")
    document.modes = object.optional("modes")
    document.assertions = object.required("assertions")
    object.finish()
    readNames(of: &document)
    documents.append(document)
  }

  /// Gives the names of a file their places.
  ///
  /// One that another file has refers to that file's, so that what uses it is no mistake as well.
  private mutating func readNames(of document: inout PolicyDocument) {
    document.typeMembers.removeAll { member in
      guard member.name != Policy.systemType else { return false }
      if claim(member, "type", types.count < Policy.typeCountMax, Policy.typeCountMax) {
        document.types[member.name] = EntityTypeID(index: UInt8(types.count))
        types.append(Policy.EntityType(name: member.name, document: documents.count))
        return false
      }
      let place = types.firstIndex { $0.name == member.name }
      document.types[member.name] = place.map { EntityTypeID(index: UInt8($0)) }
      let actions = member.field.value.object?["actions"]?.object?.members.map(\.name)
      document.actions.formUnion(actions ?? [])
      return true
    }
    document.roleMembers.removeAll { member in
      let isBuiltIn = Policy.builtInRoles.contains(member.name)
      let others = roles.count { !Policy.builtInRoles.contains($0.name) }
      let countMax = words.areClosed ? Policy.roleCountMax : RoleSet.countMax - 1
      let hasRoom = isBuiltIn || others < countMax
      if claim(member, "role", hasRoom, Policy.roleCountMax) {
        document.roles[member.name] = RoleID(index: UInt8(roles.count))
        roles.append(Policy.Role(name: member.name))
        return false
      }
      let place = roles.firstIndex { $0.name == member.name }
      document.roles[member.name] = place.map { RoleID(index: UInt8($0)) }
      return true
    }
    document.linkMembers.removeAll { member in
      if claim(member, "link", links.count < Policy.linkCountMax, Policy.linkCountMax) {
        document.links[member.name] = LinkID(index: UInt8(links.count))
        links.append(Policy.Link(name: member.name, from: .system, to: .system))
        return false
      }
      let place = links.firstIndex { $0.name == member.name }
      document.links[member.name] = place.map { LinkID(index: UInt8($0)) }
      return true
    }
  }

  /// Whether a name may be given, and no other file has it.
  private mutating func claim(
    _ member: PolicyMember,
    _ what: String,
    _ hasRoom: Bool,
    _ countMax: Int
  ) -> Bool {
    let name = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
    guard let name else { return false }
    guard hasRoom else {
      problems.note(
        member.field.path,
        "policies can have at most \(countMax) \(what)s together"
      )
      return false
    }
    return claim(name, what, member.field)
  }

  /// Whether no other file has a name; the file that is being read has it from now on.
  mutating func claim(_ name: String, _ what: String, _ field: JSONField) -> Bool {
    if what == "action", PolicyWords.isShared(action: name) { return true }
    let owner = owners.updateValue(problems.source, forKey: "\(what) \(name)")
    guard let owner, owner != problems.source || what != "action" else { return true }
    owners["\(what) \(name)"] = owner
    problems.note(
      field.path,
      "\(owner) has \(what == "action" ? "an" : "a") \(what) \"\(name)\" too; "
        + "policies that are loaded together need different names"
    )
    return false
  }

  static func name(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard PolicyMember.isName(name) else { throw field.error(PolicyMember.nameRule) }
    return name
  }

  /// A set of types; `*` is all of `every`.
  func typeSet(_ field: JSONField?, _ document: Int, every: EntityTypeSet? = nil) -> EntityTypeSet {
    var set = EntityTypeSet()
    for element in problems.elements(field) {
      if element.value.string == "*" {
        set.formUnion(every ?? documents[document].allTypes)
      } else if let type = problems.attempt({ () throws(JSONDecodingError) in
        try documents[document].type(element)
      }) {
        set.insert(type)
      }
    }
    return set
  }

  // MARK: The result

  private func compiled() -> Policy {
    var table = [Policy.ActionRule?](repeating: nil, count: types.count * actions.count)
    for (type, action, rule) in rules {
      table[Int(type.index) * actions.count + Int(action.index)] = rule
    }
    return Policy(
      documents: documents.map {
        Policy.Document(name: $0.name, version: $0.version, accessLevels: $0.accessLevels)
      },
      types: types,
      roles: roles,
      actions: actions,
      links: links,
      selfServices: selfServices,
      stepUps: stepUps,
      features: features,
      windows: windows,
      modes: actions.indices.map { modes[ActionID(index: UInt16($0))] },
      reaching: types.indices.map { type in
        var set = RoleSet.none
        for (index, role) in roles.enumerated()
        where role.inheritsTo.contains(EntityTypeID(index: UInt8(type))) {
          set.insert(RoleID(index: UInt8(index)))
        }
        return set
      },
      rules: table,
      actionIDs: actionIDs,
      appNames: appNames
    )
  }
}
