import Testing

@testable import ServiceKit

/// One rule for addresses, at whichever door they come in.
@Suite("Addresses")
struct EmailAddressTests {
  @Test(
    "Spellings of one mailbox have one key",
    arguments: [
      ["ada@example.org", "ADA@Example.ORG"],
      [
        "ada@münchen.example", "Ada@MÜNCHEN.example", "ada@mu\u{308}nchen.example",
        "ada@xn--mnchen-3ya.example", "ada@XN--MNCHEN-3YA.example", "ada@münchen。example",
      ],
      ["jürgen@example.org", "ju\u{308}rgen@example.org", "JürGEN@EXAMPLE.org"],
      ["ada@faß.example", "ada@xn--fa-hia.example"],
      ["ada@ｅｘａｍｐｌｅ.org", "ada@example.org"],
    ]
  )
  func key_spellings_areOne(spellings: [String]) {
    for text in spellings {
      #expect(EmailAddress(text).isMailable, "\(text)")
      #expect(EmailAddress(text).key == EmailAddress(spellings[0]).key, "\(text)")
      #expect(EmailAddress(text).text == text)
    }
  }

  @Test("Mailboxes that only look alike have keys of their own")
  func key_lookAlikes_differ() {
    let texts = [
      "ada@example.org", "adа@example.org", "ada@exаmple.org", "ada@example.com",
      "a.da@example.org",
      "ada+x@example.org", "adá@example.org", "ADÁ@example.org", "ada@fass.example",
      "ada@faß.example", "Ⅸ@example.org", "ix@example.org", "straße@example.org",
      "strasse@example.org",
    ]
    #expect(Set(texts.map { EmailAddress($0).key }).count == texts.count)
  }

  @Test(
    "What follows the @ is the name of a domain",
    arguments: [
      "a@iana-.com", "a@-iana.com", "a@1.2.3.4", "a@127.1", "a@1", "a@iana/icann.org",
      "a@\(String(repeating: "b", count: 64)).org", "a@a_b.org", "a@exa mple.org",
      "a@ex%61mple.org",
      "a@☃.net", "a@xn--n3h.net", "a@xn--zz--9.com", "a@xn--a.com", "a@ü-.org", "a@-ü.org",
      "a@\u{308}b.org", "a@℀.org", "a@1.2.3.４", "a@ex\u{200D}ample.org",
      "a@.org", "a@org.", "a@a..b", "a@\0.org", "a@ü\0.org",
      "a@\(String(repeating: "ü.", count: 60))example", "a@[1.2.3.4]", "a@b@c.org", "a", "",
    ]
  )
  func domain_none_isRefused(text: String) {
    #expect(!EmailAddress(text).isMailable)
    // And is compared as it is written.
    #expect(EmailAddress(text).key == text)
  }

  @Test("A domain that hides a character is none to send mail to")
  func domain_hiddenCharacter_isRefused() {
    // Nobody sees a soft hyphen, and IDNA drops it.
    #expect(!EmailAddress("a@exam\u{AD}ple.org").isMailable)
  }

  @Test("Parts are as long as mail servers take them, in either spelling")
  func length_bounds_areKept() {
    let label = String(repeating: "b", count: 63)
    #expect(EmailAddress("a@\(label).org").isMailable)
    let local = String(repeating: "l", count: 64)
    let domain = Array(repeating: "bbbbbbbb.", count: 20).joined() + "exampl.org"
    #expect(EmailAddress("\(local.dropLast(1))@\(domain)").text.utf8.count == 254)
    #expect(EmailAddress("\(local.dropLast(1))@\(domain)").isMailable)
    #expect(!EmailAddress("\(local)@\(domain)").isMailable)
    #expect(EmailAddress("\(local)@example.org").isMailable)
    #expect(!EmailAddress("\(local)l@example.org").isMailable)
    #expect(!EmailAddress("\(String(repeating: "ü", count: 33))@example.org").isMailable)
    // 240 bytes as it is written, and more as DNS has it.
    let wide = Array(repeating: "üü.", count: 40).joined() + "example"
    #expect(!EmailAddress("a@\(wide)").isMailable)
  }

  @Test("Servers are told the domain as DNS has it, and the rest as it is written")
  func deliverable_domain_isASCII() {
    #expect(EmailAddress("Ada@Example.org").deliverable == "Ada@Example.org")
    #expect(EmailAddress("Ada@münchen.example").deliverable == "Ada@xn--mnchen-3ya.example")
    #expect(EmailAddress("jürgen@Example.org").deliverable == "jürgen@Example.org")
    #expect(EmailAddress("no address").deliverable == "no address")
  }

  @Test("An account without an address has a key that no text has")
  func missing_key_isNobodys() {
    let none = EmailAddress(missingOf: "usr_1")
    #expect(none.text == "" && !none.isMailable)
    #expect(EmailAddress(none.key).key != none.key)
    #expect(none.formerKey == none.key)
  }
}
