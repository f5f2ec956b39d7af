// Figures of the papers, drawn when they come into view.
import { colours, draw, faded, layout, lineColour } from "./charts.js";

const holder = document.getElementById("charts");
const DASHES = { upper: "dash", approximation: "dot", line: "solid" };
const number = (value) => (typeof value === "number" ? value : null);

function traces(series) {
  const shown = { x: series.x.map(number), name: series.name };
  const upper = series.upper.map(number);
  const ours = series.kind === "bracket" && series.colour === 0;
  const colour = ours ? colours().band : lineColour(series.colour);
  switch (series.kind) {
    case "bracket": case "buckets": case "area": {
      const dash = series.kind === "buckets" ? "dashdot" : "solid";
      const group = { legendgroup: series.name + series.colour };
      return [
        { ...shown, ...group, y: (series.lower ?? series.upper).map(number), mode: "lines", showlegend: false, hoverinfo: "skip",
          line: { color: colour, width: 1, dash: "dot" } },
        { ...shown, ...group, y: upper, mode: "lines", line: { color: colour, width: series.kind === "bracket" ? 2.4 : 1.4, dash },
          fill: "tonexty", fillcolor: faded(colour, 0.2) },
      ];
    }
    case "point": case "marks":
      return [{ ...shown, y: upper, mode: "markers", marker: { color: colour, size: 9, symbol: series.kind === "point" ? "diamond" : "circle" } }];
    default:
      return [{ ...shown, y: upper, mode: "lines", line: { color: colour, width: 1.6, dash: DASHES[series.kind] ?? "dash" } }];
  }
}

function axes(panel) {
  const y = { title: { text: panel.y_label }, type: panel.y_log ? "log" : "linear", exponentformat: "e" };
  if (panel.floor > 0 && panel.y_log) {
    y.range = [Math.log10(panel.floor), Math.log10(panel.ceiling > 0 ? panel.ceiling : 2)];
    y.dtick = Math.max(1, Math.round((y.range[1] - y.range[0]) / 6));
  }
  const x = { title: { text: panel.x_label }, type: panel.x_log ? "log" : "linear", exponentformat: "e" };
  if (panel.x_log) x.dtick = 1;
  if (panel.ticks.length) Object.assign(x, { tickvals: panel.ticks.map((_, place) => place), ticktext: panel.ticks });
  return [x, y];
}

async function show(figure) {
  const place = figure.querySelector(".panels");
  const reply = await fetch(figure.dataset.panels);
  if (!reply.ok) return;
  const { panels } = await reply.json();
  place.replaceChildren();
  for (const panel of panels) {
    const box = document.createElement("div");
    const title = document.createElement("h4");
    title.textContent = panel.title;
    const chart = document.createElement("div");
    chart.className = "chart paper-chart";
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `${panel.title}: ${panel.y_label} over ${panel.x_label}`);
    box.append(title, chart);
    place.append(box);
    await draw(holder, chart, panel.series.flatMap(traces), layout(...axes(panel)));
  }
}

if (holder) {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      show(entry.target);
    }
  }, { rootMargin: "400px" });
  const watch = () => holder.querySelectorAll(".paper").forEach((figure) => seen.observe(figure));
  watch();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", watch);
}
