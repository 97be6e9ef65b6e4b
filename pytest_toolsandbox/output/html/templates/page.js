"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const make = (tag, more, ...inside) => {
    const one = Object.assign(document.createElement(tag), more);
    one.append(...inside);
    return one;
  };
  const table = find("items"), body = table.tBodies[0], form = find("filters"), view = find("view");
  const overview = find("overview"), title = document.title;
  const MOST = Number(table.dataset.most); // rows that are shown at a time: more take seconds to lay out
  const FIRST = 60; // of them at once: a screen is full, and the others come when it is drawn
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows].map((row, place) => ({
    row, place, data: row.dataset, get text() { return this.words ??= row.textContent.toLowerCase(); },
    talks: row.dataset.talks.split(" ").map((one) => one.split(":")),
  }));
  const owner = new Map();
  for (const one of rows) for (const [key, trial, outcome] of one.talks) owner.set(key, { one, trial, outcome });

  // What stands in the page as it is shown without a script; the rest is packed.
  const plain = new Map();
  for (const talk of document.querySelectorAll("#plain > article")) plain.set(talk.id, talk);
  if (find("plain")) find("plain").remove();

  // A conversation, or a message of it, may be named alone: #KEY, #KEY-m5.
  const state = () => {
    const [key, message] = location.hash.slice(1).split("-m");
    return new URLSearchParams(owner.has(key) ? { show: key, ...(message && { at: message }) } : location.hash.slice(1));
  };
  const address = (changes) => {
    const now = state();
    for (const [name, value] of Object.entries(changes)) {
      if (value) now.set(name, value); else now.delete(name);
    }
    return "#" + now;
  };

  // ---- the table -------------------------------------------------------------------------
  const words = ["outcome", "category", "augmentation", "world", "pattern", "arm"];
  const allowed = (one, now) => {
    const { data } = one, score = data.score === "" ? NaN : Number(data.score);
    const equal = ["outcome", "augmentation", "world", "arm"].every((name) => !now.get(name) || data[name] === now.get(name));
    const among = ["category", "pattern"].every((name) => !now.get(name) || data[name].split(" ").includes(now.get(name)));
    const from = now.get("from"), to = now.get("to");
    const inside = (!from || score >= Number(from)) && (!to || score <= Number(to));
    const said = (now.get("q") || "").toLowerCase().split(/\s+/).every((word) => one.text.includes(word));
    return equal && among && inside && said;
  };
  const cell = (one, column) => one.row.cells[column].textContent;
  const order = (now) => {
    const column = heads.findIndex((head) => head.dataset.name === now.get("sort"));
    const down = now.get("dir") === "desc" ? -1 : 1;
    if (column < 0) return [...rows].sort((a, b) => a.place - b.place);
    const isNumber = heads[column].dataset.kind === "number";
    const values = new Map(rows.map((one) => [one, isNumber ? parseFloat(cell(one, column)) : cell(one, column)]));
    const missing = (value) => (isNumber ? Number.isNaN(value) : false);
    return [...rows].sort((a, b) => {
      const x = values.get(a), y = values.get(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y) || a.place - b.place;
      return (x < y ? -1 : x > y ? 1 : 0) * down || a.place - b.place;
    });
  };
  let sorted = "null null", listed = [], later;
  // Rows that are laid out as cards are no table any more to assistive technology, unless it is told.
  const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
  const tell = (one) => { one.setAttribute("role", roles[one.tagName] || (one.scope === "col" ? "columnheader" : "rowheader")); };
  const tellRow = (row) => { if (!row.role) [row, ...row.cells].forEach(tell); };
  const tellTables = (part) => {
    for (const one of part.querySelectorAll("table.cards, table.stacked")) {
      [one, one.tHead, ...one.tBodies].forEach(tell);
      [one.tHead.rows[0], ...one.tBodies[0].rows].filter((row) => !row.hidden).forEach(tellRow);
    }
  };
  tellTables(document);
  const reveal = () => {
    const hidden = listed.filter((row) => row.hidden);
    for (const row of hidden.slice(0, FIRST)) { row.hidden = false; tellRow(row); }
    if (hidden.length > FIRST) later = setTimeout(() => requestAnimationFrame(reveal));
  };
  const show = (now) => {
    const by = `${now.get("sort")} ${now.get("dir")}`, ordered = order(now);
    if (by !== sorted) { // out of the page, or each row that moves would be laid out anew
      body.remove();
      for (const one of ordered) { one.row.hidden = true; body.append(one.row); }
      table.append(body);
      sorted = by;
    }
    const most = Number(now.get("most")) || MOST;
    const fitting = ordered.filter((one) => allowed(one, now)), found = fitting.length;
    listed = fitting.slice(0, most).map((one) => one.row);
    const shown = listed.length, kept = new Set(listed);
    for (const { row } of ordered) if (!row.hidden && !kept.has(row)) row.hidden = true;
    clearTimeout(later);
    reveal();
    find("count").value = `${found} of ${rows.length} items` + (shown < found ? `, the first ${shown} are shown` : "");
    const named = [...form.elements].filter((field) => field.name && !["sort", "dir", "most"].includes(field.name) && now.get(field.name));
    find("chosen").textContent = named.length ? "with " + named.map((field) => `${field.labels[0].firstChild.textContent.trim()} ${now.get(field.name)}`).join(", ") : "";
    for (const head of heads) {
      if (head.dataset.name !== now.get("sort")) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", now.get("dir") === "desc" ? "descending" : "ascending");
    }
    for (const field of form.elements) if (field.name && field !== document.activeElement) field.value = now.get(field.name) || "";
  };

  // ---- one conversation, or two -------------------------------------------------------------
  const unpack = async (key) => {
    if (plain.has(key)) return plain.get(key).cloneNode(true);
    if (document.readyState === "loading" && !find("p-" + key)) // it stands further down
      await new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));
    const packed = find("p-" + key);
    if (!packed) throw new Error("this report has no such conversation");
    if (!("DecompressionStream" in window)) throw new Error("this browser cannot open it; toolsandbox show prints it");
    const bytes = Uint8Array.from(atob(packed.textContent.trim()), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const text = await new Response(stream).text();
    return document.adoptNode(new DOMParser().parseFromString(text, "text/html").querySelector("article"));
  };
  const link = (words, target) => make("a", { href: target, textContent: words });
  const others = (key) => {
    const { one } = owner.get(key), beside = [];
    for (const other of rows) if (other.data.place === one.data.place) for (const [name, trial, outcome] of other.talks) {
      if (name !== key) beside.push({ name, words: `${other.data.arm} trial ${trial} (${outcome.replace("_", " ")})` });
    }
    return beside;
  };
  const bar = (key, other) => {
    const at = listed.indexOf(owner.get(key).one.row);
    const step = (place, words) => listed[place] ? [link(words, address({ show: listed[place].dataset.talks.split(":")[0], with: "", at: "" }))] : [];
    const beside = others(key).flatMap(({ name, words }) => [link(`open ${words}`, address({ show: name, with: "", at: "" })), link(`beside ${words}`, address({ show: key, with: name, at: "" }))]);
    const nav = make("nav", {}, link("← all items", address({ show: "", with: "", at: "" })), ...step(at - 1, "previous"), ...step(at + 1, "next"), ...beside);
    if (other) nav.append(link("one alone", address({ with: "" })));
    nav.setAttribute("aria-label", "conversations");
    return nav;
  };
  const aligned = (left, right) => {
    const size = right.length + 1, best = new Uint32Array((left.length + 1) * size);
    for (let i = left.length - 1; i >= 0; i--) for (let j = right.length - 1; j >= 0; j--) {
      best[i * size + j] = left[i].dataset.says === right[j].dataset.says ? best[(i + 1) * size + j + 1] + 1
        : Math.max(best[(i + 1) * size + j], best[i * size + j + 1]);
    }
    const pairs = [];
    let i = 0, j = 0;
    while (i < left.length || j < right.length) {
      if (i < left.length && j < right.length && left[i].dataset.says === right[j].dataset.says) pairs.push([left[i++], right[j++]]);
      else if (j >= right.length || (i < left.length && best[(i + 1) * size + j] >= best[i * size + j + 1])) pairs.push([left[i++], null]);
      else pairs.push([null, right[j++]]);
    }
    return pairs;
  };
  const together = (one, other) => {
    const grid = make("div", { className: "beside" });
    const threads = [one, other].map((talk) => [...talk.querySelectorAll(".thread > li")]);
    const pairs = aligned(...threads);
    for (const talk of [one, other]) { talk.querySelector(".thread").remove(); grid.append(talk); }
    const parting = pairs.findIndex(([a, b]) => !a || !b);
    pairs.forEach((pair, place) => {
      if (place === parting) grid.append(make("p", { className: "parting", id: "parting", textContent: "here they part" }));
      for (const message of pair) {
        if (message && pair.includes(null)) message.classList.add("apart");
        grid.append(message ? make("ol", { className: "thread" }, message) : make("p", { className: "gap", textContent: "nothing" }));
      }
    });
    if (parting < 0) grid.prepend(make("p", { className: "parting", textContent: "both say the same" }));
    return grid;
  };
  let last = "", turn = 0;
  const open = async (now) => {
    const key = now.get("show"), other = now.get("with"), mine = ++turn;
    overview.hidden = Boolean(key);
    view.hidden = !key;
    if (!key) { if (last) view.replaceChildren(); const from = owner.get(last); last = ""; document.title = title; if (from) from.one.row.querySelector("a").focus(); return; }
    let shown;
    try {
      if (!owner.has(key) || (other && !owner.has(other))) throw new Error("this report has no such conversation");
      const talks = await Promise.all([key, other].filter(Boolean).map(unpack));
      shown = [bar(key, other), other ? together(...talks) : talks[0]];
    } catch (error) {
      shown = [make("p", { className: "verdict", role: "alert", textContent: error.message }), link("← all items", "#")];
    }
    if (mine !== turn) return;
    last = key;
    view.replaceChildren(...shown);
    tellTables(view);
    const heading = view.querySelector("h2");
    if (heading) { document.title = heading.textContent; heading.tabIndex = -1; heading.focus({ preventScroll: true }); }
    scrollTo(0, 0);
    const message = now.get("at") && find(`${key}-m${now.get("at")}`);
    if (message) { message.scrollIntoView({ block: "center" }); message.focus({ preventScroll: true }); }
  };

  // ---- what a reader does -------------------------------------------------------------------
  const go = (changes) => { history.replaceState(null, "", address(changes)); show(state()); };
  let opened = null;
  const route = () => {
    const now = state(), place = `${now.get("show")} ${now.get("with")} ${now.get("at")}`;
    show(now);
    if (place !== opened) { opened = place; open(now); }
  };
  for (const head of heads) {
    const button = make("button", { type: "button", textContent: head.textContent });
    button.addEventListener("click", () => {
      const now = state(), name = head.dataset.name;
      const again = now.get("sort") === name;
      go({ sort: name, dir: again && now.get("dir") !== "desc" ? "desc" : "" });
    });
    head.replaceChildren(button);
  }
  overview.addEventListener("click", (event) => {
    const anchor = event.target.closest("a[data-talk]");
    if (!anchor) return;
    event.preventDefault();
    location.hash = address({ show: anchor.dataset.talk, with: "", at: "" });
  });
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => { if (event.target.name) go({ [event.target.name]: event.target.value }); });
  form.addEventListener("reset", () => go(Object.fromEntries([...words, "q", "from", "to", "most", "sort", "dir"].map((name) => [name, ""]))));
  document.addEventListener("click", (event) => {
    const jump = event.target.closest && event.target.closest("a.jump");
    const target = jump && find((jump.getAttribute("href") || "").slice(1));
    if (!target) return;
    event.preventDefault();
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !view.hidden) location.hash = address({ show: "", with: "", at: "" });
    if (event.key === "/" && view.hidden) { event.preventDefault(); form.elements.q.focus(); }
  });
  addEventListener("hashchange", route);
  route();
})();
