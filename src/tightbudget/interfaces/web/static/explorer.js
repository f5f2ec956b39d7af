// The explorer, live: what is changed is answered by the server, which does all the arithmetic.
import { bandTraces, chartLibrary, colours, draw, layout, lineColour } from "./charts.js";

const form = document.getElementById("explorer");
const answer = document.getElementById("answer");
const holder = document.getElementById("charts");
const PAUSE = 60, IDLE = 350; // milliseconds after the last change
let asking = null, drawing = null, noising = null, timer = 0, idle = 0, targeted = 0, roc = null;

const element = (id) => document.getElementById(id);
const mode = () => form.elements.mode.value;

function query() {
  const found = new URLSearchParams();
  const left = mode() === "train" ? ["expression"] : ["examples", "batch", "epochs", "noise"];
  for (const [name, value] of new FormData(form)) if (!left.includes(name)) found.set(name, value);
  return found.toString();
}

async function fetched(path, signal, kind = "text") {
  const reply = await fetch(path, { signal, headers: { Accept: kind === "text" ? "*/*" : "application/json" } });
  if (!reply.ok) throw new Error((await reply.json()).message);
  return reply[kind]();
}

function unlessStopped(problem, show) {
  if (problem.name !== "AbortError") show(problem.message);
}

async function ask() {
  asking?.abort();
  drawing?.abort();
  asking = new AbortController();
  answer.setAttribute("aria-busy", "true");
  const asked = query();
  try {
    answer.innerHTML = await fetched(`/explorer/answer?${asked}`, asking.signal); // made by our own templates, escaped
    history.replaceState(null, "", `/?${asked}`);
    showCopies();
    clearTimeout(idle);
    idle = setTimeout(() => askMore(query()), IDLE);
  } catch (problem) {
    unlessStopped(problem, (message) => {
      const said = document.createElement("p");
      said.className = "alert";
      said.setAttribute("role", "alert");
      said.textContent = message;
      const heading = document.createElement("h2");
      heading.textContent = "That has no answer";
      answer.replaceChildren(heading, said);
    });
  } finally {
    answer.setAttribute("aria-busy", "false");
  }
}

async function askNoise(asked) {
  const place = element("noise-answer");
  noising?.abort();
  noising = new AbortController();
  try {
    place.innerHTML = await fetched(`/explorer/noise?${asked}`, noising.signal);
  } catch (problem) {
    unlessStopped(problem, (message) => {
      const said = place.querySelector("p:last-child");
      said.className = "alert";
      said.textContent = message;
    });
  }
}

async function askMore(asked) {
  if (!holder) return;
  drawing?.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  await askNoise(asked);
  for (const kind of ["roc", "growth", "curve"]) {
    if (signal.aborted) return;
    try {
      const found = await fetched(`/explorer/pictures/${kind}?${asked}`, signal, "json");
      await drawers[kind](found);
    } catch (problem) {
      unlessStopped(problem, (message) => { element(`said-${kind}`).textContent = message; });
    }
  }
  if (element("details").open) await askDetails(asked, signal);
}

async function askDetails(asked, signal) {
  const place = element("details-body");
  try {
    place.innerHTML = await fetched(`/explorer/details?${asked}`, signal);
  } catch (problem) {
    unlessStopped(problem, (message) => { place.textContent = message; });
  }
}

const drawers = {
  async curve(found) {
    const c = colours();
    const positive = (values) => values.map((value) => (value > 0 ? value : null));
    const floor = Math.floor(Math.log10(Math.max(found.at.delta, 1e-290))) - 4;
    const bounds = found.bounds
      .map((bound, place) => ({ ...bound, place }))
      .filter((bound) => bound.delta.some((value) => value < 0.9))
      .map((bound) => ({
        x: found.epsilon, y: bound.delta, mode: "lines",
        line: { color: lineColour(bound.place), width: 1.5, dash: bound.kind === "approximation" ? "dot" : "dash" },
        name: bound.kind === "approximation" ? `${bound.name} (no bound)` : bound.name,
      }));
    const here = found.at.epsilon === null ? [] : [{
      x: [found.at.epsilon], y: [found.at.delta], mode: "markers", name: "asked for", showlegend: false,
      marker: { color: c.text, size: 10, symbol: "circle-open", line: { width: 2 } },
      hovertemplate: `ε in [${found.at.lower}, ${found.at.upper}] at δ = ${found.at.delta}<extra></extra>`,
    }];
    const lines = bandTraces(found.epsilon, positive(found.lower), positive(found.upper), "tightbudget");
    await draw(holder, element("chart-curve"), [...bounds, ...lines, ...here], layout(
      { title: { text: "ε" }, range: [0, found.epsilon.at(-1)] },
      { title: { text: "δ" }, type: "log", range: [floor, 0.3], exponentformat: "e", dtick: Math.max(1, Math.round(-floor / 5)) },
    ));
    element("said-curve").textContent = `At δ = ${found.at.delta}, ε is in [${found.at.lower}, ${found.at.upper}].`;
  },
  async growth(found) {
    const c = colours();
    const names = found.words.map((words, place) => `${found.counts[place]} ${found.what}: ε in ${words}`);
    await draw(holder, element("chart-growth"), [
      { x: found.counts, y: found.upper, mode: "lines+markers", line: { color: c.band, width: 1.5, dash: "dot" },
        marker: { size: found.counts.map((count) => (count === found.now ? 13 : 8)), color: c.band },
        text: names, hovertemplate: "%{text}<extra></extra>", showlegend: false, name: "ε, at most" },
    ], layout({ title: { text: found.what }, rangemode: "tozero" }, { title: { text: "ε, at most" }, rangemode: "tozero" }));
    const last = found.counts.length - 1;
    element("said-growth").textContent =
      `${found.counts[last]} ${found.what}: ε in ${found.words[last]}; ${found.counts[0]}: ε in ${found.words[0]}.`;
  },
  async roc(found) {
    const c = colours();
    roc = found;
    showBelief();
    element("said-roc").textContent =
      `Where ${found.at.fpr} of those not in the data raise a false alarm, the best test finds between ${found.at.lower} and ` +
      `${found.at.upper} of those who are; guessing would find ${found.at.fpr}. Advantage: at most ${found.advantage.upper}.`;
    const diagonal = { x: [1e-4, 1], y: [1e-4, 1], mode: "lines", line: { color: c.edge, width: 1.2, dash: "dash" }, name: "guessing" };
    const here = { x: [found.at.fpr], y: [found.at.tpr], mode: "markers", showlegend: false, name: "asked for",
      marker: { color: c.text, size: 10, symbol: "circle-open", line: { width: 2 } } };
    await draw(holder, element("chart-roc"), [diagonal, ...bandTraces(found.fpr, found.lower, found.upper, "best test"), here], layout(
      { title: { text: "false alarms (FPR)" }, type: "log", range: [-4, 0], exponentformat: "e", dtick: 1 },
      { title: { text: "hits (TPR)" }, type: "log", range: [-4, 0.05], exponentformat: "e", dtick: 1 },
    ));
  },
};

/** Say what is believed after an alarm: Bayes' rule on the upper end of the hits, rounded up. */
function showBelief() {
  const prior = Number(form.elements.prior.value);
  if (!roc || !(prior > 0 && prior < 1)) return;
  const { fpr, tpr } = roc.at;
  const after = (prior * tpr) / (prior * tpr + (1 - prior) * fpr);
  const shown = Math.min(100, Math.ceil(1000 * after + 1e-9) / 10);
  element("bar-before").setAttribute("width", String(100 * prior));
  element("bar-after").setAttribute("width", String(shown));
  element("belief").hidden = false;
  element("said-prior").textContent =
    `Believed before: ${Number((100 * prior).toPrecision(6))} %. After an alarm: at most ${shown} %. ` +
    (roc.sure ? "A rare outcome of the release may leave no doubt." : `From 50 %, no outcome can lead beyond ${roc.most} %.`);
}

function showCopies() {
  for (const button of answer.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.onclick = async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "Copied";
    };
  }
}

/** A slider beside a field: `toField` and `toSlider` lead from one to the other. */
function pair(slider, field, toField, toSlider, changed) {
  slider.closest(".slider").hidden = false;
  const follow = () => {
    const place = toSlider(Number(field.value));
    if (Number.isFinite(place)) slider.value = String(place);
    slider.setAttribute("aria-valuetext", field.value);
  };
  slider.addEventListener("input", () => {
    field.value = String(toField(Number(slider.value)));
    slider.setAttribute("aria-valuetext", field.value);
    changed();
  });
  field.addEventListener("input", follow);
  follow();
}

function soon() {
  clearTimeout(timer);
  clearTimeout(idle);
  timer = setTimeout(ask, PAUSE);
}

function targetChanged() {
  clearTimeout(targeted);
  targeted = setTimeout(() => {
    history.replaceState(null, "", `/?${query()}`);
    askNoise(query());
  }, PAUSE);
}

const digits = (value) => Number(value.toPrecision(3));
const onLogScale = (value) => digits(10 ** (value / 60));
const ofLogScale = (value) => Math.round(60 * Math.log10(value));
pair(element("noise-slider"), form.elements.noise, onLogScale, ofLogScale, soon);
pair(element("target-slider"), form.elements.target, (v) => digits(10 ** (v / 20)), (v) => Math.round(20 * Math.log10(v)), targetChanged);
if (holder) {
  pair(element("prior-slider"), form.elements.prior, (v) => v / 100, (v) => Math.round(100 * v), () => {
    history.replaceState(null, "", `/?${query()}`);
    showBelief();
  });
}

form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
document.addEventListener("input", (event) => {
  if (event.target.form !== form || event.target.type === "range") return;
  if (event.target.name === "target") targetChanged();
  else if (event.target.name === "prior") showBelief();
  else soon();
});
element("details")?.addEventListener("toggle", (event) => {
  if (event.target.open && !event.target.querySelector("table")) askDetails(query());
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => askMore(query()));

showCopies();
if (holder) {
  for (const place of holder.querySelectorAll(".chart")) {
    const said = document.createElement("p");
    said.className = "loading";
    said.textContent = "Drawing …";
    place.append(said);
  }
  requestAnimationFrame(() => setTimeout(() => { chartLibrary(holder).catch(() => {}); askMore(query()); }));
}
