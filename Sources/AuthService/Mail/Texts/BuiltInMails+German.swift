extension BuiltInMails {
  static let german: [MailKind: Draft] = [
    .verifyEmail: Draft(
      subject: "E-Mail-Adresse bestätigen",
      paragraphs: [
        "Hallo {{name}},",
        "mit dieser Adresse wurde ein Konto angelegt. Öffnen Sie den Link, um zu bestätigen, dass es"
          + " Ihre ist:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, 24 Stunden lang. Wo Sie nicht am Konto angemeldet sind, werden Sie auch"
          + " nach seinem Passwort oder Passkey gefragt.",
        "Wenn Sie das Konto nicht angelegt haben, öffnen Sie den Link und geben Sie an, dass Sie das nicht waren:"
          + " Dann verliert jenes Konto die Adresse. Geben Sie nie ein Passwort für ein fremdes Konto ein.",
      ]
    ),
    .resetPassword: Draft(
      subject: "Neues Passwort festlegen",
      paragraphs: [
        "Hallo {{name}},",
        "öffnen Sie den Link, um ein neues Passwort für Ihr Konto festzulegen:", "{{link}}",
        "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, 30 Minuten lang. Mit dem neuen Passwort werden Sie überall"
          + " abgemeldet. Wenn Sie das nicht wollten, brauchen Sie nichts zu tun: Es ändert sich nichts.",
      ]
    ),
    .resetUnproven: Draft(
      subject: "Passwort festlegen",
      paragraphs: [
        "Hallo {{name}},",
        "mit dieser Adresse gibt es ein Konto, aber niemand hat bestätigt, dass sie der Person gehört, die es"
          + " angelegt hat. Deshalb legt dieser Link ein neues, leeres Konto mit Ihrer Adresse und dem Passwort"
          + " an, das Sie festlegen:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Wenn Sie das Konto selbst angelegt haben und seinen Inhalt behalten wollen, verwenden Sie den Code dort,"
          + " wo Sie noch angemeldet sind, oder melden Sie sich an und bestätigen Sie zuerst Ihre Adresse.",
        "Link und Code gelten einmal, 30 Minuten lang. Wenn Sie hier kein Konto wollen, brauchen Sie nichts zu"
          + " tun.",
      ]
    ),
    .passwordVoid: Draft(
      subject: "Ihr Passwort gilt nicht mehr",
      paragraphs: [
        "Hallo {{name}},",
        "das Passwort Ihres Kontos wurde ungültig gemacht, und Sie wurden überall abgemeldet. Öffnen Sie den"
          + " Link, um ein neues festzulegen:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, 30 Minuten lang. Danach lassen Sie sich bei der Anmeldung ein neues"
          + " Passwort schicken.",
      ]
    ),
    .changeEmail: Draft(
      subject: "Neue E-Mail-Adresse bestätigen",
      paragraphs: [
        "Hallo,",
        "öffnen Sie den Link, um die Adresse {{new_email}} für Ihr Konto zu verwenden:",
        "{{link}}", "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, eine Stunde lang. Wo Sie nicht am Konto angemeldet sind, werden Sie auch"
          + " nach seinem Passwort oder Passkey gefragt.",
        "Wenn Sie das nicht wollten, brauchen Sie nichts zu tun: Es ändert sich nichts. Geben Sie nie ein"
          + " Passwort für ein fremdes Konto ein.",
      ]
    ),
    .emailChanged: Draft(
      subject: "Ihre E-Mail-Adresse wurde geändert",
      paragraphs: [
        "Hallo {{name}},",
        "Ihr Konto hat jetzt die Adresse {{new_email}}; diese hier gilt nicht mehr dafür.",
        "Wenn Sie das nicht waren, öffnen Sie innerhalb von sieben Tagen diesen Link, um Ihr Konto"
          + " zurückzubekommen:",
        "{{link}}",
        "Oder geben Sie diesen Code ein, wo die Änderung einer Adresse zurückgenommen wird: {{token}}",
        "Damit werden alle abgemeldet, das Passwort wird ungültig, und Sie bekommen eine Mail für ein"
          + " neues. Passkeys und Anmeldungen über andere Anbieter werden entfernt, ebenso eine seither"
          + " hinzugefügte Authenticator-App oder PIN.",
      ]
    ),
    .addressInUse: Draft(
      subject: "Ihre E-Mail-Adresse wird schon verwendet",
      paragraphs: [
        "Hallo,",
        "jemand wollte die Adresse {{email}} für ein anderes Konto verwenden. Ein Konto hat sie schon oder hatte"
          + " sie in den letzten sieben Tagen; deshalb wurde nichts geändert.",
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
        "Wenn Sie das nicht waren, legen Sie jetzt ein neues Passwort fest, beenden Sie Ihre anderen Sitzungen"
          + " und entfernen Sie Passkeys und andere Anmeldungen, die nicht Ihre sind. Haben Sie kein Passwort,"
          + " lassen Sie sich zuerst eines schicken.",
      ]
    ),
    .sessionEvicted: Draft(
      subject: "Eine Sitzung Ihres Kontos wurde beendet",
      paragraphs: [
        "Hallo {{name}},",
        "um {{time}} hat sich jemand an Ihrem Konto angemeldet. Es hatte schon so viele Sitzungen, wie es haben"
          + " kann; deshalb wurde die beendet, die am längsten nicht benutzt wurde.",
        "Gerät: {{device}}", "Netz: {{network}}",
        "Wenn Sie dieses Gerät noch benutzen, melden Sie sich dort wieder an. Haben Sie sich nicht angemeldet,"
          + " legen Sie jetzt ein neues Passwort fest und beenden Sie Ihre anderen Sitzungen. Haben Sie kein"
          + " Passwort, lassen Sie sich zuerst eines schicken.",
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
        "zu Ihrem Konto wurde eine Authenticator-App hinzugefügt: {{time}}. Zur Anmeldung ohne Passkey gehört"
          + " von nun an einer ihrer Codes.",
        "Wenn Sie das nicht waren, lassen Sie sich jetzt ein neues Passwort schicken; damit werden alle"
          + " abgemeldet. Bitten Sie dann die Betreiber dieses Dienstes, die App zu entfernen, wenn Sie sich"
          + " nicht mit einem Passkey anmelden und das selbst tun können.",
      ]
    ),
    .totpRemoved: Draft(
      subject: "Ihre Authenticator-App wurde entfernt",
      paragraphs: [
        "Hallo {{name}},",
        "die Authenticator-App Ihres Kontos wurde entfernt: {{time}}. Zur Anmeldung gehört keiner ihrer Codes"
          + " mehr.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und beenden Sie Ihre anderen Sitzungen.",
      ]
    ),
    .recoveryCodeUsed: Draft(
      subject: "Ein Wiederherstellungscode wurde verwendet",
      paragraphs: [
        "Hallo {{name}},",
        "anstelle Ihrer Authenticator-App wurde einer Ihrer Wiederherstellungscodes verwendet:"
          + " {{time}}. Übrige Codes: {{left}}.",
        "Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort, beenden Sie Ihre anderen Sitzungen und erzeugen"
          + " Sie neue Codes.",
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
    .familyPinChanged: Draft(
      subject: "Die PIN Ihrer Familie wurde geändert",
      paragraphs: [
        "Hallo {{name}},", "die PIN Ihrer Familie wurde gesetzt oder entfernt: {{time}}.",
        "Wenn das niemand war, der die Familie verwaltet, ändern Sie jetzt Ihr Passwort und setzen Sie eine"
          + " andere PIN.",
      ]
    ),
    .takeOver: Draft(
      subject: "Ihr Konto kann Ihr eigenes werden",
      paragraphs: [
        "Hallo,",
        "Ihre Familie übergibt Ihnen das Konto, das sie für Sie als Kind angelegt hat. Öffnen Sie den Link, um"
          + " ein Passwort zu wählen; diese Adresse ist dann die Ihres Kontos:", "{{link}}",
        "Oder geben Sie diesen Code ein, wo Sie danach gefragt wurden: {{token}}",
        "Link und Code gelten einmal, einen Tag lang. Wenn Sie nicht wissen, wer das ist, brauchen Sie nichts"
          + " zu tun.",
      ]
    ),
    .parentModeClosed: Draft(
      subject: "Der Elternmodus ist auf einem Gerät gesperrt",
      paragraphs: [
        "Hallo {{name}},",
        "auf dem Gerät {{device}} von {{person}} wurde die PIN Ihrer Familie zu oft falsch eingegeben,"
          + " zuletzt {{time}}. Der Elternmodus ist dort gesperrt.",
        "Er ist wieder offen, wenn sich ein Elternteil anmeldet. Kennt vielleicht jemand die PIN, setzen Sie"
          + " eine andere.",
      ]
    ),
    .signInsRefused: Draft(
      subject: "Viele fehlgeschlagene Anmeldungen",
      paragraphs: [
        "Hallo {{name}},",
        "viele Versuche, sich an Ihrem Konto anzumelden, sind fehlgeschlagen, der letzte {{time}}."
          + " Weitere Versuche müssen bis zu 15 Minuten warten; Geräte, die Sie schon benutzt haben,"
          + " nicht.",
        "Sie brauchen nichts zu tun, solange niemand sonst Ihr Passwort kennt.",
      ]
    ),
    .invitation: Draft(
      subject: "{{inviter}} lädt Sie ein",
      paragraphs: [
        "Guten Tag,", "{{inviter}} lädt Sie ein. Ihre Rolle: {{role}} ({{entity}})",
        "Melden Sie sich an oder legen Sie mit einer beliebigen Adresse ein Konto an, und öffnen Sie"
          + " dann diesen Link, um anzunehmen:", "{{link}}",
        "Oder geben Sie diesen Code ein, wo danach gefragt wird: {{token}}",
        "Link und Code gelten einmal, bis {{time}}. Wenn Sie nicht wissen, wer das ist, brauchen Sie"
          + " nichts zu tun.",
      ]
    ),
    .accessGiven: Draft(
      subject: "Sie haben Zugang: {{entity}}",
      paragraphs: [
        "Guten Tag {{name}},",
        "Ihr Konto hat seit {{time}} eine Rolle. Rolle: {{role}} ({{entity}})",
        "Wenn Sie nicht wissen, warum, fragen Sie die Personen, die das verwalten. Sie brauchen nichts zu tun.",
      ]
    ),
    .accessEnded: Draft(
      subject: "Ihr Zugang ist beendet: {{entity}}",
      paragraphs: [
        "Guten Tag {{name}},",
        "Ihr Konto hat seit {{time}} eine Rolle nicht mehr. Rolle: {{role}} ({{entity}})",
        "Wenn Sie sie noch brauchen, fragen Sie die Personen, die das verwalten.",
      ]
    ),
    .webhookFailing: Draft(
      subject: "Ein Empfänger Ihres Webhooks antwortet nicht",
      paragraphs: [
        "Guten Tag {{name}},",
        "ein Webhook, den Sie angelegt haben, sendet Ereignisse an {{receiver}}. Dort wurde seit {{time}} keines"
          + " angenommen.",
        "Es geht nichts verloren: Ereignisse warten bis zu 30 Tage und werden gesendet, sobald der Empfänger sie"
          + " wieder annimmt. Nach fünf Tagen ohne Antwort wird der Webhook angehalten.",
      ]
    ),
    .webhookPaused: Draft(
      subject: "Ihr Webhook ist angehalten",
      paragraphs: [
        "Guten Tag {{name}},",
        "ein Webhook, den Sie angelegt haben, sendet Ereignisse an {{receiver}}. Dort wurde fünf Tage lang keines"
          + " angenommen. Seit {{time}} ist er angehalten.",
        "Ereignisse warten bis zu 30 Tage. Setzen Sie den Webhook fort, wenn der Empfänger wieder arbeitet.",
      ]
    ),
    .webhookGone: Draft(
      subject: "Ihr Webhook ist angehalten: Empfänger nicht mehr da",
      paragraphs: [
        "Guten Tag {{name}},",
        "ein Webhook, den Sie angelegt haben, sendete Ereignisse an {{receiver}}. Von dort kam um {{time}} die"
          + " Antwort, dass es den Empfänger nicht mehr gibt (410). Der Webhook ist angehalten.",
        "Löschen Sie ihn, oder ändern Sie seine Adresse und setzen Sie ihn fort. Ereignisse warten bis zu 30 Tage.",
      ]
    ),
    .webhookLostRight: Draft(
      subject: "Ihr Webhook ist angehalten: Ihnen fehlt das Recht",
      paragraphs: [
        "Guten Tag {{name}},",
        "ein Webhook, den Sie angelegt haben, sendet Ereignisse an {{receiver}}. Seit {{time}} ist er angehalten,"
          + " weil Ihr Konto dort keine Webhooks mehr verwalten darf.",
        "Wer es darf, kann ihn fortsetzen; er hat dann die Rechte dieser Person.",
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
    .totpRemovalAsked: Draft(
      subject: "Ihre Authenticator-App wird entfernt",
      paragraphs: [
        "Hallo {{name}},",
        "die Betreiber dieses Dienstes wurden gebeten, die Authenticator-App Ihres Kontos zu entfernen, weil sie"
          + " verloren ging. Das geschieht {{time}}, oder früher, wenn eine zweite Person zustimmt.",
        "Wenn Sie nicht darum gebeten haben, öffnen Sie diesen Link, um es zu verhindern:",
        "{{link}}",
        "Oder geben Sie diesen Code ein, wo eine Änderung verhindert wird: {{token}}",
      ]
    ),
    .moveAsked: Draft(
      subject: "Ihr Konto bekommt eine andere E-Mail-Adresse",
      paragraphs: [
        "Hallo {{name}},",
        "die Betreiber dieses Dienstes wurden gebeten, Ihrem Konto die Adresse {{new_email}} zu geben. Das"
          + " geschieht {{time}}, oder früher, wenn eine zweite Person zustimmt. Ihr Passwort gilt dann nicht mehr.",
        "Wenn Sie nicht darum gebeten haben, öffnen Sie diesen Link, um es zu verhindern:",
        "{{link}}",
        "Oder geben Sie diesen Code ein, wo eine Änderung verhindert wird: {{token}}",
      ]
    ),
    .deletionAsked: Draft(
      subject: "Ihr Konto wird auf Wunsch gelöscht",
      paragraphs: [
        "Hallo {{name}},",
        "die Betreiber dieses Dienstes wurden gebeten, Ihr Konto zu löschen. Die Löschung beginnt {{time}}, oder"
          + " früher, wenn eine zweite Person zustimmt.",
        "Wenn Sie nicht darum gebeten haben, öffnen Sie diesen Link, um es zu verhindern:",
        "{{link}}",
        "Oder geben Sie diesen Code ein, wo eine Änderung verhindert wird: {{token}}",
      ]
    ),
    .deletionBegun: Draft(
      subject: "Ihr Konto wird gelöscht",
      paragraphs: [
        "Hallo {{name}},",
        "Ihr Konto wurde überall abgemeldet. Es wird mit allem, was darin ist, gelöscht: {{time}}.",
        "Wenn Sie es behalten wollen, melden Sie sich vorher an und brechen Sie die Löschung ab. Wenn"
          + " Sie sich nicht anmelden können, lassen Sie sich zuerst ein neues Passwort schicken; das hilft"
          + " nur, wenn Sie diese Adresse schon einmal bestätigt haben.",
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
