internal import RPCKit

/// Routes by the segments of their paths.
///
/// Of several templates that a path fits, the one counts whose first different segment says more: text before
/// `*`, `*` before `**`. The generator lets no two be alike.
struct RESTRouteTree {
  /// The match of a path.
  enum Match {
    /// A route, and whether the path ends in its verb.
    case route(RESTRoute, hasVerb: Bool)
    /// Routes for other methods, which these are, sorted, and the form of errors there.
    case otherMethods([String], HTTPBinding.Errors)
    /// Nothing.
    case nothing
  }

  /// A place in the tree; built once, before anything is served.
  private struct Node {
    var literals: [String: Int] = [:]
    var single: Int?
    /// Routes that end here, by verb and method.
    var here: [String: [String: RESTRoute]] = [:]
    /// Routes that end here with `**`.
    var rest: [String: [String: RESTRoute]] = [:]
  }

  private var nodes = [Node()]
  private var verbs: Set<String> = []

  /// Adds a route; one that is there already with its method and path is a mistake of the program.
  mutating func insert(_ route: RESTRoute) {
    let binding = route.binding
    if !binding.verb.isEmpty { verbs.insert(binding.verb) }
    var place = 0
    for segment in binding.segments {
      switch segment {
      case .literal(let text): place = child(of: place, text)
      case .single: place = single(of: place)
      case .rest:
        let old = nodes[place].rest[binding.verb, default: [:]].updateValue(
          route,
          forKey: binding.method
        )
        return precondition(old == nil, "two methods are at \(binding.template)")
      }
    }
    let old = nodes[place].here[binding.verb, default: [:]].updateValue(
      route,
      forKey: binding.method
    )
    precondition(old == nil, "two methods are at \(binding.template)")
  }

  private mutating func child(of place: Int, _ text: String) -> Int {
    if let next = nodes[place].literals[text] { return next }
    nodes.append(Node())
    nodes[place].literals[text] = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func single(of place: Int) -> Int {
    if let next = nodes[place].single { return next }
    nodes.append(Node())
    nodes[place].single = nodes.count - 1
    return nodes.count - 1
  }

  /// Finds what a path with a method leads to.
  ///
  /// Every place of the tree is looked at once at most, so the work is bounded by the contracts.
  func match(_ path: RESTPath, method: String) -> Match {
    var search = Search(tree: self, path: path, method: method)
    if let verb = path.verb, verbs.contains(verb) {
      search.verb = verb
      if let route = search.find(0, at: 0) { return .route(route, hasVerb: true) }
    }
    // A colon may be a part of an identifier as well.
    search.verb = ""
    if let route = search.find(0, at: 0) { return .route(route, hasVerb: false) }
    return search.others.isEmpty
      ? .nothing : .otherMethods(search.others.sorted(), search.errors)
  }

  private struct Search {
    let tree: RESTRouteTree
    let path: RESTPath
    let method: String
    var verb = ""
    /// Methods of routes that the path fits.
    var others: Set<String> = []
    /// How those tell of errors.
    var errors = HTTPBinding.Errors.envelope

    mutating func find(_ index: Int, at place: Int) -> RESTRoute? {
      let node = tree.nodes[place]
      guard index < path.count else { return pick(node.here) ?? pick(node.rest) }
      let segment = path.segment(index, withoutVerb: !verb.isEmpty)
      // No variable takes an empty segment: two slashes, or one at the end, are another path.
      if !segment.isEmpty {
        if let next = node.literals[segment], let route = find(index + 1, at: next) { return route }
        if let next = node.single, let route = find(index + 1, at: next) { return route }
      }
      guard !node.rest.isEmpty, hasNoEmptySegment(from: index) else { return nil }
      return pick(node.rest)
    }

    private mutating func pick(_ routes: [String: [String: RESTRoute]]) -> RESTRoute? {
      guard let methods = routes[verb] else { return nil }
      if let route = methods[method] { return route }
      others.formUnion(methods.keys)
      if let route = methods.values.first { errors = route.binding.errors }
      return nil
    }

    private func hasNoEmptySegment(from index: Int) -> Bool {
      (index..<path.count).allSatisfy {
        !path.segment($0, withoutVerb: !verb.isEmpty).isEmpty
      }
    }
  }
}
