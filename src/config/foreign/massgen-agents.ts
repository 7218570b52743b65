import type { Pair, Scalar, YAMLMap } from 'yaml';
import { readOwn } from '../../core/values/json.ts';
import { NATIVE_KEYS } from '../keys/backend-keys.ts';
import { HAT_ID_PATTERN, MAX_HAT_ID_LENGTH, RESERVED_HAT_IDS } from '../keys/settings-table.ts';
import { loadYamlLibrary } from '../yaml/read-by-library.ts';
import { type AliasTargets, findPair, renameKey, toName, toTarget } from './edit-document.ts';

const yaml = loadYamlLibrary();
const { isMap, isScalar, isSeq } = yaml;

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

export const NO_EQUAL = 'It has no equal here.';

export interface Report {
  readonly changes: string[];
  readonly dropped: string[];
  /** What held an agent there and was left out: to be said by hand. */
  readonly unheld: string[];
  readonly targets: AliasTargets;
}

export interface ForeignAgent {
  readonly id: string;
  readonly map: YAMLMap;
  /** Where it stands in our words: `hats.first`. */
  readonly place: string;
}

/** The agents with ids that hats may have, each its own. */
export function listForeignAgents(value: unknown, { changes, targets }: Report, toPlace: (id: string) => string): readonly ForeignAgent[] {
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
    if (id !== written) changes.push(`The agent ${written === '' ? index + 1 : JSON.stringify(written)} is now ${id}.`);
    return [{ id, map, place: toPlace(id) }];
  });
}

/** The backend of an agent, and what there is said with it: its words and its hooks. */
export function addBackend(hat: YAMLMap, backend: YAMLMap, agent: ForeignAgent, report: Report): void {
  const { id, place } = agent;
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
    else if ((name === 'hooks' || name === 'permissions') && !isTaken) move(hat, pair, name, agent, report, 'backend.');
    else if (name === 'system_message' && !isTaken) move(hat, pair, 'instructions', agent, report, 'backend.');
    else if (SAME_BACKEND_KEYS.includes(name) && words !== undefined) {
      made.delete(name);
      made.items.push(pair);
    } else if (name === 'reasoning' && words?.['type'] === 'native') addEffort(made, pair, id, report);
    else dropKey(pair, id, report);
  }
  if (words === undefined)
    report.dropped.push(`agents.${id}.backend.type was left out: nothing here is ${JSON.stringify(type)}. It has the agent of cli.`);
  const says = made.items.some((pair) => toName(pair) !== 'type');
  if (words !== undefined && (type !== null || says)) hat.set('backend', made);
  else report.changes.push(`${place} has the agent of cli.backend. Only the native one asks hooks: cli: {backend: {type: native, …}}`);
}

/** `reasoning: {effort: high}` is `effort: high`. */
function addEffort(made: YAMLMap, pair: Pair, id: string, { changes, dropped, targets }: Report): void {
  const reasoning = toTarget(pair.value, targets);
  for (const entry of isMap(reasoning) ? reasoning.items : []) {
    const from = `agents.${id}.backend.reasoning.${toName(entry)}`;
    const level = toScalarText(entry.value, targets) ?? '';
    if (toName(entry) === 'effort' && EFFORTS.includes(level)) {
      made.set('effort', new yaml.Scalar(level));
      changes.push(`${from} is now backend.effort of that agent.`);
    } else dropped.push(`${from} was left out. ${toName(entry) === 'effort' ? `Here it is one of ${EFFORTS.join(', ')}.` : NO_EQUAL}`);
  }
}

const EFFORTS: readonly string[] = NATIVE_KEYS.effort.values;

/** Leaves out a key of a backend, and says so; what held the agent is said to be left to a person. */
function dropKey(pair: Pair, id: string, { dropped, unheld, targets }: Report): void {
  const name = toName(pair);
  const from = `agents.${id}.backend.${name}`;
  if (LIMITS.includes(name)) unheld.push(`${from} held the agent and was left out. ${HOLD}`);
  else if (name === 'enable_web_search' && toScalarText(pair.value, targets) === 'false') unheld.push(`${from} was left out: ${NO_WEB}`);
  else dropped.push(`${from} was left out. ${KEY_NOTES[name] ?? NO_EQUAL}`);
}

/** Keys that keep an agent from something. */
const LIMITS: readonly string[] = [
  ...['disallowed_tools', 'allowed_tools', 'exclude_tools', 'permission_mode', 'sandbox_mode'],
  ...['command_line_allowed_commands', 'command_line_blocked_commands', 'command_line_docker_network_mode'],
];
const HOLD = 'Say it in a profile, `profiles.NAME.deny`, and name that as the `profile` of the agent, or under `permissions:` of the file.';
const NO_WEB = 'deny `web_search` in a profile, `profiles.NAME.deny`, and name that as the `profile` of the agent.';

const KEY_NOTES: Readonly<Record<string, string>> = {
  api_key: 'Keys come from the environment: api_key_env.',
  enable_web_search: 'The native agent has `web_search` where its profile offers it and `tools.web_search` names a provider.',
  cwd: 'The agents work in the workspace of the run.',
};

/** Moves what an agent says to where it stands here. */
export function move(hat: YAMLMap, pair: Pair, name: string, { id, place }: ForeignAgent, { changes }: Report, within = ''): void {
  const from = `agents.${id}.${within}${toName(pair)}`;
  // The key of its own: an alias elsewhere may stand for the map that it is taken from.
  const key = isScalar(pair.key) ? pair.key.clone() : pair.key;
  const moved = new yaml.Pair(key, pair.value);
  renameKey(moved, name);
  hat.items.push(moved);
  changes.push(`${from} is now ${place}.${name}.`);
}

export function setList(hat: YAMLMap, name: string, topics: readonly string[]): void {
  const list = new yaml.YAMLSeq<Scalar>();
  list.flow = true;
  list.items = topics.map((topic) => new yaml.Scalar(topic));
  hat.set(name, list);
}

/** What a node stands for, to be taken apart: of an alias a copy, for others may stand for the same. */
export function toOwn(node: unknown, targets: AliasTargets): unknown {
  const target = toTarget(node, targets);
  return target !== node && isMap(target) ? target.clone() : target;
}

export function toScalarText(node: unknown, targets: AliasTargets): string | null {
  const value = toTarget(node, targets);
  return isScalar(value) && value.value !== null ? String(value.value) : null;
}
