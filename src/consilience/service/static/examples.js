// What can be asked here? Examples take turns in the empty box, until somebody writes.
const EVERY_MS = 5000;

export function start() {
  const box = document.getElementById("question");
  if (!box) return;
  const examples = JSON.parse(box.dataset.examples || "[]");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  if (examples.length < 2) return;
  let at = 0;
  setInterval(() => {
    if (box.value || still.matches || document.hidden) return;
    at = (at + 1) % examples.length;
    box.placeholder = examples[at];
  }, EVERY_MS);
}
