// What do people do with what they found? Told to the server that answered, and to nobody else.
const key = () => document.getElementById("found")?.dataset.asked || "";
const pressed = new Map(); // which thumb was pressed, by question and passage
let early = []; // what was done while the answer was written: its question has no key yet

export function react(kind, passage = "", value = 1) {
  const asked = key();
  const found = document.getElementById("found");
  const space = found?.dataset.space;
  if (!asked && found?.classList.contains("waiting")) early.push([kind, passage, value]);
  if (!asked || !space) return;
  const address = `/w/${encodeURIComponent(space)}/feedback`;
  const body = JSON.stringify({ asked, kind, passage, value });
  const sent = navigator.sendBeacon?.(address, new Blob([body], { type: "application/json" }));
  if (sent) return;
  const options = { method: "POST", body, keepalive: true, headers: { "Content-Type": "application/json" } };
  fetch(address, options).catch(() => {}); // a reaction that is lost is no trouble
}

// The question has its key now, or is not asked any more.
export function settleEarly() {
  const waiting = early;
  early = [];
  if (key()) for (const one of waiting) react(...one);
}

const aboutOf = (button) => `${key()} ${button.closest("[data-thumbs]").dataset.thumbs}`;

export function showPressed() {
  for (const button of document.querySelectorAll("[data-thumb]")) {
    button.setAttribute("aria-pressed", String(button.dataset.thumb === pressed.get(aboutOf(button))));
  }
}

function markdown() {
  const prose = document.querySelector("[data-prose]");
  const sources = [...document.querySelectorAll("[data-source]")].map((one) => {
    const name = one.querySelector("[data-open]").textContent;
    return `[${one.dataset.source}] ${name}`;
  });
  const sourceLines = sources.map((one) => `- ${one}`).join("\n");
  return [prose.dataset.text ?? prose.textContent, sourceLines].join("\n\n").trim();
}

// The answer with its question and sources, as a file.
function save() {
  const question = document.getElementById("question").value.trim();
  const file = new Blob([`# ${question}\n\n${markdown()}\n`], { type: "text/markdown" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "answer"}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(markdown());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

export function start() {
  document.addEventListener("click", (event) => {
    const thumb = event.target.closest("[data-thumb]");
    const button = event.target.closest("[data-copy]");
    if (thumb && pressed.get(aboutOf(thumb)) !== thumb.dataset.thumb) {
      pressed.set(aboutOf(thumb), thumb.dataset.thumb);
      showPressed();
      react(thumb.dataset.thumb, thumb.closest("[data-thumbs]").dataset.thumbs);
    }
    if (button) copy(button);
    if (event.target.closest("[data-export]")) save();
  });
}
