"""How the report looks: light and dark from the reader's system, white on paper.

Figures are drawn in marker colours that stand for variables of the style sheet, so that one SVG
serves both.
"""

INK, SOFT, GRID = "#010101", "#020202", "#030303"
MEASURED, SIMULATED, MUJOCO, GOAL = "#040404", "#050505", "#060606", "#070707"
OFF, PANEL = "#080808", "#090909"
STAYS, DRIVEN, BACK_DRIVEN = "#0a0a0a", "#0b0b0b", "#0c0c0c"

VARIABLES = {
    INK: "--ink",
    SOFT: "--soft",
    GRID: "--grid",
    MEASURED: "--measured",
    SIMULATED: "--simulated",
    MUJOCO: "--mujoco",
    GOAL: "--goal",
    OFF: "--off",
    PANEL: "--panel",
    STAYS: "--stays",
    DRIVEN: "--driven",
    BACK_DRIVEN: "--back-driven",
}

_LIGHT = """
  color-scheme: light;
  --page: #f6f7f9; --panel: #ffffff; --ink: #1b1f24; --soft: #5b6570; --grid: #d9dee4;
  --measured: #1b1f24; --simulated: #0072b2; --mujoco: #e69f00; --goal: #a9b1ba; --off: #f1eaf5;
  --stays: #dfe4ea; --driven: #c5def0; --back-driven: #f7dcb4;
  --warn: #8a4b00; --warn-page: #fff4e0; --bad: #b3261e; --good: #1b6e3c;
"""
_DARK = """
  color-scheme: dark;
  --page: #14171b; --panel: #1c2026; --ink: #e6e9ed; --soft: #9aa5b1; --grid: #363d46;
  --measured: #f2f4f7; --simulated: #56b4e9; --mujoco: #ffb92e; --goal: #6b7682; --off: #2b2333;
  --stays: #2c333c; --driven: #1d4360; --back-driven: #5a431c;
  --warn: #ffcf86; --warn-page: #33270f; --bad: #ff8a80; --good: #7fd6a2;
"""

STYLE = (
    f"""
:root {{{_LIGHT}}}
@media screen and (prefers-color-scheme: dark) {{ :root {{{_DARK}}} }}
"""
    """
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 38px 0 10px; }
h3 { font-size: 15px; margin: 0 0 2px; }
p { margin: 6px 0 10px; max-width: 75ch; }
.soft, figcaption { color: var(--soft); }
.panel { background: var(--panel); border: 1px solid var(--grid); border-radius: 8px;
  padding: 14px 16px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  margin: 20px 0 0; }
.figures .panel b { display: block; font-size: 25px; line-height: 1.2; font-weight: 650; }
.figures .panel small { color: var(--soft); }
.warnings { background: var(--warn-page); color: var(--warn); border-radius: 8px;
  padding: 10px 16px; margin: 18px 0 0; }
.warnings ul { margin: 4px 0; padding-left: 20px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr));
  gap: 14px; }
.plots .panel { padding: 12px 12px 6px; margin: 0; }
figure { margin: 0; }
svg { display: block; width: 100%; height: auto; }
.wide { overflow-x: auto; }
.wide table { min-width: 620px; }
.split .wide table, .groups .wide table { min-width: 0; }
.groups { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr));
  gap: 10px 32px; align-items: start; margin-top: 14px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--grid); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.u { white-space: nowrap; color: var(--soft); }
tr.total td { font-weight: 650; border-top: 2px solid var(--soft); }
tr.group td { font-weight: 600; padding-top: 12px; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
  monospace; font-size: 13px; }
pre { background: var(--panel); border: 1px solid var(--grid); border-radius: 8px;
  padding: 12px 14px; overflow-x: auto; margin: 8px 0; }
.mark { color: var(--warn); font-weight: 600; white-space: nowrap; }
.tag { color: var(--warn); border: 1px solid currentColor; border-radius: 4px; padding: 0 5px;
  font-size: 12px; white-space: nowrap; }
.key { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 10px; color: var(--soft); }
.key span { display: inline-flex; align-items: center; gap: 7px; }
.key i { width: 22px; height: 0; border-top: 2.5px solid; }
.key i.box { height: 12px; border: 0; border-radius: 2px; }
.split { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); gap: 24px;
  align-items: start; }
.digest { word-break: break-all; color: var(--soft); font-size: 11px; }
@media (max-width: 820px) { .split { grid-template-columns: 1fr; } }
@media print {
  body { background: #fff; font-size: 11px; } main { max-width: none; padding: 0; }
  .panel, figure, tr, pre, .warnings { break-inside: avoid; } h2 { break-after: avoid; }
  .plots { grid-template-columns: 1fr 1fr; gap: 8px; } .wide { overflow: visible; }
  .wide table { min-width: 0; } pre { white-space: pre-wrap; } th, td { padding: 2px 8px 2px 0; }
  code, pre, .mono { font-size: 9px; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
)
