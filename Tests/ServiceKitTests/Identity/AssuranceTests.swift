import ServiceKit
import Testing

@Suite("How strongly a user has proved to be who they are")
struct AssuranceTests {
  @Test("A class satisfies those below it on the ladder, and what stands beside it only itself")
  func satisfies_eachPair_followsTheLadder() {
    let satisfied = [
      "pwd": ["pwd"], "mfa": ["pwd", "mfa"], "phr": ["pwd", "mfa", "phr"],
      "phrh": ["pwd", "mfa", "phr", "phrh"], "pin": ["pin"], "family_pin": ["pin", "family_pin"],
      "fed": ["fed"], "unheard": ["unheard"],
    ]
    let names = ["pwd", "mfa", "phr", "phrh", "pin", "family_pin", "fed", "unheard"]
    for acr in names {
      let found = names.filter { Assurance(acr: acr).satisfies($0) }
      #expect(found == satisfied[acr], "\(acr)")
    }
  }

  @Test("What satisfies a step-up is named as a client should ask for it, the least of it first")
  func satisfying_eachStepUp_isOrdered() {
    #expect(Assurance.satisfying("mfa") == ["mfa", "phr", "phrh"])
    #expect(Assurance.satisfying("phrh") == ["phrh"])
    #expect(Assurance.satisfying("pin") == ["pin", "family_pin", "phr", "phrh"])
    #expect(Assurance.satisfying("family_pin") == ["family_pin"])
    #expect(Assurance.satisfying("fresh").isEmpty)
    for stepUp in Assurance.ladder + ["pin", "family_pin", "fed"] {
      for acr in Assurance.satisfying(stepUp) {
        let isSatisfied = Assurance(acr: acr, isRecent: true).satisfies(stepUp)
        #expect(isSatisfied, "\(acr) for \(stepUp)")
      }
    }
  }

  @Test("The adult who types a PIN may use a passkey instead, for five minutes")
  func satisfies_pin_byRecentPasskey() {
    for acr in ["phr", "phrh"] {
      #expect(Assurance(acr: acr, isRecent: true).satisfies("pin"), "\(acr)")
      #expect(!Assurance(acr: acr).satisfies("pin"), "\(acr)")
    }
    for acr in ["pwd", "mfa", "fed"] {
      #expect(!Assurance(acr: acr, isRecent: true).satisfies("pin"), "\(acr)")
    }
    #expect(Assurance(acr: "family_pin").satisfies("pin"))
    // The other way round a child's own PIN or passkey would open parent mode.
    for acr in ["pin", "phr", "phrh"] {
      #expect(!Assurance(acr: acr, isRecent: true).satisfies("family_pin"), "\(acr)")
    }
  }

  @Test(
    "What the store keeps of an assurance is that assurance",
    arguments: [
      Assurance(acr: "mfa"), Assurance(acr: "pin", purpose: "family.enter_parent_mode"),
      Assurance(acr: "family_pin", purpose: "family.enter_parent_mode", object: "fam_1"),
      Assurance(acr: "phr", isRecent: true), Assurance(acr: ""),
    ]
  )
  func text_andBack_isTheSame(assurance: Assurance) {
    #expect(Assurance(text: assurance.text) == assurance)
  }
}
