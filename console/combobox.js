// A field that looks on the server for what is typed (ARIA Authoring Practices, "Combobox").

import { el, field, fresh, input, name, t } from "./base.js";

const pause = 250;
const shortest = 2;

/** `find` answers with `{id, label, detail}`; `chosen` gets one of them, or nothing if the text is none. */
export function combobox(label, { value = "", hint, required = false, called, find, chosen }) {
  const list = el("ul", { role: "listbox", id: fresh("list"), "aria-label": label, hidden: true });
  const count = el("span", { role: "status", class: "unseen" });
  const text = input({ type: "text", name: called ?? fresh("search"), autocomplete: "off", value, required, role: "combobox",
    "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" });
  const box = field(label, text, hint);
  box.classList.add("combo");
  box.append(list, count);
  let found = [];
  let selected = -1;
  let timer;
  let newest = 0;

  const close = () => {
    list.hidden = true;
    text.setAttribute("aria-expanded", "false");
    text.removeAttribute("aria-activedescendant");
  };
  const select = (index) => {
    selected = index;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    if (index >= 0) text.setAttribute("aria-activedescendant", list.children[index].id);
  };
  const take = (one) => {
    text.value = one.label;
    close();
    chosen(one);
  };
  const look = async () => {
    const turn = ++newest;
    let answer = [];
    try {
      answer = await find(text.value.trim());
    } catch {
      // As if nothing was found; what is typed stays.
    }
    // Answers to what was typed before are late.
    if (turn !== newest) return;
    found = answer;
    list.replaceChildren(...found.map((one, index) => el("li", { role: "option", id: `${list.id}-${index}`,
      "aria-selected": "false", pointerdown: (event) => {
        event.preventDefault();
        take(one);
      } }, name(one.label), el("span", { class: "quiet small" }, one.detail))));
    list.hidden = found.length === 0;
    text.setAttribute("aria-expanded", String(!list.hidden));
    count.textContent = t("found", { count: found.length });
    select(found.length > 0 ? 0 : -1);
  };

  text.addEventListener("input", () => {
    clearTimeout(timer);
    chosen(undefined);
    if (text.value.trim().length < shortest) return close();
    timer = setTimeout(look, pause);
  });
  text.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") select((selected + 1) % found.length);
    else if (event.key === "ArrowUp") select((selected - 1 + found.length) % found.length);
    else if (event.key === "Enter" && selected >= 0) take(found[selected]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  text.addEventListener("blur", close);
  return box;
}
