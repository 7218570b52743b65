import type { Pair, Scalar, YAMLMap } from 'yaml';
import { readOwn } from '../../core/values/json.ts';
import { HAT_ID_PATTERN, MAX_HAT_ID_LENGTH, RESERVED_HAT_IDS } from '../keys/settings-table.ts';
import { loadYamlLibrary } from '../yaml/read-by-library.ts';
import {
  type AliasTargets,
  findAliasTargets,
  findPair,
  isPadded,
  keepAliases,
  keepHead,
  removePair,
  renameKey,
  toName,
  toTarget,
} from './edit-document.ts';

/** A text in our words, what was done to it, and what is left to be done by hand. */
export interface MigratedTeam {
  readonly text: string;
  readonly changes: readonly string[];
  readonly dropped: readonly string[];
}

const yaml = loadYamlLibrary();
const { isMap, isScalar, isSeq, parseDocument } = yaml;

/** What a type of backend is here. Addresses are those that the type implies there. */
const BACKENDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claude: { type: 'native', provider: 'anthropic' },
  openai: { type: 'native', provider: 'openai' },
  response: { type: 'native', provider: 'openai' },
  gemini: { type: 'native', provider: 'google' },
  chatcompletion: { type: 'native', provider: 'openai-compatible' },
  grok: { type: 'native', provider: 'openai-compatible', base_url: 'https://api.x.ai/v1' },
  lmstudio: { type: 'native', provider: 'openai-compatible', base_url: 'http://localhost:1234/v1' },
  vllm: { type: 'native', provider: 'openai-compatible', base_url: 'http://localhost:8000/v1' },
  sglang: { type: 'native', provider: 'openai-compatible', base_url: 'http://localhost:30000/v1' },
  claude_code: { type: 'claude' },
  codex: { type: 'codex' },
};

/** Keys of a backend that are the same here. */
const SAME_BACKEND_KEYS = ['model', 'base_url'];

const NO_EQUAL = 'It has no equal here.';

/** Keys of the whole file that say nothing here. */
const TOP_NOTES: Readonly<Record<string, string>> = {
  orchestrator: 'The agents work one after the other in the workspace of the run.',
  ui: NO_EQUAL,
  timeout_settings: 'Limits of a run are under event_loop, those of a hat are its timeout_seconds.',
  memory: NO_EQUAL,
};

interface Report {
  readonly changes: string[];
  readonly dropped: string[];
  readonly targets: AliasTargets;
}

/** An agent as it is written. */
interface ForeignAgent {
  readonly id: string;
  readonly map: YAMLMap;
}

/** Whether a text is of MassGen: agents, and no hats. */
function hasMassgenAgents(contents: unknown): boolean {
  if (!isMap(contents) || findPair(contents, 'hats') !== undefined) return false;
  const { value: list } = findPair(contents, 'agents') ?? {};
  return (isSeq(list) && list.items.some(isMap)) || isMap(findPair(contents, 'agent')?.value);
}

/**
 * Makes a team of hats of the agents of MassGen, with their models, their words and their hooks: each agent begins where the one before it is done, and the
 * last one ends the run. `null` for a text that is none of MassGen. The text is known to be YAML without errors; comments stay.
 */
export function migrateMassgen(text: string): MigratedTeam | null {
  const document = parseDocument(text, { schema: 'core', uniqueKeys: false, logLevel: 'silent' });
  const root = document.contents;
  if (!isMap(root) || !hasMassgenAgents(root)) return null;
  const report: Report = { changes: [], dropped: [], targets: findAliasTargets(document) };
  keepHead(document, root);
  const pair = findPair(root, 'agents') ?? findPair(root, 'agent');
  if (pair === undefined) return null;
  const agents = listAgents(pair.value, report);
  const hats = new yaml.YAMLMap();
  for (const [index, agent] of agents.entries()) hats.set(agent.id, toHat(agent, index, agents, report));
  tellOrder(findPair(root, 'permissions')?.value, 'permissions', report);
  report.changes.push(
    `${toName(pair)} is now hats: ${agents.map(({ id }) => id).join(', ')}. They work one after the other, the last one ends the run, and each may write files (profile: creator). To let them work side by side and vote, make one hat of them with a \`panel\`.`,
  );
  renameKey(pair, 'hats');
  pair.value = hats;
  addDefaultAgent(root, hats, report);
  for (const [name, note] of Object.entries(TOP_NOTES)) {
    const entry = findPair(root, name);
    if (entry === undefined) continue;
    removePair(root, entry);
    report.dropped.push(`${name} was left out. ${note}`);
  }
  keepAliases(document, report.targets);
  return {
    text: document.toString({ lineWidth: 0, flowCollectionPadding: isPadded(text) }),
    changes: report.changes,
    dropped: report.dropped,
  };
}

/** The agents with ids that hats may have, each its own. */
function listAgents(value: unknown, { changes, targets }: Report): readonly ForeignAgent[] {
  const items = isSeq(value) ? value.items : [value];
  const taken = new Set<string>(RESERVED_HAT_IDS);
  return items.flatMap((item, index) => {
    const map = toOwn(item, targets);
    if (!isMap(map)) return [];
    const written = toScalarText(findPair(map, 'id')?.value, targets) ?? toScalarText(findPair(map, 'name')?.value, targets) ?? '';
    const wanted = written.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_HAT_ID_LENGTH - 4);
    const base = new RegExp(HAT_ID_PATTERN).test(wanted) ? wanted : `agent${index + 1}`;
    let id = base;
    for (let count = 2; taken.has(id); count += 1) id = `${base}_${count}`;
    taken.add(id);
    if (id !== written) changes.push(`The agent ${written === '' ? index + 1 : JSON.stringify(written)} is now the hat ${id}.`);
    return [{ id, map }];
  });
}

function toHat({ id, map }: ForeignAgent, index: number, agents: readonly ForeignAgent[], report: Report): YAMLMap {
  const before = agents[index - 1]?.id;
  const isLast = index === agents.length - 1;
  const hat = new yaml.YAMLMap();
  if (map.commentBefore) hat.commentBefore = map.commentBefore;
  setList(hat, 'triggers', before === undefined ? ['task.start', 'task.resume'] : [`${before}.done`]);
  setList(hat, 'publishes', [isLast ? 'task.complete' : `${id}.done`]);
  hat.set('profile', 'creator');
  for (const pair of map.items) {
    const name = toName(pair);
    const target = toOwn(pair.value, report.targets);
    if (name === 'id' || (name === 'name' && toScalarText(target, report.targets) === id)) continue;
    if (name === 'system_message') move(hat, pair, 'instructions', id, report);
    else if (name === 'name' || name === 'hooks' || name === 'permissions') move(hat, pair, name, id, report);
    else if (name === 'backend' && isMap(target)) addBackend(hat, target, id, report);
    else report.dropped.push(`agents.${id}.${name} was left out. ${NO_EQUAL}`);
  }
  tellOrder(hat.get('permissions'), `hats.${id}.permissions`, report);
  return hat;
}

/** The agent of a hat, and what there is said with it: the words and the hooks of the hat. */
function addBackend(hat: YAMLMap, backend: YAMLMap, id: string, report: Report): void {
  const type = toScalarText(findPair(backend, 'type')?.value, report.targets);
  const words = type === null ? { type: 'native' } : readOwn(BACKENDS, type);
  const made = new yaml.YAMLMap();
  for (const [key, value] of Object.entries(words ?? {})) made.set(key, new yaml.Scalar(value));
  for (const pair of backend.items) {
    const name = toName(pair);
    if (pair === backend.items[0] && isScalar(pair.key)) pair.key.commentBefore ??= backend.commentBefore ?? null;
    if (name === 'type') continue;
    // What stands beside the backend as well stays with the backend: it came behind the other there too.
    const isTaken = hat.has(name === 'system_message' ? 'instructions' : name);
    if (name === 'hooks' && isTaken) made.items.push(pair);
    else if ((name === 'hooks' || name === 'permissions') && !isTaken) move(hat, pair, name, id, report, 'backend.');
    else if (name === 'system_message' && !isTaken) move(hat, pair, 'instructions', id, report, 'backend.');
    else if (SAME_BACKEND_KEYS.includes(name) && words !== undefined) {
      made.delete(name);
      made.items.push(pair);
    } else report.dropped.push(`agents.${id}.backend.${name} was left out. ${KEY_NOTES[name] ?? NO_EQUAL}`);
  }
  if (words === undefined)
    report.dropped.push(`agents.${id}.backend.type was left out: nothing here is ${JSON.stringify(type)}. The hat has the agent of cli.`);
  const says = made.items.some((pair) => toName(pair) !== 'type');
  if (words !== undefined && (type !== null || says)) hat.set('backend', made);
  else report.changes.push(`hats.${id} has the agent of cli.backend. Only the native one asks hooks: cli: {backend: {type: native, …}}`);
}

/** Ralph, who takes what no hat takes, has the agent of the first hat: any other would be one that nobody chose. */
function addDefaultAgent(root: YAMLMap, hats: YAMLMap, { changes }: Report): void {
  const first = hats.items.map(({ value }) => (isMap(value) ? value.get('backend') : undefined)).find(isMap);
  if (first === undefined || findPair(root, 'cli') !== undefined) return;
  const copy = new yaml.YAMLMap();
  copy.flow = true;
  for (const pair of first.items) if (toName(pair) !== 'hooks' && isScalar(pair.value)) copy.set(toName(pair), pair.value.value);
  const cli = new yaml.YAMLMap();
  cli.set('backend', copy);
  root.set('cli', cli);
  changes.push('cli.backend is the backend of the first agent: Ralph has it, and every hat that names none.');
}

const KEY_NOTES: Readonly<Record<string, string>> = {
  api_key: 'Keys come from the environment: api_key_env.',
  cwd: 'The agents work in the workspace of the run.',
};

function move(hat: YAMLMap, pair: Pair, name: string, id: string, { changes }: Report, within = ''): void {
  const from = `agents.${id}.${within}${toName(pair)}`;
  // The key of its own: an alias elsewhere may stand for the map that it is taken from.
  const key = isScalar(pair.key) ? pair.key.clone() : pair.key;
  const moved = new yaml.Pair(key, pair.value);
  renameKey(moved, name);
  hat.items.push(moved);
  changes.push(`${from} is now hats.${id}.${name}.`);
}

/** Rules that ask and rules that allow are held against a call in another order there. */
function tellOrder(permissions: unknown, path: string, { changes, targets }: Report): void {
  const rules = toTarget(permissions, targets);
  if (!isMap(rules) || findPair(rules, 'ask') === undefined || findPair(rules, 'allow') === undefined) return;
  changes.push(
    `${path}: a call that is both under allow and under ask was allowed there. Here ask comes first: somebody is asked about it.`,
  );
}

function setList(hat: YAMLMap, name: string, topics: readonly string[]): void {
  const list = new yaml.YAMLSeq<Scalar>();
  list.flow = true;
  list.items = topics.map((topic) => new yaml.Scalar(topic));
  hat.set(name, list);
}

/** What a node stands for, to be taken apart: of an alias a copy, for others may stand for the same. */
function toOwn(node: unknown, targets: AliasTargets): unknown {
  const target = toTarget(node, targets);
  return target !== node && isMap(target) ? target.clone() : target;
}

function toScalarText(node: unknown, targets: AliasTargets): string | null {
  const value = toTarget(node, targets);
  return isScalar(value) && value.value !== null ? String(value.value) : null;
}
