// Looking again at what goes on: less often the longer nothing is new, and not while nobody can see it.

/** The longest pause, in milliseconds. */
const longest = 600_000;
/** The shortest one, in milliseconds. */
export const soonest = 3_000;

/** Calls `look`, which says whether something is new, again and again. `pause` gives the shortest time until then in
 * milliseconds, or nothing when there is no reason to look; each time that nothing is new doubles it. `due` gives the time
 * until something is known to go on. `look` may return "stop", after which only `start` looks again. */
export function lookAgain(signal, { look, pause, due = () => undefined }) {
  let quiet = 0;
  let timer;
  let waited = false;
  const next = () => {
    clearTimeout(timer);
    const least = pause();
    waited = least !== undefined && document.hidden;
    if (least === undefined || signal.aborted || document.hidden) return;
    const later = Math.min(longest, least * 2 ** quiet);
    const known = due();
    timer = setTimeout(run, known > 0 ? Math.max(soonest, Math.min(later, known)) : later);
  };
  const run = async () => {
    const found = await look().catch(() => false);
    if (found === "stop") return;
    quiet = found ? 0 : quiet + 1;
    next();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) next();
    else if (waited) run();
  }, { signal });
  return {
    /** Begins to wait, often at first: after what a person has asked for. */
    start: () => {
      quiet = 0;
      next();
    },
  };
}
