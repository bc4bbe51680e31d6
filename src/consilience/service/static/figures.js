// How is a figure stepped through? By buttons, by its moves, or by arrow keys when it has the focus.
const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", f: "flip" };

const stepsOf = (figure) => [...figure.querySelectorAll("[data-step]")];

function seen(address, figure) {
  if (figure.dataset.turned !== "true") return address;
  return `${address}&turned=true`;
}

function show(figure, at) {
  const steps = stepsOf(figure);
  const picture = figure.querySelector("[data-picture]");
  const step = steps[at];
  if (step) {
    picture.dataset.plain = step.dataset.image;
    picture.alt = step.dataset.told;
    figure.querySelector("[data-caption]").textContent = step.dataset.told;
    figure.dataset.at = String(at);
    for (const one of steps) one.removeAttribute("aria-current");
    step.setAttribute("aria-current", "step");
    const list = step.closest("ol");
    list.scrollTop = step.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
  picture.dataset.plain ||= picture.getAttribute("src");
  picture.src = seen(picture.dataset.plain, figure);
  const ahead = steps[at + 1];
  if (ahead) new Image().src = seen(ahead.dataset.image, figure);
}

function go(figure, where) {
  const last = stepsOf(figure).length - 1;
  const at = Number(figure.dataset.at);
  if (where === "flip") {
    figure.dataset.turned = String(figure.dataset.turned !== "true");
    figure.querySelector('[data-go="flip"]')?.setAttribute("aria-pressed", figure.dataset.turned);
    show(figure, at);
    return;
  }
  const places = { first: 0, previous: Math.max(0, at < 0 ? last : at - 1), next: Math.min(last, at + 1), last };
  show(figure, places[where]);
}

export function start() {
  document.addEventListener("click", (event) => {
    const figure = event.target.closest("[data-figure]");
    if (!figure) return;
    const step = event.target.closest("[data-step]");
    const button = event.target.closest("[data-go]");
    if (step) show(figure, Number(step.dataset.step));
    else if (button) go(figure, button.dataset.go);
  });
  document.addEventListener("keydown", (event) => {
    const figure = event.target.closest?.("[data-figure]");
    const where = keys[event.key];
    if (!figure || !where || event.ctrlKey || event.metaKey || event.altKey) return;
    if (where !== "flip" && !stepsOf(figure).length) return;
    event.preventDefault();
    go(figure, where);
  });
}
