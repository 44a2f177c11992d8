// Unpacks the plot library, draws every figure in the page's colours, and again when they change.
const style = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const themed = value =>
  typeof value === "string" && value.startsWith("@") ? style(value.slice(1))
  : Array.isArray(value) ? value.map(themed)
  : value && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, themed(part)]))
  : value;
const config = {
  displaylogo: false,
  modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
};
const hidden = new Set(["mujoco"]);  // it lies on the joint engine's curve

async function unpack() {
  const packed = document.getElementById("plot-library").textContent.trim();
  const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(text).text();
  document.head.append(script);
}

async function draw() {
  const font = { family: getComputedStyle(document.body).fontFamily };
  for (const canvas of document.querySelectorAll(".canvas")) {
    const figure = JSON.parse(canvas.nextElementSibling.textContent);
    const data = themed(figure.data).map(t => ({ ...t, visible: !hidden.has(t.meta) }));
    await Plotly.react(canvas, data, { ...themed(figure.layout), font }, config);
    await new Promise(done => setTimeout(done));  // the page stays responsive in between
  }
  document.documentElement.dataset.drawn = "yes";
}

for (const button of document.querySelectorAll(".key button"))
  button.addEventListener("click", () => {
    const role = button.dataset.role, show = hidden.delete(role);
    if (!show) hidden.add(role);
    button.setAttribute("aria-pressed", show);
    for (const canvas of document.querySelectorAll(".canvas")) {
      const traces = canvas.data.flatMap((t, k) => (t.meta === role ? [k] : []));
      if (traces.length) Plotly.restyle(canvas, { visible: show }, traces);
    }
  });
unpack().then(draw).then(() => {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const fit = new ResizeObserver(all => all.forEach(one => Plotly.Plots.resize(one.target)));
  document.querySelectorAll(".canvas").forEach(canvas => fit.observe(canvas));
});
