/**
 * The list of the built-in tools is made from the files in src/agent/tools: a tool is added by adding its file.
 *
 *   node scripts/tools.mjs            fails when src/agent/tool-list.ts differs from the folder
 *   node scripts/tools.mjs --write    writes it, and the cards in src/core/tools/built-in-cards.ts
 *
 * A file adds a tool when it exports `const <name>Tool = defineTool(…)`, or `function create<Name>Tool(publishes)` where the schema depends on the hat.
 * That the cards are fresh is held by src/agent/tool-list.test.ts, which can load the tools.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'src/agent/tools');
const LIST = join(ROOT, 'src/agent/tool-list.ts');
const CARDS = join(ROOT, 'src/core/tools/built-in-cards.ts');
const GROUP_FILE = join(ROOT, 'src/core/tools/tool-card.ts');

/** The groups in the order in which tools are offered. */
function readGroups() {
  const [, list = ''] = /TOOL_GROUPS = \[([^\]]*)\]/.exec(readFileSync(GROUP_FILE, 'utf8')) ?? [];
  return [...[...list.matchAll(/'([a-z_]+)'/g)].map((match) => match[1]), 'coordination'];
}

/** The tools of the folder: their file, what it exports, and by which order they are listed. */
function findTools() {
  const groups = readGroups();
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const tools = files.flatMap((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const [, made] = /^export function (create[A-Z]\w*Tool)\(publishes\b/m.exec(text) ?? [];
    const [, constant] = /^export const ([a-z]\w*Tool)\b[^=\n]*= defineTool\b/m.exec(text) ?? [];
    const [, group = ''] = /^\s*group: '([a-z_]+)'/m.exec(text) ?? [];
    if (made === undefined && constant === undefined) return [];
    if (!groups.includes(group)) throw new Error(`src/agent/tools/${file}: no \`group: '…'\` that there is`);
    return [{ file, name: made ?? constant, call: made === undefined ? constant : `${made}(publishes)`, rank: groups.indexOf(group) }];
  });
  return tools.sort((left, right) => left.rank - right.rank || (left.file < right.file ? -1 : 1));
}

function renderList(tools) {
  const imports = [...tools]
    .sort((left, right) => (left.file < right.file ? -1 : 1))
    .map(({ file, name }) => `import { ${name} } from './tools/${file}';`);
  return `import type { AnyTool } from './tool/tool.ts';
${imports.join('\n')}

/**
 * The built-in tools in the order in which they are offered: by group, then by name.
 * Written by \`npm run tools\` from the files in \`src/agent/tools\`: do not edit.
 *
 * @param publishes topics and patterns that the hat may publish
 */
export function createBuiltInTools(publishes: readonly string[]): readonly AnyTool[] {
  return [
${tools.map(({ call }) => `    ${call},`).join('\n')}
  ];
}
`;
}

/** Loads the list that was just written, with everything that it needs. */
async function loadCards() {
  const { rolldown } = await import('rolldown');
  const folder = mkdtempSync(join(tmpdir(), 'ralph-tools-'));
  try {
    const build = await rolldown({ cwd: ROOT, input: { list: LIST }, platform: 'node' });
    await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    await build.close();
    const { createBuiltInTools } = await import(pathToFileURL(join(folder, 'list.mjs')).href);
    return createBuiltInTools([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function renderCards(tools) {
  const cards = tools.map(({ name, group, hints, description }) => {
    const { readOnly, destructive, idempotent, openWorld } = hints;
    return `  {
    name: ${quote(name)},
    group: ${quote(group)},
    hints: { readOnly: ${readOnly}, destructive: ${destructive}, idempotent: ${idempotent}, openWorld: ${openWorld} },
    description: ${quote(description)},
  },`;
  });
  return `import type { ToolCard } from './tool-card.ts';

/**
 * The cards of the built-in tools in the order in which they are offered, so that profiles can be checked and shown without loading the tools.
 * Written by \`npm run tools\` from \`src/agent/tools\`: do not edit.
 */
export const BUILT_IN_CARDS: readonly ToolCard[] = [
${cards.join('\n')}
];
`;
}

/** As the formatter writes it: with the quotes that need the fewest escapes. */
function quote(text) {
  const json = JSON.stringify(text);
  return text.includes("'") && !text.includes('"') ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** As the formatter writes it: a text that is too long for the line of its key goes below it. */
function breakLong(source) {
  return source.replace(/^( +)(description:) (.{116,})$/gm, (line, indent, key, text) =>
    line.length > 140 ? `${indent}${key}\n${indent}  ${text}` : line,
  );
}

function writeIfChanged(path, text) {
  if (text === readFileSync(path, 'utf8')) return;
  writeFileSync(path, text);
  console.log(`written: ${path.slice(ROOT.length)}`);
}

async function main(write) {
  const list = renderList(findTools());
  if (write) {
    writeFileSync(LIST, list);
    writeIfChanged(CARDS, breakLong(renderCards(await loadCards())));
  } else if (readFileSync(LIST, 'utf8') !== list) {
    console.error('src/agent/tool-list.ts differs from the files in src/agent/tools: run `npm run tools`');
    process.exitCode = 1;
  }
}

await main(process.argv.includes('--write'));
