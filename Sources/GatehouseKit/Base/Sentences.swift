/// The languages of sentences for people.
public enum KitLanguage: String, Sendable, CaseIterable {
  /// English.
  case english = "en"
  /// German.
  case german = "de"
}

extension KitError {
  /// A sentence to show to a person; for `invalid`, show `fields` beside the form as well.
  public func sentence(in language: KitLanguage = .english) -> String {
    let sentences = Self.byReason[reason] ?? Self.byKind[kind]
    return language == .german ? sentences?.german ?? "" : sentences?.english ?? ""
  }

  private typealias Sentences = (english: String, german: String)

  private static let byReason: [String: Sentences] = [
    "INVALID_CREDENTIALS": (
      "The address or the password is wrong.", "Die Adresse oder das Passwort ist falsch."
    ),
    "PIN_INVALID": ("The PIN is wrong.", "Die PIN ist falsch."),
    "CODE_INVALID": ("The code is wrong.", "Der Code ist falsch."),
    "NOT_YET_VALID": (
      "Your access has not begun yet.", "Dein Zugang hat noch nicht begonnen."
    ),
    "EXPIRED": ("Your access has ended.", "Dein Zugang ist abgelaufen."),
    "DEVICE_OFFLINE": (
      "The device cannot be reached right now.", "Das Gerät ist gerade nicht erreichbar."
    ),
    "ALREADY_CLAIMED": (
      "This purchase belongs to another account.", "Dieser Kauf gehört zu einem anderen Konto."
    ),
    "BOUND_ELSEWHERE": (
      "This purchase is in use elsewhere. You can move it.",
      "Dieser Kauf gilt schon woanders. Du kannst ihn übertragen."
    ),
  ]

  private static let byKind: [Kind: Sentences] = [
    .offline: (
      "We cannot reach the server. Please try again.",
      "Der Server ist nicht erreichbar. Bitte versuche es noch einmal."
    ),
    .signedOut: ("Please sign in.", "Bitte melde dich an."),
    .wrongCredentials: ("That was not accepted.", "Das wurde nicht akzeptiert."),
    .denied: ("You do not have permission for this.", "Dafür hast du keine Berechtigung."),
    .stepUpNeeded: (
      "Please confirm first that it is you.", "Bitte bestätige zuerst, dass du es bist."
    ),
    .featureNeeded: (
      "This is not part of your plan.", "Das ist in deinem Tarif nicht enthalten."
    ),
    .limitReached: (
      "The limit of your plan is reached.", "Die Grenze deines Tarifs ist erreicht."
    ),
    .invalid: ("Please check what you entered.", "Bitte prüfe deine Eingaben."),
    .refused: ("This is not possible right now.", "Das ist gerade nicht möglich."),
    .conflict: (
      "This has changed. Please look again and try once more.",
      "Das hat sich geändert. Bitte sieh nach und versuche es noch einmal."
    ),
    .tooMany: ("That was too often. Please wait.", "Das war zu oft. Bitte warte etwas."),
    .gone: ("This no longer exists.", "Das gibt es nicht mehr."),
    .updateNeeded: ("Please update the app.", "Bitte aktualisiere die App."),
    .storage: (
      "The device's storage cannot be used right now.",
      "Der Speicher des Geräts ist gerade nicht verfügbar."
    ),
    .server: (
      "Something went wrong on our side.", "Bei uns ist etwas schiefgegangen."
    ),
  ]
}
