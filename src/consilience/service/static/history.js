// What was asked before? A list in this browser, one for each workspace, until it is forgotten.
const MOST = 12;
const keyOf = (space) => `consilience-asked-${space}`;

function read(space) {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(space)) || "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.question === "string") : [];
  } catch {
    return [];
  }
}

function write(space, asked) {
  try {
    localStorage.setItem(keyOf(space), JSON.stringify(asked));
  } catch {
    // storage is switched off: nothing is remembered
  }
}

export { show };

export function remember(space, question) {
  const others = read(space).filter((one) => one.question !== question);
  write(space, [{ question }, ...others].slice(0, MOST));
  show(space, question);
}

function show(space, now) {
  const section = document.getElementById("history");
  if (!section) return;
  const asked = read(space).filter((one) => one.question !== now);
  const items = asked.map(({ question }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `/w/${encodeURIComponent(space)}/ask?${new URLSearchParams({ q: question })}`;
    link.textContent = question;
    item.append(link);
    return item;
  });
  section.querySelector("[data-history]").replaceChildren(...items);
  const side = document.querySelector("#found:not([hidden]) .side"); // beside an answer, or below the box
  if (side && section.parentElement !== side) side.append(section);
  section.hidden = items.length === 0;
}

export function start() {
  const space = document.getElementById("found")?.dataset.space;
  const section = document.getElementById("history");
  if (!space || !section) return;
  show(space, new URLSearchParams(location.search).get("q"));
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-forget]")) return;
    write(space, []);
    show(space, "");
    document.getElementById("question").focus();
  });
}
