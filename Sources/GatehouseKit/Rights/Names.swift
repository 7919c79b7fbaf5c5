/// A name of the policy or the catalogue.
///
/// Apps declare those that they know; one that is new never breaks them.
public protocol OpenName: RawRepresentable<String>, Hashable, Sendable, ExpressibleByStringLiteral {
  /// Makes a name.
  init(rawValue: String)
}

extension OpenName {
  /// Makes a name from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// An action, as the policy names it (`organization.manage_invoices`) or as it is named for apps (`manageInvoices`).
public struct Action: OpenName {
  /// The name.
  public var rawValue: String

  /// Makes an action.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A role, as the policy names it (`stable_manager`) or as it is named for apps (`stableManager`).
public struct Role: OpenName {
  /// The name.
  public var rawValue: String

  /// Makes a role.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A feature or a limit of the catalogue: `analytics`, `maxHorses`.
public struct Feature: OpenName {
  /// The name.
  public var rawValue: String

  /// Makes a feature.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// An attribute of an object: `chip_number`, or `chipNumber` as apps write it.
public struct Field: OpenName {
  /// The name.
  public var rawValue: String

  /// Makes a field.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The name as apps write it.
  var camelCase: String {
    let words = rawValue.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { name, word in
      name + word.prefix(1).uppercased() + word.dropFirst()
    }
  }

  /// The name as policies write it.
  var snakeCase: String {
    rawValue.reduce(into: "") { name, character in
      if character.isUppercase {
        name += "_" + character.lowercased()
      } else {
        name.append(character)
      }
    }
  }
}
