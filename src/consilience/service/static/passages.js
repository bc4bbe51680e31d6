// Where does a statement come from? Its passage opens over the page, with the quoted words marked.
import { react } from "./reactions.js";

const known = new Map(); // passages by address
let opened = null; // what is open: since when, which passage, and where the focus came from

const dialog = () => document.getElementById("passage");
const part = (name) => dialog().querySelector(`[data-passage-${name}]`);

async function fetched(address, passage) {
  if (!known.has(address)) {
    const reply = await fetch(address, { headers: { Accept: "application/json" } });
    const found = await reply.json();
    if (!reply.ok) throw new Error(found.error?.message ?? "it could not be read");
    known.set(address, found);
  }
  const found = known.get(address);
  if (!found.paths) return found;
  // Of the ways between two things, the one that was shown.
  return found.paths.find((one) => one.passage === passage) ?? found.paths[0] ?? {};
}

// The words of a quotation, wherever lines break; what was left out of it parts it.
function patterns(quote) {
  const pieces = quote.split(/\s*…\s*/).filter((one) => one.trim().length > 2);
  return pieces.map((one) => one.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"));
}

function marked(text, quote) {
  const wanted = patterns(quote);
  if (!wanted.length) return [document.createTextNode(text)];
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(new RegExp(wanted.join("|"), "g"))) {
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    nodes.push(document.createTextNode(text.slice(last, match.index)), mark);
    last = match.index + match[0].length;
  }
  nodes.push(document.createTextNode(text.slice(last)));
  return nodes;
}

// The page that it is printed on, with its cells outlined; the picture opens larger.
function printed(found) {
  const [first] = found.printed ?? [];
  if (!first) return [];
  const [figure, link, image, caption] = ["figure", "a", "img", "figcaption"].map((name) => document.createElement(name));
  const told = `${first.document.split("/").pop()}, ${first.caption}`;
  figure.className = "printed";
  Object.assign(link, { href: first.image, target: "_blank", rel: "noopener" });
  Object.assign(image, { alt: `The printed page: ${told}`, src: `${first.image}&strip=true` });
  caption.textContent = told;
  link.append(image);
  figure.append(link, caption);
  return [figure];
}

function head(title, badge, where, file, address, kind = "") {
  part("title").textContent = title;
  part("kind").textContent = badge;
  part("kind").hidden = !badge;
  part("kind").className = `badge kind-${kind}`;
  part("where").textContent = where;
  part("file").textContent = file;
  part("link").href = address;
}

function fill(found, link, quote, address) {
  if (!found.text) throw new Error("There is no such passage any more.");
  const badge = link.dataset.badge ?? "";
  const label = found.cells?.[0]?.label ?? [];
  const where = found.where === found.name ? "" : found.where; // a place stands under its own name
  head(label.join(" › ") || found.name, badge, where, found.document, address, found.kind);
  const text = part("text");
  const outlined = Boolean(found.cells ?? found.operands); // numbers are seen first, words are read
  const words = marked(found.told ?? found.text, quote);
  text.replaceChildren(...(outlined ? [...printed(found), ...words] : [...words, ...printed(found)]));
  text.scrollTop = 0;
  const first = text.querySelector("mark");
  if (first && !outlined) text.scrollTop = Math.max(0, first.offsetTop - text.offsetTop - 60);
}

// What cannot be read is shown as far as the page has it.
function fallBack(link, quote, error) {
  const card = link.closest("[data-result], [data-source]");
  const shown = card?.querySelector(".preview, blockquote")?.textContent ?? quote;
  head(card?.querySelector("[data-open]")?.textContent.trim() ?? "", link.dataset.badge ?? "", "", "", link.href);
  part("text").replaceChildren(document.createTextNode(shown.trim() || error.message));
}

async function open(link, passage, quote) {
  const address = link.getAttribute("href");
  opened = { since: Date.now(), passage, focus: document.activeElement };
  head("…", "", "", "", address);
  part("text").replaceChildren();
  dialog().showModal();
  react("click", passage);
  try {
    fill(await fetched(address, passage), link, quote, address);
  } catch (error) {
    fallBack(link, quote, error);
  }
}

function closed() {
  if (!opened) return;
  react("dwell", opened.passage, (Date.now() - opened.since) / 1000);
  opened.focus?.focus();
  opened = null;
}

// A mark of the answer leads to its source in the list, which knows the passage and the quotation.
function linkOf(target) {
  const cite = target.closest("a[data-cite]");
  if (!cite) return target.closest("a[data-open]");
  return document.querySelector(`#source-${CSS.escape(cite.dataset.cite)} a[data-open]`) ?? null;
}

export function start() {
  if (!dialog()) return;
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]") || event.target === event.target.closest("dialog")) {
      event.target.closest("dialog").close();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = linkOf(event.target);
    if (!link) return;
    event.preventDefault();
    open(link, link.dataset.open, link.dataset.quote ?? "");
  });
  dialog().addEventListener("close", closed);
}
