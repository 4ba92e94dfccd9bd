import { summarize } from "./report.mjs";

const width = 990;
const left = 190;
const column = 300;
const gap = 70;
const bar = 16;
const step = 22;

const style = `
  .page { fill: #ffffff }
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 12px }
  .downbeat { fill: #0969da }
  .reference { fill: #8c959f }
  .peer { fill: #bf8700 }
  .axis { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 }
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .downbeat { fill: #4493f8 }
    .reference { fill: #6e7681 }
    .peer { fill: #d29922 }
    .axis { stroke: #3d444d }
  }`;

/** Rates and CPU of every scenario and system as bars, as SVG that reads well on light and dark pages. */
export function renderChart(results) {
  const panels = summarize(results).filter(({ rows }) =>
    rows.some(({ figures }) => figures.wholeCpuMs !== undefined || figures.rate !== undefined),
  );
  const parts = [];
  let y = 30;
  parts.push(text(left, y, "Work per second, more is better", "quiet"));
  parts.push(
    text(left + column + gap, y, "CPU ms per unit of work, server, database and worker, less is better", "quiet"),
  );
  for (const { scenario, rows } of panels) {
    y += 34;
    parts.push(text(20, y, scenario.name, "title"));
    y += 10;
    const largest = (name) => Math.max(...rows.map(({ figures }) => figures[name] ?? 0));
    const most = { rate: largest("rate"), wholeCpuMs: largest("wholeCpuMs") };
    const top = y;
    for (const { system, figures } of rows) {
      parts.push(text(20, y + bar - 3, system.title));
      parts.push(...drawBar({ x: left, y, value: figures.rate, most: most.rate, kind: kindOf(system) }));
      const x = left + column + gap;
      parts.push(...drawBar({ x, y, value: figures.wholeCpuMs, most: most.wholeCpuMs, kind: kindOf(system) }));
      y += step;
    }
    for (const x of [left, left + column + gap])
      parts.push(`<line class="axis" x1="${x}" y1="${top - 3}" x2="${x}" y2="${y - 3}"/>`);
  }
  const height = y + 20;
  const label = "Work per second and CPU per unit of work of each system in each scenario";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<style>${style}
</style>
<rect class="page" width="${width}" height="${height}"/>
${parts.join("\n")}
</svg>
`;
}

const kindOf = ({ name }) => ["downbeat", "reference"].find((kind) => name.startsWith(kind)) ?? "peer";

function drawBar({ x, y, value, most, kind }) {
  if (value === undefined) return [];
  const length = most === 0 ? 0 : Math.max(1, (value / most) * (column - 60));
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${length.toFixed(1)}" height="${bar}" rx="2"/>`,
    text(x + length + 6, y + bar - 3, formatValue(value)),
  ];
}

const formatValue = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(value >= 10 ? 3 : 2)));

const text = (x, y, content, kind) =>
  `<text${kind ? ` class="${kind}"` : ""} x="${x.toFixed(1)}" y="${y}">${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
