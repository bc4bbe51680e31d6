// How does a trip come to its page? Each step as it ends, then the plan in their place.
import { start as startKeys } from "../keys.js";
import { start as startPassages } from "../passages.js";
import { ended } from "../streams.js";

const trip = document.getElementById("trip");
const trouble = document.getElementById("trouble");
const state = document.getElementById("state");
const planButton = document.getElementById("plan-button");
const stopButton = document.getElementById("stop-button");
let stream = null;

function pieceOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function settle(message) {
  stream?.close();
  stream = null;
  trip.setAttribute("aria-busy", "false");
  trip.querySelector("[data-working]")?.remove();
  planButton.hidden = false;
  stopButton.hidden = true;
  state.textContent = message;
}

function fail(message) {
  settle("");
  trouble.textContent = message.charAt(0).toUpperCase() + message.slice(1);
  trouble.hidden = false;
  const going = trip.querySelector("[data-going]");
  if (going && !going.querySelector("li")) going.remove();
}

function stepped(event) {
  const piece = pieceOf(event.html);
  const next = piece.querySelector("[data-next]").dataset.next;
  trip.querySelector("[data-steps]").append(piece);
  const working = trip.querySelector("[data-working]");
  if (working) working.textContent = next ? `${next}…` : "Finishing…";
  state.textContent = event.summary;
}

function done(event) {
  settle("The plan is there.");
  trip.replaceChildren(pieceOf(event.html));
}

function listen(address) {
  stream = new EventSource(address);
  stream.addEventListener("stage", (event) => stepped(JSON.parse(event.data)));
  stream.addEventListener("done", (event) => done(JSON.parse(event.data)));
  stream.addEventListener("error", (event) => {
    if (!stream) return;
    ended(stream, event, address, "The connection was lost before the plan was whole.").then(fail);
  });
}

function stop() {
  if (!stream) return;
  const line = document.createElement("p");
  line.className = "soft";
  line.textContent = "Stopped.";
  settle("Stopped.");
  trip.querySelector("[data-going]")?.append(line);
}

startKeys();
startPassages();
stopButton.addEventListener("click", stop);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) stop();
  const asks = event.key === "Enter" && !event.shiftKey && event.target.id === "question";
  if (!asks || event.isComposing) return;
  event.preventDefault(); // a wish is one paragraph: Enter plans, as it asks elsewhere
  event.target.form.requestSubmit();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) window.print();
});
document.getElementById("wish").addEventListener("formdata", (event) => {
  const parts = event.formData; // an address without what nobody filled in
  if (!parts.get("amount")) for (const name of ["currency", "per"]) parts.delete(name);
  for (const [name, value] of [...parts]) if (!value) parts.delete(name);
});
if (trip.dataset.stream) {
  stopButton.hidden = false;
  planButton.hidden = true;
  listen(trip.dataset.stream);
}
