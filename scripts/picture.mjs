/**
 * Draws docs/images/demo.svg, the moving picture of README: the demo, as it is now, in a terminal.
 *
 *   node scripts/picture.mjs           fails where the picture is not what the demo says
 *   node scripts/picture.mjs --write   draws it anew
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readDemoLines } from './demo-lines.mjs';

const PICTURE = fileURLToPath(new URL('../docs/images/demo.svg', import.meta.url));
const SIZE = { columns: 92, rows: 27, line: 18, character: 7.83, margin: 18, bar: 30 };
/** How long the last screen stays before the picture begins again. */
const LAST_REST_MS = 9000;

/** What colours a line, by its first sign; one per line is enough to tell them apart. */
const COLOURS = [
  { says: /^ {2}(?:Evidence|After) /, name: 'good' },
  { says: /✗|… failed|\| not ok|build\.blocked|\(It .*; watch |^ {2}Stopped /, name: 'bad' },
  { says: /^── /, name: 'turn' },
  { says: /✓|… passed|^Completed/, name: 'good' },
  { says: /^ {2}→ /, name: 'event' },
];

/** An SVG whose only moving part is the group of lines: it goes up a line at a time, as a terminal does. Who wants no motion sees the end. */
function draw(lines) {
  const { columns, rows, line, character, margin, bar } = SIZE;
  const width = Math.round(columns * character + 2 * margin);
  const height = rows * line + 2 * margin + bar;
  const total = lines.reduce((sum, { restMs }) => sum + restMs, 0) + LAST_REST_MS;
  let at = 0;
  const steps = lines.map(({ restMs }, index) => {
    const step = `${((at / total) * 100).toFixed(2)}%{transform:translateY(${(rows - index - 1) * line}px)}`;
    at += restMs;
    return step;
  });
  const end = (rows - lines.length) * line;
  const texts = lines.map(({ text }, index) => {
    const colour = COLOURS.find(({ says }) => says.test(text));
    return `<text xml:space="preserve" y="${(index + 1) * line}"${colour === undefined ? '' : ` class="${colour.name}"`}>${escapeXml(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title what">
<title id="title">ralph demo</title>
<desc id="what">A builder says that everything passes. The gate runs the tests: they fail, and the work goes back. At the next try they pass, a reviewer is kept from writing, the run completes with its evidence, and ralph review shows what was done.</desc>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d4d8de}
.bad{fill:#ff7b72}.good{fill:#7ee787}.event{fill:#79c0ff}.turn{fill:#d2a8ff}
#lines{transform:translateY(${end}px);animation:lines ${(total / 1000).toFixed(1)}s step-end infinite}
@keyframes lines{${steps.join('')}}
@media (prefers-reduced-motion:reduce){#lines{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#14171c"/>
<circle cx="20" cy="16" r="5" fill="#ff5f57"/><circle cx="38" cy="16" r="5" fill="#febc2e"/><circle cx="56" cy="16" r="5" fill="#28c840"/>
<text x="${width / 2}" y="20" text-anchor="middle">ralph demo</text>
<clipPath id="screen"><rect x="0" y="${bar}" width="${width}" height="${height - bar}"/></clipPath>
<g clip-path="url(#screen)"><g transform="translate(${margin} ${bar + margin / 2})"><g id="lines">
${texts.join('\n')}
</g></g></g>
</svg>
`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function read() {
  try {
    return readFileSync(PICTURE, 'utf8');
  } catch {
    return '';
  }
}

const drawn = draw(await readDemoLines());
if (process.argv.includes('--write')) writeFileSync(PICTURE, drawn);
else if (drawn !== read()) {
  const old = new Set(read().split('\n'));
  console.error('docs/images/demo.svg does not show what the demo says now. Draw it anew: npm run picture');
  for (const line of drawn.split('\n').filter((text) => !old.has(text))) console.error(`  ${line.slice(0, 300)}`);
  process.exitCode = 1;
}
