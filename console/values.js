// Controls for values as the policy describes them: of attributes and of parameters.

import { el, field, input, readable, t } from "./base.js";
import { attributeWord } from "./things.js";

const isNumber = (value) => ["VALUE_KIND_INTEGER", "VALUE_KIND_NUMBER"].includes(value.kind);
const longest = 300;

/** A field for a value; `current` is what there is. */
export function valueField({ name: title, value, required }, current) {
  const label = `${attributeWord(title)}${value.unit ? ` (${value.unit})` : ""}`;
  const box = field(label, control(title, value, required, current));
  box.read = () => read(box.input, value);
  return box;
}

function control(title, value, required, current) {
  const options = (choices) => el("select", { name: title, required },
    required ? [] : el("option", { value: "" }, "–"), choices.map(([key, label]) => el("option", { value: key, selected: String(current) === key }, label)));
  if (value.kind === "VALUE_KIND_CHOICE") return options(value.choices.map((choice) => [choice, t(`value.${title}.${choice}`, { or: readable(choice) })]));
  if (value.kind === "VALUE_KIND_BOOLEAN") return options([["true", t("yes")], ["false", t("no")]]);
  if (isNumber(value)) {
    return input({ type: "number", name: title, required, min: value.min, max: value.max, value: current ?? "",
      step: value.kind === "VALUE_KIND_INTEGER" ? 1 : "any" });
  }
  if (value.kind === "VALUE_KIND_COLOR") return input({ name: title, required, pattern: "#[0-9a-fA-F]{6}", placeholder: "#ffaa00", maxLength: 7, value: current ?? "" });
  if (value.maxBytes > longest) return el("textarea", { name: title, required, rows: 3, maxLength: value.maxBytes, value: current ?? "" });
  return input({ name: title, required, maxLength: value.maxBytes || 200, value: current ?? "" });
}

/** What is in a field, of the right kind; undefined if it is empty. */
function read(box, value) {
  const text = box.value.trim();
  if (text === "") return undefined;
  if (value.kind === "VALUE_KIND_BOOLEAN") return text === "true";
  return isNumber(value) ? Number(text) : text;
}
