/**
 * The list prices of models are made from the list that the package @pydantic/genai-prices ships (MIT, a devDependency, never bundled).
 *
 *   node scripts/prices.mjs            fails when src/core/backends/list-price-table.ts differs from the list; passes where the package is not installed
 *   node scripts/prices.mjs --write    writes it, with the version of the package and the day it was published, which npm is asked for
 *
 * To take a newer list: npm install --save-dev --save-exact @pydantic/genai-prices@VERSION, then npm run prices.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TABLE = join(ROOT, 'src/core/backends/list-price-table.ts');
const PACKAGE = '@pydantic/genai-prices';
/** Who makes models and sells them. A name that two of them have is the first one's. */
const PROVIDERS = ['anthropic', 'openai', 'google', 'deepseek', 'x-ai', 'mistral', 'moonshotai', 'zai', 'minimax'];
/** Models that no agent works with, models of others, and open weights that cost what their host asks. */
const LEFT_OUT =
  /image|audio|tts|embed|realtime|transcribe|whisper|ocr|moderation|live|voice|voxtral|computer|search|research|omni|gpt-oss|gemma|^ft:|:|\.ft-|^claude-(?:v?[12]|instant)|^(?:ada|babbage|curie|davinci|text-|gpt-3)/i;

/** The price that counts on a day: the newest one that has begun; where it changes with the time of day, the highest. */
function findCurrent(prices, day) {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(({ constraint: rule }) => rule?.type !== 'start_date' || String(rule.start_date).slice(0, 10) <= day);
  const last = begun.findLastIndex(({ constraint: rule }) => rule?.type === 'start_date');
  const current = begun.slice(Math.max(0, last)).map(({ prices: price }) => price);
  return current.sort((a, b) => baseOf(b.input_mtok) - baseOf(a.input_mtok))[0];
}

const DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

function listNames({ id, match }) {
  const found = (rule) => [rule.equals, rule.starts_with, ...(rule.or ?? []).flatMap(found)].flat();
  const names = [...new Set([id, ...found(match)])].filter((name) => /^[\w./-]*\w$/.test(name ?? '') && !LEFT_OUT.test(name));
  // A dated name is looked up without its date, too.
  return names.filter((name) => !names.includes(name.replace(DATE, '')) || !DATE.test(name));
}

const baseOf = (price) => (typeof price === 'object' ? price.base : price);

/** `input output cacheRead cacheWrite`, where a long request costs more also from how many tokens on, and the four again; `-` for what is not said. */
function toRow(price, context) {
  const columns = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'].map((name) => price[name]);
  const starts = columns.flatMap((column) => (typeof column === 'object' ? column.tiers.map(({ start }) => start) : []));
  const show = (values) => values.map((value) => value ?? '-').join(' ');
  const last = (column) => (typeof column === 'object' ? column.tiers.at(-1).price : column);
  const above = starts.length === 0 ? '' : ` ${Math.min(...starts)} ${show(columns.map(last))}`;
  return `${context ?? '-'} ${show(columns.map(baseOf))}${above}`;
}

async function makeTable(day, version) {
  const { findProvider } = await import(PACKAGE);
  const rows = new Map();
  for (const providerId of PROVIDERS) {
    for (const model of findProvider({ providerId })?.models ?? []) {
      const price = findCurrent(model.prices, day);
      if (providerId === 'google' && !model.id.startsWith('gemini')) continue;
      if (!(baseOf(price?.input_mtok) >= 0) || !(baseOf(price?.output_mtok) >= 0)) continue;
      for (const name of listNames(model)) if (!rows.has(name)) rows.set(name, toRow(price, model.context_window));
    }
  }
  const byRow = new Map();
  for (const [name, row] of rows) byRow.set(row, [...(byRow.get(row) ?? []), name]);
  const lines = [...byRow].map(([row, names]) => `${names.sort().join(',')} ${row}`).sort();
  return `${[
    '// Written by `npm run prices`, do not edit.',
    '',
    `/** The day on which the list was published, as ${PACKAGE}@${version}. */`,
    `export const LIST_DAY = '${day}';`,
    '',
    '/** A line for each price: `names context input output cacheRead cacheWrite [above input output cacheRead cacheWrite]`, US dollars for a million tokens. */',
    'export const LIST_TABLE = `',
    ...lines,
    '`;',
  ].join('\n')}\n`;
}

function findVersion() {
  const path = join(ROOT, 'node_modules', PACKAGE, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : null;
}

function askDay(version) {
  const times = JSON.parse(
    execFileSync('npm', ['view', PACKAGE, 'time', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  return String(times[version]).slice(0, 10);
}

const version = findVersion();
const known = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
if (version === null) {
  console.log(`${PACKAGE} is not installed: the table of prices is not looked at`);
} else if (process.argv.includes('--write')) {
  const table = await makeTable(askDay(version), version);
  writeFileSync(TABLE, table);
  console.log(`wrote src/core/backends/list-price-table.ts: ${table.split('\n').length - 10} prices, ${table.length} bytes`);
} else {
  const [, day = ''] = /LIST_DAY = '([\d-]+)'/.exec(known) ?? [];
  if (known !== (await makeTable(day, version))) {
    console.error('src/core/backends/list-price-table.ts is not what the list says: npm run prices');
    process.exitCode = 1;
  }
}
