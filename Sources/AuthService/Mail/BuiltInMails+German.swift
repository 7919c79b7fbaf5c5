extension BuiltInMails {
  static let german: [MailKind: Draft] = [
    .verifyEmail: Draft(
      subject: "E-Mail-Adresse bestätigen",
      paragraphs: [
        "Hallo {{name}},",
        "mit dieser Adresse wurde ein Konto angelegt. Öffnen Sie den Link, um zu bestätigen, dass es"
          + " Ihre ist:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, 24 Stunden lang. Wenn Sie kein Konto angelegt haben, brauchen"
          + " Sie nichts zu tun.",
      ]
    ),
    .resetPassword: Draft(
      subject: "Neues Passwort festlegen",
      paragraphs: [
        "Hallo {{name}},",
        "öffnen Sie den Link, um ein neues Passwort für Ihr Konto festzulegen:", "{{link}}",
        "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, 30 Minuten lang. Mit dem neuen Passwort werden Sie überall"
          + " abgemeldet. Wenn Sie das nicht wollten, brauchen Sie nichts zu tun: Ihr Passwort bleibt,"
          + " wie es ist.",
      ]
    ),
    .changeEmail: Draft(
      subject: "Neue E-Mail-Adresse bestätigen",
      paragraphs: [
        "Hallo,",
        "öffnen Sie den Link, um die Adresse {{new_email}} für Ihr Konto zu verwenden:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, eine Stunde lang. Wenn Sie das nicht wollten, brauchen Sie nichts"
          + " zu tun.",
      ]
    ),
    .emailChanged: Draft(
      subject: "Ihre E-Mail-Adresse wurde geändert",
      paragraphs: [
        "Hallo {{name}},",
        "Ihr Konto hat jetzt die Adresse {{new_email}}; diese hier gilt nicht mehr dafür.",
        "Wenn Sie das nicht waren, öffnen Sie innerhalb von sieben Tagen diesen Link, um Ihr Konto"
          + " zurückzubekommen:",
        "{{link}}", "Oder verwenden Sie diesen Code mit undo-email-change: {{token}}",
        "Damit werden alle abgemeldet, das Passwort wird ungültig, und Sie bekommen eine Mail für ein"
          + " neues.",
      ]
    ),
    .addressInUse: Draft(
      subject: "Ihre E-Mail-Adresse wird schon verwendet",
      paragraphs: [
        "Hallo,",
        "jemand wollte die Adresse {{email}} für ein anderes Konto verwenden. Sie gehört schon zu Ihrem"
          + " Konto; deshalb wurde nichts geändert.",
        "Wenn Sie das waren, melden Sie sich mit dieser Adresse an, oder lassen Sie sich ein neues"
          + " Passwort schicken.",
      ]
    ),
    .newDevice: Draft(
      subject: "Neue Anmeldung an Ihrem Konto",
      paragraphs: [
        "Hallo {{name}},",
        "an Ihrem Konto hat sich jemand von einem unbekannten Gerät angemeldet.",
        "Gerät: {{device}}", "Netz: {{network}}", "Zeit: {{time}}",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .passwordChanged: Draft(
      subject: "Ihr Passwort wurde geändert",
      paragraphs: [
        "Hallo {{name}},", "das Passwort Ihres Kontos wurde geändert: {{time}}.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken.",
      ]
    ),
    .totpAdded: Draft(
      subject: "Eine Authenticator-App wurde hinzugefügt",
      paragraphs: [
        "Hallo {{name}},",
        "zu Ihrem Konto wurde eine Authenticator-App hinzugefügt: {{time}}. Zur Anmeldung gehört von nun"
          + " an einer ihrer Codes.",
        "Wenn Sie das nicht waren, verwenden Sie einen Ihrer Wiederherstellungscodes, oder lassen Sie"
          + " sich jetzt ein neues Passwort schicken.",
      ]
    ),
    .totpRemoved: Draft(
      subject: "Ihre Authenticator-App wurde entfernt",
      paragraphs: [
        "Hallo {{name}},",
        "die Authenticator-App Ihres Kontos wurde entfernt: {{time}}. Zur Anmeldung genügt wieder Ihr"
          + " Passwort.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .recoveryCodeUsed: Draft(
      subject: "Ein Wiederherstellungscode wurde verwendet",
      paragraphs: [
        "Hallo {{name}},",
        "anstelle Ihrer Authenticator-App wurde einer Ihrer Wiederherstellungscodes verwendet:"
          + " {{time}}. Übrige Codes: {{left}}.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .recoveryCodesLow: Draft(
      subject: "Nur noch wenige Wiederherstellungscodes",
      paragraphs: [
        "Hallo {{name}},",
        "anstelle Ihrer Authenticator-App wurde einer Ihrer Wiederherstellungscodes verwendet:"
          + " {{time}}. Übrige Codes: {{left}}. Erzeugen Sie neue, bevor Sie sie brauchen.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .pinChanged: Draft(
      subject: "Ihre PIN wurde geändert",
      paragraphs: [
        "Hallo {{name}},", "die PIN Ihres Kontos wurde gesetzt oder entfernt: {{time}}.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .signInsRefused: Draft(
      subject: "Viele fehlgeschlagene Anmeldungen",
      paragraphs: [
        "Hallo {{name}},",
        "viele Versuche, sich an Ihrem Konto anzumelden, sind fehlgeschlagen, der letzte {{time}}."
          + " Weitere Versuche müssen bis zu 15 Minuten warten; Geräte, die Sie schon benutzt haben,"
          + " nicht.",
        "Sie brauchen nichts zu tun, solange niemand Ihr Passwort kennt.",
      ]
    ),
    .invitation: Draft(
      subject: "{{inviter}} lädt Sie ein",
      paragraphs: [
        "Guten Tag,", "{{inviter}} lädt Sie zu einer Rolle ein.",
        "Rolle: {{role}} ({{entity_type}})",
        "Melden Sie sich an oder legen Sie mit einer beliebigen Adresse ein Konto an, und öffnen Sie"
          + " dann diesen Link, um anzunehmen:", "{{link}}",
        "Oder geben Sie diesen Code ein, wo danach gefragt wird: {{token}}",
        "Link und Code gelten einmal, bis {{time}}. Wenn Sie nicht wissen, wer das ist, brauchen Sie"
          + " nichts zu tun.",
      ]
    ),

    .identityLinked: Draft(
      subject: "Eine weitere Anmeldung an Ihrem Konto",
      paragraphs: [
        "Hallo {{name}},",
        "an Ihrem Konto kann man sich jetzt auch mit einem Konto bei {{provider}} anmelden: {{time}}.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken, melden Sie sich"
          + " damit an und entfernen Sie {{provider}}.",
      ]
    ),
    .identityUnlinked: Draft(
      subject: "Eine Anmeldung an Ihrem Konto wurde entfernt",
      paragraphs: [
        "Hallo {{name}},",
        "an Ihrem Konto kann man sich nicht mehr mit einem Konto bei {{provider}} anmelden: {{time}}.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken.",
      ]
    ),
    .passkeyAdded: Draft(
      subject: "Ihr Konto hat einen weiteren Passkey",
      paragraphs: [
        "Hallo {{name}},",
        "an Ihrem Konto kann man sich jetzt mit einem weiteren Passkey anmelden: {{time}}.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken, melden Sie sich"
          + " damit an und entfernen Sie den Passkey.",
      ]
    ),
    .passkeyRemoved: Draft(
      subject: "Ein Passkey Ihres Kontos wurde entfernt",
      paragraphs: [
        "Hallo {{name}},",
        "einer der Passkeys Ihres Kontos wurde entfernt: {{time}}.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken.",
      ]
    ),
    .deletionBegun: Draft(
      subject: "Ihr Konto wird gelöscht",
      paragraphs: [
        "Hallo {{name}},",
        "Ihr Konto wurde überall abgemeldet. Es wird mit allem, was darin ist, gelöscht: {{time}}.",
        "Wenn Sie es behalten wollen, melden Sie sich vorher an und brechen Sie die Löschung ab. Wenn"
          + " Sie sich nicht anmelden können, lassen Sie sich zuerst ein neues Passwort schicken.",
      ]
    ),
    .deletionDone: Draft(
      subject: "Ihr Konto wurde gelöscht",
      paragraphs: [
        "Guten Tag,",
        "das Konto mit der Adresse {{email}} wurde gelöscht: {{time}}. Das lässt sich nicht rückgängig"
          + " machen.",
        "Dies ist die letzte Mail dazu: Es bleibt nichts übrig, womit wir Ihnen noch eine schicken"
          + " könnten. Mit der Adresse können Sie ein neues Konto anlegen.",
      ]
    ),
  ]
}
