"""How the HTML report looks: on paper, in a narrow window, in the light and in the dark."""

STYLE = """
:root { --ground: #fff; --words: #1a1d21; --quiet: #5b6570; --line: #d5dae0; --raised: #f5f7f9; --link: #0b5cad;
  --people: #1f6fb5; --judge: #b3541e; --found: #2b8a4b; --missing: #a6adb5; --overruled: #e0a02c;
    --unclear: #b04fb0; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171a; --words: #e4e7ea; --quiet: #9aa4ae; --line: #363c43; --raised: #1d2125; --link: #7db8f0;
    --people: #5aa7e6; --judge: #f0955a; --found: #4fb873; --missing: #6b737b; --overruled: #e8b552;
    --unclear: #d285d2; } }
* { box-sizing: border-box; }
html { background: var(--ground); color: var(--words); font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
p { margin: .5rem 0; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; vertical-align: bottom; overflow-wrap: normal; }
td.said { min-width: 7rem; overflow: hidden; }
td.long { min-width: 16rem; }
.figures { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
th.figures { white-space: normal; }
tbody tr:hover { background: var(--raised); }
figure { margin: 1rem 0; max-width: 34rem; }
figcaption { color: var(--quiet); font-size: .9rem; margin-bottom: .4rem; }
svg { display: block; width: 100%; height: auto; }
.label { font-size: 13px; fill: var(--words); }
.small { font-size: 12px; fill: var(--quiet); }
.middle { text-anchor: middle; }
.axis { stroke: var(--line); }
.key { white-space: nowrap; margin-inline-start: .9rem; }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-inline-end: .3rem; border: 2px solid transparent; }
.signed, .standing { fill: var(--people); background: var(--people); }
.judge, .judge_all { fill: none; stroke: var(--judge); stroke-width: 1.5; }
.key .judge, .key .judge_all { border-color: var(--judge); }
.found { fill: var(--found); background: var(--found); }
.unclear { fill: var(--unclear); background: var(--unclear); }
.missing { fill: var(--missing); background: var(--missing); }
.overruled { fill: var(--overruled); background: var(--overruled); }
.acts { list-style: none; margin: 0; padding: 0; }
.acts li { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow: hidden; }
.acts li:target { background: var(--raised); }
.acts p { margin: 0; }
.head { color: var(--quiet); font-size: .9rem; }
.text { white-space: pre-wrap; }
.undone .text { color: var(--quiet); }
@media print {
  :root { --ground: #fff; --words: #000; --quiet: #444; --line: #bbb; --raised: #fff; --link: #000;
    --people: #1f6fb5; --judge: #b3541e; --found: #2b8a4b; --missing: #a6adb5; --overruled: #e0a02c;
    --unclear: #b04fb0; }
  html { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  .wide { overflow: visible; }
  td.said, td.long { min-width: 6.5rem; }
  table { font-size: 8pt; }
  thead { display: table-header-group; }
  tr, figure, .acts li { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg, .key i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
