// How is a question asked without leaving the page? The answer comes in events and fills it.
import { remember, show as showHistory } from "./history.js";
import { settleEarly, showPressed } from "./reactions.js";
import { ended } from "./streams.js";

const kept = new Map(); // what the page showed for an address, so that going back asks nothing
let stream = null;
let shownAt = "";

const found = () => document.getElementById("found");
const place = (name) => found().querySelector(`[data-place="${name}"]`);
const trouble = () => document.getElementById("trouble");

export const busy = () => stream !== null;

export function stop(told = "Stopped.") {
  if (!stream) return;
  stream.close();
  stream = null;
  settle();
  found().querySelector("[data-draft]")?.remove(); // nobody has checked it
  const line = found().querySelector("[data-working]") ?? document.createElement("p");
  line.className = "soft";
  line.textContent = told;
  place("answer").append(line);
}

function settle() {
  place("answer").setAttribute("aria-busy", "false");
  found().classList.remove("waiting");
  document.getElementById("stop-button").hidden = true;
  document.getElementById("ask-button").hidden = false;
}

function fail(message) {
  if (stream) stream.close();
  stream = null;
  settle();
  found().querySelector("[data-working]")?.remove();
  found().querySelector("[data-draft]")?.remove(); // nobody has checked it
  const line = trouble();
  line.textContent = message.charAt(0).toUpperCase() + message.slice(1);
  const again = document.createElement("a");
  again.href = location.href;
  again.textContent = "Ask again";
  line.append(" ", again);
  line.hidden = false;
}

function clear() {
  found().hidden = false;
  found().classList.add("waiting");
  found().dataset.asked = "";
  settleEarly();
  trouble().hidden = true;
  for (const name of ["sources", "results"]) place(name).replaceChildren();
  const working = document.createElement("p");
  working.className = "soft working";
  working.dataset.working = "";
  working.textContent = "Searching…";
  place("answer").replaceChildren(working);
  place("answer").setAttribute("aria-busy", "true");
  document.getElementById("stop-button").hidden = false;
  document.getElementById("ask-button").hidden = true;
}

// What is written before it is checked stands apart, greyed, and goes when a statement is said.
function drafted(text) {
  let draft = place("answer").querySelector("[data-draft]");
  if (!draft) {
    draft = document.createElement("p");
    draft.className = "draft";
    draft.dataset.draft = "";
    draft.setAttribute("aria-hidden", "true");
    writing().append(draft);
  }
  draft.append(text);
}

function writing() {
  let prose = place("answer").querySelector("[data-prose]");
  if (!prose) {
    prose = document.createElement("div");
    prose.className = "prose";
    prose.dataset.prose = "";
    place("answer").replaceChildren(prose);
  }
  return prose;
}

function pieceOf(html) {
  const piece = document.createElement("template");
  piece.innerHTML = html; // from our own server, which escapes what is not its own
  return piece.content;
}

function said(html) {
  const prose = writing();
  prose.querySelector("[data-draft]")?.remove();
  const piece = pieceOf(html);
  const joins = piece.querySelector("[data-joins]");
  const last = prose.lastElementChild;
  if (joins && last?.tagName === "P") last.append(...joins.childNodes);
  else prose.append(piece);
}

function done(event) {
  const piece = pieceOf(event.html);
  for (const name of ["answer", "sources"]) {
    const part = piece.querySelector(`[data-part="${name}"]`);
    place(name).replaceChildren(...part.childNodes);
  }
  const nearest = piece.querySelector('[data-part="results"]'); // nothing answers: they are folded
  if (nearest && !place("results").querySelector("[data-nearest]")) {
    place("results").replaceChildren(...nearest.childNodes);
  }
  found().dataset.asked = event.asked || "";
  settleEarly();
  showPressed();
  settle();
}

const told = {
  searched: (event) => {
    place("results").replaceChildren(pieceOf(event.html));
    const working = found().querySelector("[data-working]");
    if (working) working.textContent = "Writing…";
  },
  drafted: (event) => drafted(event.text),
  said: (event) => said(event.html),
  withdrawn: (event) => place("answer").replaceChildren(pieceOf(event.html)),
  done,
};

function listen(address) {
  stream?.close();
  const mine = new EventSource(address);
  stream = mine;
  for (const [name, show] of Object.entries(told)) {
    mine.addEventListener(name, (event) => {
      if (stream !== mine) return;
      if (name === "done") {
        mine.close();
        stream = null;
      }
      show(JSON.parse(event.data));
    });
  }
  mine.addEventListener("error", (event) => {
    if (stream !== mine) return;
    ended(mine, event, address, "The connection was lost before the answer was whole.").then(fail);
  });
}

function addressOf(form) {
  const parts = new URLSearchParams(new FormData(form));
  parts.set("q", parts.get("q").trim());
  return `${form.getAttribute("action")}?${parts}`;
}

function eventsOf(address) {
  return `${address.replace("/ask?", "/ask/events?")}&html=1`;
}

function keep() {
  if (!shownAt || stream) return;
  kept.set(shownAt, { nodes: [...found().childNodes].map((one) => one.cloneNode(true)), asked: found().dataset.asked });
}

function named(question) {
  const title = document.getElementById("page-title");
  title.textContent = `Answer: ${question}`;
  title.className = "said-only";
  document.getElementById("start").classList.remove("idle");
  for (const id of ["held", "examples"]) document.getElementById(id)?.remove();
  document.title = `${question} · ${found().dataset.space} · Consilience`;
}

function ask(form) {
  const question = form.elements.q.value.trim();
  if (!question) return;
  keep();
  stop();
  const address = addressOf(form);
  history.pushState({ question }, "", address);
  begin(address, question);
}

function begin(address, question) {
  shownAt = address;
  document.getElementById("question").value = question;
  named(question);
  point(question);
  clear();
  remember(found().dataset.space, question, address);
  listen(eventsOf(address));
}

// The links that filter ask the question that is shown now.
function point(question) {
  const json = document.getElementById("json-link");
  if (json) json.href = `${location.pathname}${location.search}&format=json`;
  for (const pill of document.querySelectorAll("[data-pill]")) {
    const parts = new URLSearchParams(location.search);
    parts.set("q", question);
    parts.delete("in");
    if (pill.dataset.pill) parts.set("in", pill.dataset.pill);
    pill.href = `/w/${encodeURIComponent(found().dataset.space)}/ask?${parts}`;
  }
}

function back() {
  const question = new URLSearchParams(location.search).get("q");
  const address = location.pathname + location.search;
  if (!question || !location.pathname.endsWith("/ask")) {
    location.reload();
    return;
  }
  keep();
  stop();
  document.getElementById("question").value = question;
  const was = kept.get(address);
  if (!was) {
    begin(address, question);
    return;
  }
  shownAt = address;
  named(question);
  point(question);
  found().hidden = false;
  found().dataset.asked = was.asked;
  document.getElementById("history")?.remove(); // the kept page has its own
  found().replaceChildren(...was.nodes);
  showHistory(found().dataset.space, question);
  settle();
}

export function start() {
  const form = document.getElementById("ask");
  if (!form || !document.getElementById("answer")) return;
  form.addEventListener("submit", (event) => {
    if (event.submitter?.id === "search-button") return;
    event.preventDefault();
    ask(form);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "follow-up") return;
    event.preventDefault();
    ask(event.target);
  });
  form.elements.q.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit(document.getElementById("ask-button").hidden ? null : document.getElementById("ask-button"));
  });
  document.getElementById("stop-button").addEventListener("click", () => stop());
  window.addEventListener("popstate", back);
  const question = new URLSearchParams(location.search).get("q");
  if (!question) return;
  shownAt = location.pathname + location.search;
  remember(found().dataset.space, question, shownAt);
  if (!found().dataset.stream) return;
  document.getElementById("stop-button").hidden = false;
  document.getElementById("ask-button").hidden = true;
  listen(found().dataset.stream);
}
