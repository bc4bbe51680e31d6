// Which colours does the page have? Those of the system, until somebody chooses others.
(() => {
  "use strict";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return localStorage.getItem("consilience-theme");
    } catch {
      return null; // storage is switched off
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  const show = (button) => {
    button.setAttribute("aria-pressed", String(isDark()));
  };

  const turn = (button) => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("consilience-theme", root.dataset.theme);
    } catch {
      // it holds for this page only
    }
    show(button);
  };

  const chosen = kept();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  root.classList.add("scripted");
  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-theme-button]")) {
      button.hidden = false;
      show(button);
      button.addEventListener("click", () => turn(button));
      system.addEventListener("change", () => show(button));
    }
  });
})();
