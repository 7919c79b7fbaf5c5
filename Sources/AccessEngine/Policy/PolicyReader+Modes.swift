internal import StrictJSON

/// Modes: an action that is asked for once, and the actions that its step-up is then good for.
extension PolicyReader {
  mutating func readModes(_ document: Int) {
    let scope = documents[document]
    for member in problems.members(scope.modes) {
      _ = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
      guard var object = PolicyObject(member.field, problems) else { continue }
      let enter = object.required("enter") { field throws(JSONDecodingError) in
        try action(field, in: scope)
      }
      for element in problems.elements(object.required("covers")) {
        let covered = problems.attempt { () throws(JSONDecodingError) in
          try action(element, in: scope)
        }
        guard let covered, let enter else { continue }
        if modes.updateValue(enter, forKey: covered) != nil {
          problems.note(element.error("is covered already; a mode covers an action once"))
        }
      }
      object.finish()
    }
  }

  /// An action of the same file.
  private func action(
    _ field: JSONField,
    in scope: PolicyDocument
  ) throws(JSONDecodingError) -> ActionID {
    let name = try field.string()
    guard scope.actions.contains(name), let id = actionIDs[name] else {
      throw field.error("unknown action \"\(name)\"")
    }
    return id
  }
}
