// What do people do with what they found? Told to the server that answered, and to nobody else.
const key = () => document.getElementById("found")?.dataset.asked || "";
const pressed = new Map(); // which thumb was pressed, by question

export function react(kind, passage = "", value = 1) {
  const asked = key();
  const space = document.getElementById("found")?.dataset.space;
  if (!asked || !space) return;
  const address = `/w/${encodeURIComponent(space)}/feedback`;
  const body = JSON.stringify({ asked, kind, passage, value });
  const sent = navigator.sendBeacon?.(address, new Blob([body], { type: "application/json" }));
  if (sent) return;
  const options = { method: "POST", body, keepalive: true, headers: { "Content-Type": "application/json" } };
  fetch(address, options).catch(() => {}); // a reaction that is lost is no trouble
}

export function showPressed() {
  const chosen = pressed.get(key());
  for (const button of document.querySelectorAll("[data-thumb]")) {
    button.setAttribute("aria-pressed", String(button.dataset.thumb === chosen));
  }
}

async function copy(button) {
  const prose = document.querySelector("[data-prose]");
  const sources = [...document.querySelectorAll("[data-source]")].map((one) => {
    const name = one.querySelector("[data-open]").textContent;
    return `[${one.dataset.source}] ${name}`;
  });
  const text = [prose.dataset.text ?? prose.textContent, sources.join("\n")].join("\n\n").trim();
  try {
    await navigator.clipboard.writeText(text);
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
    if (thumb && pressed.get(key()) !== thumb.dataset.thumb) {
      pressed.set(key(), thumb.dataset.thumb);
      showPressed();
      react(thumb.dataset.thumb);
    }
    if (button) copy(button);
  });
}
