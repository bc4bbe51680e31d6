// What can be done without a mouse? `/` asks, j and k go through the results, ? tells all this.
import { busy, stop } from "./asking.js";

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

function go(step) {
  const results = [...document.querySelectorAll("[data-result]")].filter((one) => one.offsetParent);
  if (!results.length) return;
  const now = document.activeElement?.closest?.("[data-result]");
  const at = now ? results.indexOf(now) + step : step > 0 ? 0 : results.length - 1;
  const next = results[Math.min(results.length - 1, Math.max(0, at))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const keys = {
  "/": () => document.getElementById("question")?.select(),
  j: () => go(1),
  k: () => go(-1),
  "?": () => document.getElementById("help")?.showModal(),
};

export function start() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && busy() && !document.querySelector("dialog[open]")) stop();
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && event.target.matches("[data-result]")) {
      event.preventDefault();
      event.target.querySelector("[data-open]").click();
      return;
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
