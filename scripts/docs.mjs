/**
 * The pages that are made: the reference of the configuration, docs/reference/configuration.md, from the JSON Schema that `ralph config schema`
 * prints, and so from the settings table; the index of the requirements; the table of events in docs/guide/hooks.md, from src/core/hooks/hook-moments.ts; the table
 * of keys in docs/guide/watch.md, from src/tui/keys.ts.
 *
 *   node scripts/docs.mjs                   writes the pages; `npm run docs` builds first
 *   node scripts/docs.mjs --check           writes nothing, fails when a page differs
 *   … --schema FILE                         takes the schema from a file, not from the built command
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOOKS_PAGE, renderHooksPage } from './hooks-page.mjs';
import { KEYS_PAGE, renderKeysPage } from './keys-page.mjs';
import { INDEX_PAGE, renderRequirementsIndex } from './requirements-index.mjs';

const PAGE = 'docs/reference/configuration.md';
const ROOT = new URL('..', import.meta.url);
const NOTHING = '–';

const INTRODUCTION = `# Reference of the configuration

<!-- Written by \`npm run docs\` from the settings table. Do not edit. -->

Every key that a configuration may have. The [guide](../guide/configuration.md) explains them with examples and says
[where settings come from](../guide/configuration.md#where-settings-come-from); \`ralph config schema\` prints the same for editors.

| type | what may be written |
|---|---|
| text | any text |
| line | a text of one line that is not blank |
| word | a text without white space |
| command line | a text that \`/bin/sh\` runs; it may have several lines |
| topic | words of letters, digits, \`_\` and \`-\`, joined by dots |
| pattern | a topic in which \`*\` stands for a whole word; at the end for one or more, alone for everything |
| path | relative to the folder of the run, and inside it; not in \`.git\` |
| duration | a number of seconds, or a text such as \`90s\`, \`10m\`, \`1h30m\`, \`500ms\`; at most 24 days |
| money | US dollars: \`5\`, \`0.50\`, \`$5\` |
| list of … | several; one alone may stand without brackets |
| map | keys of its own, which are listed under its path; \`<id>\` and \`<name>\` are names of your choice |
| map of … | names of your choice, with values of that type |

A key that is left out, or left empty, has its default; ${NOTHING} is none. Values may hold [\`\${NAME}\`](../guide/configuration.md#name-in-values).
Keys that begin with \`x-\` or \`_\` are yours and are not read.
`;

/**
 * A part of a JSON Schema, as far as this page reads it.
 *
 * @typedef {{ description?: string, default?: unknown, type?: string | string[], pattern?: string, minimum?: number, exclusiveMinimum?: number,
 *   const?: unknown, enum?: string[], anyOf?: Schema[], items?: Schema, minItems?: number, properties?: Record<string, Schema>,
 *   required?: string[], additionalProperties?: boolean | Schema }} Schema
 */

/** The types in which a schema may be given, without the `null` of an empty key. */
function listTypes(schema) {
  return [schema.type ?? []].flat().filter((type) => type !== 'null');
}

/** What may be written in the place of a schema, the empty value and `${NAME}` aside. */
function listChoices(schema) {
  if (schema.anyOf === undefined) return [schema];
  return schema.anyOf.filter((choice) => listTypes(choice).length > 0 || choice.enum || choice.anyOf || 'const' in choice).filter(isOwn);
}

/** `${NAME}` alone may stand beside words; it is no type. */
function isOwn(choice) {
  return choice.type !== 'string' || choice.pattern === undefined || ['a', 'a.b'].some((text) => accepts(choice, text));
}

function accepts({ pattern }, text) {
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}

/** What a text has to be like, told by what its pattern takes. */
function nameText(schema) {
  const takes = (text) => accepts(schema, text);
  if (schema.pattern === undefined) return 'text';
  if (takes('a\nb')) return 'command line';
  if (takes('a b')) return takes('../a') ? 'line' : 'path';
  if (takes('a/b')) return 'word';
  return takes('a.*') ? 'pattern' : 'topic';
}

function nameNumber(schema) {
  if (listTypes(schema).includes('integer')) return 'whole number';
  if (accepts(schema, '10m')) return 'duration';
  return accepts(schema, '$5') ? 'money' : 'number';
}

function nameBounds({ minimum, maximum, exclusiveMinimum }) {
  const most = maximum === undefined ? '' : ` and ≤ ${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}${most}`;
  return exclusiveMinimum === undefined ? '' : ` > ${exclusiveMinimum}`;
}

/** One of the things that may be written, in words. */
function nameChoice(schema) {
  if (schema.enum !== undefined) return schema.enum.map(toCode).join(', ');
  if ('const' in schema) return toCode(schema.const);
  const types = listTypes(schema);
  if (types.includes('array')) return `list of ${['', 'one or more ', 'two or more '][schema.minItems ?? 0]}${nameSeveral(schema.items)}`;
  if (types.includes('object')) return nameMap(schema);
  if (types.includes('string') && !types.includes('boolean') && !types.some(isNumber)) return nameText(schema);
  if (types.includes('boolean') && !types.some(isNumber)) return '`true`, `false`';
  return types.includes('boolean') ? nameText(schema) : `${nameNumber(schema)}${nameBounds(schema)}`;
}

/** The type of the entries of a list or a map. */
function nameSeveral(schema) {
  const name = nameType(schema);
  return name.startsWith('`') ? name : name.replaceAll(/[a-z](?=,|$)/g, (end) => `${end}s`);
}

function isNumber(type) {
  return type === 'number' || type === 'integer';
}

function nameMap({ properties, additionalProperties }) {
  if (properties !== undefined) return 'map';
  if (additionalProperties === undefined) return 'JSON Schema';
  return additionalProperties.properties === undefined ? `map of ${nameSeveral(additionalProperties)}` : 'map';
}

/** The type of a setting in words. A list of something may also be that one thing: the introduction says so. */
function nameType(schema) {
  const choices = listChoices(schema);
  const list = choices.find((choice) => listTypes(choice).includes('array'));
  if (list !== undefined && choices.length < 3) return nameChoice(list);
  if (list !== undefined) return 'backend, or a list of them';
  if (choices.some(({ properties }) => properties?.prompt_mode !== undefined && properties.type !== undefined)) return 'backend';
  return [...new Set(choices.map((choice) => (choice.anyOf === undefined ? nameChoice(choice) : nameType(choice))))].join(', or ');
}

/** What a setting is; with what an entry of it is, where there are several ways to write one. */
function describe(schema) {
  const list = listChoices(schema).find((choice) => listTypes(choice).includes('array'));
  const entry = list?.items.anyOf?.some(({ properties }) => properties !== undefined) ? list.items.description : undefined;
  return entry === undefined ? schema.description : `${schema.description} ${entry}`;
}

function toCode(value) {
  if (Array.isArray(value)) return `\`[${value.join(', ')}]\``;
  return `\`${String(value)}\``;
}

function toCell(text) {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

/** True for a key that a later version gives a meaning: known, and of no type. */
function isLater(schema) {
  return schema.type === undefined && schema.anyOf === undefined;
}

/** The maps with known keys under a setting, with their paths. */
function listMaps(schema, path) {
  if (schema.properties !== undefined) return [{ path, schema }];
  const inner = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  if (inner !== undefined) return listMaps(inner, `${path}.${path === 'hats' ? '<id>' : '<name>'}`);
  const choices = listChoices(schema);
  const list = choices.find((choice) => listTypes(choice).includes('array'));
  // Of a list the entries are listed, not once more the value that stands for a list of one.
  if (list !== undefined) return listMaps(list.items, choices.length < 3 ? `${path}[]` : path);
  return choices.length === 1 && choices[0] === schema ? [] : choices.flatMap((choice) => listMaps(choice, path));
}

/** Every map with known keys: those of a map before those of the maps in it. The same keys at several places are one. */
function listSections(root) {
  const sections = [];
  const visit = ({ path, schema }) => {
    const keys = JSON.stringify(schema.properties);
    const same = sections.find((section) => section.keys === keys);
    if (same !== undefined) return same.paths.push(path);
    sections.push({ keys, paths: [path], schema });
    for (const [name, setting] of Object.entries(schema.properties)) {
      for (const map of listMaps(setting, path === '' ? name : `${path}.${name}`)) visit(map);
    }
  };
  visit({ path: '', schema: root });
  return sections;
}

function renderRow(path, name, setting, isRequired) {
  const shown = setting.default === undefined ? NOTHING : toCode(setting.default);
  const cells = [`\`${path === '' ? '' : `${path}.`}${name}\``, nameType(setting), isRequired ? 'required' : shown, describe(setting)];
  return `| ${cells.map(toCell).join(' | ')} |`;
}

function renderSection({ paths, schema }) {
  const [path] = paths;
  // Where the same keys may stand at several places, they are named alone.
  const prefix = paths.length > 1 ? '' : path;
  const rows = Object.entries(schema.properties)
    .filter(([, setting]) => !isLater(setting))
    .map(([name, setting]) => renderRow(prefix, name, setting, schema.required?.includes(name) === true));
  const heading = path === '' ? 'Top level' : paths.map((each) => `\`${each}\``).join(', ');
  return [`## ${heading}`, '', '| key | type | default | what it is |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function renderLater(sections) {
  const rows = sections.flatMap(({ paths: [path], schema }) => {
    const names = Object.keys(schema.properties).filter((name) => isLater(schema.properties[name]));
    return names.length === 0 ? [] : [`| ${path === '' ? 'top level' : `\`${path}\``} | ${names.map(toCode).join(', ')} |`];
  });
  return [
    '## Keys of later versions',
    '',
    'Known and not read: each gives the note [`key-ignored`](../rules/key-ignored.md).',
    '',
    '| where | keys |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The page of a schema. */
function renderPage(schema) {
  const sections = listSections(schema);
  return [INTRODUCTION, ...sections.map(renderSection), renderLater(sections)].join('\n');
}

/** The schema as the built command prints it, or from a file. Throws when there is none. */
function readSchema(file) {
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('bin/ralph.js', ROOT)), 'config', 'schema'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ralph config schema failed: ${stderr}`);
  return JSON.parse(stdout);
}

function readPage(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function main(args) {
  const schemaAt = args.indexOf('--schema');
  const pages = {
    [PAGE]: { text: renderPage(readSchema(schemaAt < 0 ? undefined : args[schemaAt + 1])), from: 'the settings table' },
    [INDEX_PAGE]: { text: renderRequirementsIndex(), from: 'the record of the requirements' },
    [HOOKS_PAGE]: { text: await renderHooksPage(readPage(fileURLToPath(new URL(HOOKS_PAGE, ROOT)))), from: 'the table of events' },
    [KEYS_PAGE]: { text: await renderKeysPage(readPage(fileURLToPath(new URL(KEYS_PAGE, ROOT)))), from: 'the table of keys' },
  };
  for (const [name, { text, from }] of Object.entries(pages)) {
    const file = fileURLToPath(new URL(name, ROOT));
    if (text === readPage(file)) continue;
    if (args.includes('--check')) {
      console.error(`${name} differs from ${from}: run \`npm run docs\``);
      process.exitCode = 1;
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${name}`);
  }
}

await main(process.argv.slice(2));
