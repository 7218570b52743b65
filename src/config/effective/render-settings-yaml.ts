import type { Json } from '../../core/values/json.ts';
import type { EffectiveValue } from './list-effective.ts';

/** Settings as one tree, as a configuration file would hold them; `$` is not doubled. */
export function toSettingsTree(values: readonly EffectiveValue[]): Json {
  return toJson(createTree(values, (entry) => entry.value));
}

/** Settings as the text of a configuration file that says the same. Nothing in it steers a terminal. */
export function renderSettingsYaml(values: readonly EffectiveValue[]): string {
  const tree = createTree(values, (entry) => entry.written);
  return tree.size === 0 ? '{}\n' : `${renderTree(tree, '').join('\n')}\n`;
}

/** Names and numbers of items in their order, which an object of the language would not keep. */
type Tree = Map<string | number, Tree | { readonly leaf: Json }>;

function createTree(values: readonly EffectiveValue[], toValue: (entry: EffectiveValue) => Json): Tree {
  const root: Tree = new Map();
  for (const entry of values) {
    let map = root;
    for (const step of entry.path.slice(0, -1)) {
      const next = map.get(step);
      const child: Tree = next instanceof Map ? next : new Map();
      map.set(step, child);
      map = child;
    }
    map.set(entry.path.at(-1) ?? '', { leaf: toValue(entry) });
  }
  return root;
}

function toJson(tree: Tree): Json {
  const entries = [...tree].map(([name, node]) => [name, node instanceof Map ? toJson(node) : node.leaf] as const);
  return isList(tree) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

function isList(tree: Tree): boolean {
  return typeof tree.keys().next().value === 'number';
}

function renderTree(tree: Tree, indent: string): readonly string[] {
  if (isList(tree)) return [...tree.values()].flatMap((node) => renderItem(node, indent));
  return [...tree].flatMap(([name, node]) => {
    const head = `${indent}${renderText(String(name))}:`;
    return node instanceof Map ? [head, ...renderTree(node, `${indent}  `)] : renderLeaf(head, node.leaf, `${indent}  `);
  });
}

function renderItem(node: Tree | { readonly leaf: Json }, indent: string): readonly string[] {
  if (!(node instanceof Map)) return renderLeaf(`${indent}-`, node.leaf, `${indent}  `);
  const [first = '', ...others] = renderTree(node, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...others];
}

function renderLeaf(head: string, value: Json, indent: string): readonly string[] {
  if (typeof value !== 'string' || !isBlock(value)) return [`${head} ${renderFlow(value)}`];
  return [`${head} |${value.endsWith('\n') ? '' : '-'}`, ...renderBlock(value, indent)];
}

function renderFlow(value: Json): string {
  if (typeof value === 'string') return renderText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(renderFlow).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([name, part]) => `${renderText(name)}: ${renderFlow(part)}`)
    .join(', ')}}`;
}

/** Words that YAML would not read as text. */
const OTHER_THAN_TEXT = /^(null|true|false|~|[-+.]?\d.*|\.inf|\.nan|<<)$/i;
const PLAIN = /^[A-Za-z_./][A-Za-z0-9_./ -]*$/;

function renderText(text: string): string {
  if (PLAIN.test(text) && !OTHER_THAN_TEXT.test(text) && !text.endsWith(' ') && !/^\.+$/.test(text)) return text;
  return JSON.stringify(text).replace(
    /[\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Several lines that can be written as they are. */
function isBlock(text: string): boolean {
  return (
    /^\S.*\n/.test(text) &&
    !/[^\n\u0020-\u007E\u00A0-\u2027\u202F-\u2065\u206A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]|\n\n$|[ ]$|[ ]\n/u.test(text)
  );
}

function renderBlock(text: string, indent: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : `${indent}${line}`));
}
