// Finding a person by address or name, for operators and support people.

import { get, query } from "./api.js";
import { badge, card, complaint, el, empty, field, grid, input, link, name, t, time } from "./base.js";
import { forSupport, remember } from "./main.js";

export default async function people({ values, signal, page }) {
  if (!(await forSupport())) return;
  const text = field(t("findPerson"), input({ type: "search", name: "text", autocomplete: "off", maxLength: 200, value: values.get("text") ?? "" }), t("findPersonHint"));
  const results = el("div", { class: "stack" });
  let timer;
  let newest = 0;
  const look = async () => {
    clearTimeout(timer);
    const turn = ++newest;
    const wanted = text.input.value.trim();
    remember({ text: wanted });
    try {
      const answer = await get("auth", `operators/users?${query({ text: wanted, limit: 50 })}`, { signal });
      if (turn === newest) results.replaceChildren(shown(answer, wanted, () => {
        text.input.value = "";
        look();
      }));
    } catch (problem) {
      if (problem.name !== "AbortError" && turn === newest) results.replaceChildren(complaint(problem, look));
    }
  };
  // What was typed last is not looked for, nor kept in the address, once another page is shown.
  signal.addEventListener("abort", () => clearTimeout(timer));
  text.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 250);
  });
  page(t("nav.people"), card(t("search"), async () => {
    await look();
    return [text, results];
  }, { wide: true }), { text: t("peopleText") });
}

function shown({ users, nextPageToken }, wanted, clear) {
  if (users.length === 0) {
    return empty(t("nothingMatches", { text: wanted }), el("button", { type: "button", click: clear }, t("clear")));
  }
  return el("div", {}, grid(t("nav.people"), [
    [t("name"), (user) => link(`#/people/${user.id}`, name(user.displayName))],
    [t("email"), (user) => [el("bdi", {}, user.email), " ", user.emailVerified ? "" : badge(t("unproven"), "warn")]],
    [t("state"), (user) => user.state === "ACCOUNT_STATE_DISABLED" ? badge(t("disabled"), "bad") : badge(t("active"), "good")],
    [t("since"), (user) => time(user.createdAt)],
  ], users), el("p", { class: "quiet small", role: "status" }, nextPageToken ? t("moreMatch") : t("found", { count: users.length })));
}
