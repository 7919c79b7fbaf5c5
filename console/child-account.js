// The account that parents made for a child: where it is signed in, its export, its deletion, and handing it over.

import { call, download, get, post, saveFile } from "./api.js";
import { badge, cancel, card, confirmed, dialog, el, empty, facts, field, form, input, name, now, say, sentence, t, time, word } from "./base.js";

const path = (child) => `auth/children/${encodeURIComponent(child.id)}`;

/** The account; undefined if there is none that the family manages. */
async function read(child) {
  try {
    return await get("auth", `${path(child)}/account`);
  } catch (problem) {
    if (problem.reason === "CHILD_UNKNOWN") return undefined;
    throw problem;
  }
}

export function accountCard(child, actions) {
  const may = actions.has("child.manage_account");
  const section = card(t("childAccount"), async () => {
    const known = await read(child);
    if (!known) return empty(t("noChildAccount"));
    const { deletion } = known;
    return [facts([[t("since"), time(known.createdAt)],
      deletion ? [t("state"), [badge(word("deletionState", deletion.state), "warn"), deletion.eraseAt ? [" ", t("eraseAt"), " ", time(deletion.eraseAt)] : ""].flat()] : null]),
    known.devices.length === 0 ? el("p", { class: "quiet" }, t("childNowhere")) : devices(child, known.devices, act),
    may ? el("div", { class: "row" }, deletion ? keep() : [exporting(), handingOver(), deleting()]) : null].filter(Boolean);
  });
  /** Does something, says so, and shows what has become of the account. */
  const act = async (send, text = t("done")) => {
    await Promise.resolve().then(send).then(() => say(text), (problem) => say(sentence(problem), true));
    section.reload();
  };
  const button = (label, click, kind = "") => el("button", { type: "button", class: kind, click }, label);
  const exporting = () => button(t("exportAccount"), () => act(async () => {
    const text = await download("auth", `${path(child)}/account/export`);
    saveFile(new Blob([text], { type: "application/json" }), `gatehouse-${child.id}-${new Date(now()).toISOString().slice(0, 10)}.json`);
  }));
  const handingOver = () => button(t("handOver"), async () => {
    if (await handOver(child)) act(() => {}, t("handOverSent"));
  });
  const deleting = () => button(t("deleteChildAccount"), async () => {
    if (!(await confirmed(t("deleteChildAccount"), t("deleteChildAccountText", { name: child.name }), t("deleteChildAccount"), { typed: child.name }))) return;
    await act(() => call("auth", "DELETE", `${path(child)}/account`));
  }, "danger");
  const keep = () => button(t("keepChildAccount"), () => act(() => post("auth", `${path(child)}/account/cancel-deletion`)));
  return section;
}

function devices(child, found, act) {
  return el("ul", { class: "lines" }, found.map((one) => {
    const called = one.device?.name || one.deviceId;
    return el("li", {}, el("span", { class: "main" }, el("strong", {}, name(called)), el("span", { class: "quiet small" }, t("lastSeen"), " ", time(one.lastSeenAt))),
      el("button", { type: "button", class: "small danger", "aria-label": `${t("signOut")} ${called}`, click: async () => {
        if (!(await confirmed(t("signOut"), t("childSignOutText", { name: called }), t("signOut")))) return;
        await act(() => call("auth", "DELETE", `${path(child)}/sessions/${encodeURIComponent(one.deviceId)}`));
      } }, t("signOut")));
  }));
}

/** Whether a mail was sent to the address that the account is to have. */
function handOver(child) {
  const email = field(t("email"), input({ type: "email", name: "email", required: true, maxLength: 254, autocomplete: "off" }), t("handOverHint"));
  return dialog(t("handOver"), (close) => [el("p", {}, t("handOverText", { name: child.name })), form([email], t("sendMail"), async () => {
    await post("auth", `${path(child)}/account/hand-over`, { email: email.input.value.trim() });
    close(true);
  }, { more: [cancel(close)] })]);
}
