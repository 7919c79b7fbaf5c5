// A list of which there may be a hundred thousand rows: searched on the server, and shown some pages at a time.

import { complaint, el, empty, field, input, number, renew, t } from "./base.js";

/** How many pages are shown at most: what a browser holds does not grow with how far one reads. */
const most = 4;
const typingEnds = 250;

/** A list of what may be long. `find` gets a text and the token of a page, `draw` its rows, `none` is said of an empty list. */
export function longList(label, find, draw, none) {
  const text = field(t("searchIn", { name: label }), input({ type: "search", name: "search", autocomplete: "off", maxLength: 200 }));
  const results = el("div", { class: "stack" });
  /** Those shown, each with the token that it came by; and the tokens of those before them. */
  let pages = [];
  let before = [];
  let start = 0;
  let newest = 0;
  let timer;

  const read = async (token, place) => {
    const turn = ++newest;
    const wanted = text.input.value.trim();
    const answer = await find(wanted, token);
    // What was typed later has another answer.
    if (turn !== newest) return;
    const focused = place({ token, rows: answer.items, next: answer.nextPageToken });
    text.hidden = !wanted && before.length === 0 && pages.length === 1 && !answer.nextPageToken;
    show(wanted);
    if (focused !== undefined) results.querySelectorAll("tbody tr,.lines > li")[focused]?.querySelector("a,button")?.focus();
  };
  const first = () => read(undefined, (page) => {
    [pages, before, start] = [[page], [], 0];
  });
  /** The next page below; where it begins gets the focus, for those who cannot see that there is more. */
  const below = () => read(pages.at(-1).next, (page) => {
    pages.push(page);
    if (pages.length > most) {
      const gone = pages.shift();
      before.push(gone.token);
      start += gone.rows.length;
    }
    return pages.slice(0, -1).reduce((sum, one) => sum + one.rows.length, 0);
  });
  const above = () => read(before.at(-1), (page) => {
    before.pop();
    pages = [page, ...pages.slice(0, most - 1)];
    start = Math.max(0, start - page.rows.length);
    return 0;
  });
  const button = (words, run) => el("div", {}, el("button", { type: "button", click: () => run().catch((problem) => results.append(complaint(problem))) }, words));
  const show = (wanted) => {
    const rows = pages.flatMap((page) => page.rows);
    renew(results, [before.length > 0 ? button(t("showEarlier"), above) : null,
      rows.length > 0 ? draw(rows) : empty(wanted ? t("nothingMatches", { text: wanted }) : none),
      before.length > 0 ? el("p", { class: "quiet small", role: "status" }, t("rowsShown", { from: number(start + 1), to: number(start + rows.length) })) : null,
      pages.at(-1).next ? button(t("showMore"), below) : null]);
  };
  text.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => first().catch((problem) => results.replaceChildren(complaint(problem, first))), typingEnds);
  });
  return first().then(() => [text, results]);
}
