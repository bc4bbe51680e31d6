// What does a page for owners do beyond showing? It uploads files, removes them, follows jobs.
(() => {
  "use strict";
  const JOB_MS = 1000;
  const one = (name, inside = document) => inside.querySelector(`[data-${name}]`);
  const every = (name, inside = document) => inside.querySelectorAll(`[data-${name}]`);

  const said = (text, status) => {
    try {
      return JSON.parse(text).error.message;
    } catch {
      return status ? `the server answered ${status}` : "the server cannot be reached";
    }
  };

  // --- jobs ---------------------------------------------------------------------------

  const over = (job) => ["done", "failed", "stopped"].includes(job.status);
  const far = (job) => {
    const counted = job.total ? ` ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")} ${job.unit}` : "";
    const inside = job.inside.map((file) => `, ${file.done.toLocaleString("en")} of ${file.total.toLocaleString("en")} ${file.unit} of ${file.path.split("/").pop()}`);
    return `${job.stage || job.status}${counted}${inside.join("")}`.trim();
  };
  const done = (job) => job.inside.reduce((sum, file) => sum + file.done / (file.total || 1), job.done);

  const follow = async (address, changed) => {
    for (let missed = 0; missed < 5; ) {
      try {
        const reply = await fetch(address, { headers: { Accept: "application/json" } });
        if (!reply.ok) throw new Error(said(await reply.text(), reply.status));
        const job = await reply.json();
        missed = 0;
        changed(job);
        if (over(job)) return job;
      } catch (error) {
        missed += 1;
        if (missed === 5) throw error;
      }
      await new Promise((go) => setTimeout(go, JOB_MS));
    }
    return null;
  };

  const paint = (place, job) => {
    const bar = one("bar", place);
    if (job.total) {
      bar.max = job.total;
      bar.value = done(job);
    } else {
      bar.removeAttribute("value");
    }
    one("told", place).textContent = far(job);
    one("state", place).textContent = job.status;
    one("far", place).hidden = over(job);
  };

  for (const place of every("job")) {
    if (place.dataset.status === "waiting" || place.dataset.status === "running") {
      follow(place.dataset.job, (job) => paint(place, job)).then(
        () => location.reload(),
        (error) => {
          one("told", place).textContent = error.message;
        },
      );
    }
  }

  for (const button of every("stop")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      const reply = await fetch(button.dataset.stop, { method: "POST", headers: { Accept: "application/json" } });
      if (!reply.ok) button.textContent = said(await reply.text(), reply.status);
    });
  }

  // --- files that come in ---------------------------------------------------------------

  const adding = document.querySelector(".adding");
  let busy = 0;

  const row = (name) => {
    const item = document.createElement("li");
    item.className = "upload";
    const title = document.createElement("span");
    title.className = "what";
    title.textContent = name;
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", `Upload of ${name}`);
    const told = document.createElement("span");
    told.className = "small soft";
    item.append(title, bar, told);
    one("uploads").append(item);
    return {
      tell: (text) => {
        told.textContent = text;
      },
      show: (done, total) => {
        if (total) {
          bar.max = total;
          bar.value = done;
        } else {
          bar.removeAttribute("value");
        }
      },
      end: (text, good) => {
        bar.remove();
        told.textContent = text;
        told.className = `small ${good ? "state-ok" : "state-failed"}`;
      },
    };
  };

  const send = (file, line) =>
    new Promise((go, fail) => {
      // The server refuses it as well, but in the middle of sending, where a browser does not listen.
      if (file.size > Number(adding.dataset.most)) {
        fail(new Error(`it is too large: a file may have ${adding.dataset.mostTold}`));
        return;
      }
      const request = new XMLHttpRequest();
      request.open("PUT", adding.dataset.files + encodeURIComponent(file.name));
      request.setRequestHeader("Accept", "application/json");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.addEventListener("progress", (event) => {
        line.show(event.loaded, event.total);
        line.tell(`${Math.round((100 * event.loaded) / (event.total || 1))} % sent`);
      });
      request.addEventListener("load", () => {
        if (request.status < 300) go(JSON.parse(request.responseText));
        else fail(new Error(said(request.responseText, request.status)));
      });
      request.addEventListener("error", () => fail(new Error(said("", 0))));
      request.send(file);
    });

  const take = async (file) => {
    const line = row(file.name);
    busy += 1;
    try {
      const job = (await send(file, line)).job;
      const ended = await follow(adding.dataset.jobs + encodeURIComponent(job.id), (now) => {
        line.show(done(now), now.total);
        line.tell(far(now));
      });
      const failed = ended.report && ended.report.failed && ended.report.failed[0];
      if (ended.status !== "done") throw new Error(ended.error || ended.status);
      if (failed) throw new Error(failed[1]);
      line.end("added", true);
    } catch (error) {
      line.end(error.message, false);
      adding.dataset.trouble = "yes";
    }
    busy -= 1;
    if (!busy && !adding.dataset.trouble) location.reload();
  };

  const takeAll = async (files) => {
    delete adding.dataset.trouble;
    one("uploads").replaceChildren();
    await Promise.all(Array.from(files, take));
  };

  if (adding) {
    const drop = one("drop");
    const chosen = one("chosen");
    chosen.addEventListener("change", () => {
      takeAll(chosen.files);
      chosen.value = "";
    });
    for (const kind of ["dragenter", "dragover"]) {
      drop.addEventListener(kind, (event) => {
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      takeAll(event.dataTransfer.files);
    });
  }

  // --- settings -------------------------------------------------------------------------

  for (const form of every("setting")) {
    const [input, save] = [form.elements.value, form.querySelector("button")];
    const kept = one("kept", form.parentElement);
    input.addEventListener("input", () => {
      save.hidden = input.value === input.defaultValue;
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const reply = await fetch(`${location.pathname}`, {
        method: "PUT",
        headers: { Accept: "application/json", "Content-Type": "application/json" },
        body: JSON.stringify({ name: form.dataset.setting, value: input.value }),
      });
      const text = await reply.text();
      if (reply.ok) {
        const changed = JSON.parse(text);
        input.defaultValue = input.value;
        save.hidden = true;
        kept.textContent = changed.rebuild ? "Saved. Restart the server, then run consilience rebuild." : "Saved; used after a restart.";
      } else {
        kept.textContent = said(text, reply.status);
      }
      kept.className = `small ${reply.ok ? "state-ok" : "state-failed"}`;
    });
  }

  // --- files that go --------------------------------------------------------------------

  const asking = one("asking");
  if (asking) {
    const failed = one("failed", asking);
    const really = one("really", asking);
    let path = "";
    for (const button of every("remove")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        path = button.dataset.remove;
        one("named", asking).textContent = path;
        failed.hidden = true;
        really.disabled = false;
        asking.showModal();
      });
    }
    really.addEventListener("click", async () => {
      really.disabled = true;
      try {
        const address = adding.dataset.files + path.split("/").map(encodeURIComponent).join("/");
        const reply = await fetch(address, { method: "DELETE", headers: { Accept: "application/json" } });
        if (!reply.ok) throw new Error(said(await reply.text(), reply.status));
        const { job } = await reply.json();
        if (job) await follow(adding.dataset.jobs + encodeURIComponent(job.id), () => {});
        location.reload();
      } catch (error) {
        failed.textContent = error.message;
        failed.hidden = false;
        really.disabled = false;
      }
    });
  }
})();
