// Charts by plotly.js, which is loaded once and only when one is to be drawn; text and numbers are there before.

const CONFIG = { showSendToCloud: false, plotlyServerURL: "", displaylogo: false, displayModeBar: false, responsive: true };
let library = null;

/** Load the chart library; `holder` says where it is, and the id of a style sheet that it is not to add. */
export function chartLibrary(holder) {
  library ??= new Promise((resolve, reject) => {
    if (!document.getElementById(holder.dataset.mapStyle)) {
      const marker = document.createElement("template");
      marker.id = holder.dataset.mapStyle;
      document.head.append(marker);
    }
    const script = document.createElement("script");
    script.src = holder.dataset.library;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("The chart library could not be loaded."));
    document.head.append(script);
  });
  return library;
}

/** The colours of the page, light or dark. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const found = {};
  for (const name of ["text", "quiet", "grid", "band", "low", "bad", "good", "card", "edge", "soft"]) {
    found[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return found;
}

export const LINES = {
  light: ["#a3260f", "#6c3a92", "#0f6b46", "#8a5a00", "#48606f", "#b0266b", "#3d4ab0"],
  dark: ["#ff9d87", "#cba6f0", "#6fd3a5", "#e8c25f", "#a9b8c3", "#f59ac4", "#a3b0ff"],
};
export const isDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;
export const lineColour = (place) => (isDark() ? LINES.dark : LINES.light)[place % 7];

/** A colour of the page with some of what is behind it shining through. */
export function faded(colour, part) {
  const number = parseInt(colour.slice(1), 16);
  return `rgba(${number >> 16}, ${(number >> 8) & 255}, ${number & 255}, ${part})`;
}

export function layout(x, y, others = {}) {
  const c = colours();
  const axis = { gridcolor: c.grid, zerolinecolor: c.grid, linecolor: c.edge, color: c.quiet, automargin: true, fixedrange: true };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 13, color: c.text },
    margin: { l: 12, r: 12, t: 10, b: 10 },
    hovermode: "closest",
    hoverlabel: { bgcolor: c.card, bordercolor: c.edge, font: { color: c.text } },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 12, color: c.quiet } },
    xaxis: { ...axis, ...x }, yaxis: { ...axis, ...y },
    ...others,
  };
}

export async function draw(holder, place, traces, figure) {
  const plotly = await chartLibrary(holder);
  place.replaceChildren(...[...place.children].filter((child) => !child.classList.contains("loading")));
  await plotly.react(place, traces, figure, CONFIG);
}

/** Two lines and what lies between them. */
export function bandTraces(x, lower, upper, name) {
  const c = colours();
  return [
    { x, y: lower, mode: "lines", line: { color: c.low, width: 1.2, dash: "dot" }, name: `${name}, at least`, hoverinfo: "skip" },
    { x, y: upper, mode: "lines", line: { color: c.band, width: 2.6 }, fill: "tonexty", fillcolor: faded(c.band, 0.25),
      name: `${name}, at most` },
  ];
}
