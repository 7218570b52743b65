import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import type { Json } from '../../core/values/json.ts';
import { type Path, toKeyPathText } from '../findings/located.ts';
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
import {
  ADAPTER_KEYS,
  ALL_TOOLS,
  CHECKPOINT_SWITCH,
  FOREIGN_BACKENDS,
  FOREIGN_KEYS,
  FOREIGN_LIMITS,
  FOREIGN_TOOLS,
  isAdapterLimit,
  leadsOutOf,
  MOVED_HAT_KEYS,
  MOVED_KEYS,
  type MovedKey,
} from './foreign-keys.ts';

/** A text in our words, and what was done to it. */
export interface MigratedDocument {
  readonly text: string;
  readonly changes: readonly string[];
  readonly dropped: readonly string[];
}

const yaml = loadYamlLibrary();
const { isMap, isNode, isScalar, isSeq, parseDocument } = yaml;

interface MigrationReport {
  readonly changes: string[];
  readonly dropped: string[];
  readonly targets: AliasTargets;
}

/** Rewrites a text that is known to be one YAML map without errors. Comments stay with their keys. */
export function migrateDocument(text: string): MigratedDocument {
  const document = parseDocument(text, { schema: 'core', uniqueKeys: false, logLevel: 'silent' });
  const report: MigrationReport = { changes: [], dropped: [], targets: findAliasTargets(document) };
  if (!isMap(document.contents)) return { text, changes: [], dropped: [] };
  const root = document.contents;
  keepHead(document, root);
  movePairs(root, MOVED_KEYS, [], report);
  moveCheckpointSwitch(root, report);
  moveGates(document, root, report);
  dropAdapters(root, report);
  for (const section of ['', 'event_loop', 'cli'] as const) {
    const map = section === '' ? root : root.get(section);
    if (isMap(map)) dropPairs(map, section === '' ? [] : [section], FOREIGN_KEYS[section], report);
  }
  const cli = root.get('cli');
  if (isMap(cli)) nameBackend(document, cli, ['cli'], report);
  const events = root.get('events');
  for (const pair of isMap(events) ? events.items : []) {
    if (isMap(pair.value)) dropPairs(pair.value, ['events', toName(pair)], FOREIGN_KEYS.event, report);
  }
  migrateHats(document, root, report);
  keepAliases(document, report.targets);
  return {
    text: document.toString({ lineWidth: 0, flowCollectionPadding: isPadded(text) }),
    changes: report.changes,
    dropped: report.dropped,
  };
}

function migrateHats(document: Document, root: YAMLMap, report: MigrationReport): void {
  const hats = root.get('hats');
  if (!isMap(hats)) return;
  for (const pair of hats.items) {
    if (!isMap(pair.value)) continue;
    const path = ['hats', toName(pair)];
    renameTriggers(pair.value, path, report);
    movePairs(pair.value, MOVED_HAT_KEYS, path, report);
    joinInstructions(pair.value, path, report);
    mergeArgs(document, pair.value, path, report);
    nameBackend(document, pair.value, path, report);
    denyTools(document, root, pair.value, { path, report });
    dropDefaultPromise(root, pair.value, path, report);
    dropPairs(pair.value, path, FOREIGN_KEYS.hat, report);
  }
}

/** See {@link CHECKPOINT_SWITCH}. */
function moveCheckpointSwitch(root: YAMLMap, report: MigrationReport): void {
  const { off, value } = CHECKPOINT_SWITCH;
  const [from] = CHECKPOINT_SWITCH.from;
  const [top, name] = CHECKPOINT_SWITCH.to;
  const pair = findPair(root, from);
  const section = root.get(top, true);
  const target = toTarget(pair?.value, report.targets);
  if (pair === undefined || !isScalar(target) || target.value !== off || (section !== undefined && !isMap(section))) return;
  root.items.splice(root.items.indexOf(pair), 1);
  ensureMap(root, [top]).set(name, value);
  report.changes.push(`${from}: ${off} is now ${top}.${name}: ${value}.`);
}

/** What is said of an agent has no place here; what held it back stays, and is told. */
function dropAdapters(root: YAMLMap, report: MigrationReport): void {
  const adapters = root.get('adapters');
  if (!isMap(adapters)) return;
  for (const adapter of [...adapters.items]) {
    const path = ['adapters', toName(adapter)];
    if (!isMap(adapter.value)) continue;
    for (const pair of [...adapter.value.items]) {
      if (isAdapterLimit(toName(pair), toPlain(toTarget(pair.value, report.targets)))) continue;
      removePair(adapter.value, pair);
      report.dropped.push(
        `${toKeyPathText([...path, toName(pair)])} was left out. ${ADAPTER_KEYS[toName(pair)] ?? 'It has no equal here.'}`,
      );
    }
    if (adapter.value.items.length === 0) removePair(adapters, adapter);
  }
  const pair = findPair(root, 'adapters');
  if (adapters.items.length === 0 && pair !== undefined) removePair(root, pair);
}

function toPlain(node: unknown): Json | undefined {
  const value: unknown = isNode(node) ? node.toJSON() : undefined;
  return value as Json | undefined;
}

/** Their gates become ours: the command of each must succeed before the run may end. All of them or none: one without a command cannot be ours. */
function moveGates(document: Document, root: YAMLMap, report: MigrationReport): void {
  const theirs = root.getIn(['backpressure', 'gates']);
  const ours = root.get('gates');
  if (!isSeq(theirs) || (ours !== undefined && !isSeq(ours))) return;
  const found = theirs.items.flatMap((item) => findGate(item) ?? []);
  if (found.length < theirs.items.length) return;
  const lost: string[] = [];
  const gates = found.map((gate, index) => toGate(gate, index, lost));
  if (!isSeq(ours)) root.set(document.createNode('gates'), new yaml.YAMLSeq());
  const list = root.get('gates');
  if (isSeq(list)) list.items.push(...gates);
  const rest = root.get('backpressure');
  for (const pair of isMap(rest) ? rest.items : []) {
    if (toName(pair) !== 'gates') lost.push(`${toKeyPathText(['backpressure', toName(pair)])} was left out. It has no equal here.`);
  }
  // The gates took their comments along.
  theirs.items = [];
  removeAbove(root, 'backpressure', 'gates');
  report.dropped.push(...lost);
  report.changes.push(
    `backpressure.gates is now gates: Ralph runs the ${gates.length === 1 ? 'command' : `${gates.length} commands`} before a run may end.`,
  );
}

/** Takes a key out whose comments belong to another one now. */
function removeAbove(root: YAMLMap, name: string, heir: string): void {
  const pair = findPair(root, name);
  const next = findPair(root, heir);
  if (pair === undefined || next === undefined) return;
  root.items.splice(root.items.indexOf(pair), 1);
  root.items.splice(root.items.indexOf(next), 0, pair);
  removePair(root, pair);
}

interface ForeignGate {
  readonly map: YAMLMap;
  readonly command: Pair;
}

/** A gate with a command; `null` for anything else. */
function findGate(item: unknown): ForeignGate | null {
  if (!isMap(item)) return null;
  const command = findPair(item, 'command') ?? findPair(item, 'run');
  return command !== undefined && isScalar(command.value) && typeof command.value.value === 'string' ? { map: item, command } : null;
}

/** Keys of a gate that mean the same here. */
const SAME_GATE_KEYS = ['name', 'timeout', 'timeout_seconds', 'required'];

/** A gate of ours; what else theirs said is added to `lost`. */
function toGate({ map, command }: ForeignGate, index: number, lost: string[]): YAMLMap {
  const gate = new yaml.YAMLMap();
  if (map.commentBefore) gate.commentBefore = map.commentBefore;
  renameKey(command, 'run');
  for (const pair of map.items) {
    if (pair === command || SAME_GATE_KEYS.includes(toName(pair))) {
      gate.items.push(pair);
      continue;
    }
    const path = ['gates', map.has('name') ? String(map.get('name')) : index, toName(pair)];
    lost.push(`${toKeyPathText(path)} was left out. ${GATE_NOTES[toName(pair)] ?? 'It has no equal here.'}`);
  }
  return gate;
}

const GATE_NOTES: Readonly<Record<string, string>> = {
  on_fail: 'What an agent reads after a failure is the output of the command: let the command print it, or say it in the instructions.',
};

interface HatPlace {
  readonly path: Path;
  readonly report: MigrationReport;
}

/** What a hat may not use is said by a profile; a list that names something else stays where it is. */
function denyTools(document: Document, root: YAMLMap, hat: YAMLMap, { path, report }: HatPlace): void {
  const pair = findPair(hat, 'disallowed_tools');
  const target = toTarget(pair?.value, report.targets);
  if (pair === undefined || !isSeq(target) || findPair(hat, 'profile') !== undefined) return;
  const named = target.items.map((item) => FOREIGN_TOOLS[toText(item, report.targets) ?? '']);
  const profile = `${String(path.at(-1))}_tools`;
  if (named.length === 0 || named.includes(undefined) || root.hasIn(['profiles', profile])) return;
  const deny = [...new Set(named.filter((tool) => tool !== undefined))];
  const policy = document.createNode({ allow: [...ALL_TOOLS], deny }, { flow: false }) as YAMLMap;
  for (const list of policy.items) if (isSeq(list.value)) list.value.flow = true;
  ensureMap(root, ['profiles']).set(document.createNode(profile), policy);
  hat.items.splice(hat.items.indexOf(pair), 1, document.createPair('profile', profile));
  report.changes.push(`${toKeyPathText([...path, 'disallowed_tools'])} is now profiles.${profile}.deny.`);
}

/** A hat that falls silent does not end a run here. */
function dropDefaultPromise(root: YAMLMap, hat: YAMLMap, path: Path, report: MigrationReport): void {
  const pair = findPair(hat, 'default_publishes');
  const target = toTarget(pair?.value, report.targets);
  const topics = isSeq(target) ? target.items.map((item) => toText(item, report.targets)) : [toText(target, report.targets)];
  const ends = ['LOOP_COMPLETE', 'task.complete', root.getIn(['event_loop', 'completion_promise'])];
  if (pair === undefined || topics.length !== 1 || !ends.includes(topics[0] ?? '')) return;
  removePair(hat, pair);
  report.dropped.push(
    `${toKeyPathText([...path, 'default_publishes'])} was left out: a run ends only where somebody says so, not by a hat that said nothing.`,
  );
}

function renameTriggers(hat: YAMLMap, path: Path, report: MigrationReport): void {
  for (const name of ['subscribes_to', 'subscriptions']) {
    const pair = findPair(hat, name);
    if (pair === undefined || hat.has('triggers')) continue;
    renameKey(pair, 'triggers');
    report.changes.push(`${toKeyPathText([...path, name])} is now ${toKeyPathText([...path, 'triggers'])}.`);
  }
}

function movePairs(root: YAMLMap, keys: readonly MovedKey[], under: Path, report: MigrationReport): void {
  for (const { from, to } of keys) {
    const home = findMap(root, from.slice(0, -1));
    const pair = home === undefined ? undefined : findPair(home, String(from.at(-1)));
    const isOutOf = leadsOutOf({ from, to });
    if (home === undefined || pair === undefined || (!isOutOf && !isFree(root, to))) continue;
    if (isOutOf) root.setIn(to, pair.value);
    else {
      home.items.splice(home.items.indexOf(pair), 1);
      renameKey(pair, String(to.at(-1)));
      const section = ensureMap(root, to.slice(0, -1));
      // The first of a section has no blank line above it.
      if (section.items.length === 0 && isScalar(pair.key)) pair.key.spaceBefore = false;
      section.items.push(pair);
    }
    report.changes.push(`${toKeyPathText([...under, ...from])} is now ${toKeyPathText([...under, ...to])}.`);
  }
}

function dropPairs(map: YAMLMap, path: Path, keys: Readonly<Record<string, string>>, report: MigrationReport): void {
  for (const pair of [...map.items]) {
    const name = toName(pair);
    if (!Object.hasOwn(keys, name) || isLimit(pair)) continue;
    removePair(map, pair);
    report.dropped.push(`${toKeyPathText([...path, name])} was left out. ${keys[name]}`);
  }
}

/** What holds somebody back and could not be said in our words stays, and is told. */
function isLimit(pair: Pair): boolean {
  if (toName(pair) === 'adapters') return isMap(pair.value);
  const isEmpty = isMap(pair.value) && !pair.value.has('gates');
  return FOREIGN_LIMITS.includes(toName(pair)) && !isEmpty;
}

function joinInstructions(hat: YAMLMap, path: Path, report: MigrationReport): void {
  const extra = findPair(hat, 'extra_instructions');
  if (extra === undefined) return;
  const items = isSeq(extra.value) ? extra.value.items : [extra.value];
  const own = findPair(hat, 'instructions');
  const parts = [...(own === undefined ? [] : [own.value]), ...items];
  const texts = parts.flatMap((part) => toText(part, report.targets) ?? []);
  if (texts.length < parts.length) return;
  const joined = new yaml.Scalar(`${texts.map((text) => text.trimEnd()).join('\n\n')}\n`);
  joined.type = 'BLOCK_LITERAL';
  hat.items.splice(hat.items.indexOf(extra), 1);
  if (own === undefined) hat.items.push(new yaml.Pair(new yaml.Scalar('instructions'), joined));
  else own.value = joined;
  report.changes.push(`${toKeyPathText([...path, 'extra_instructions'])} now ends ${toKeyPathText([...path, 'instructions'])}.`);
}

function mergeArgs(document: Document, hat: YAMLMap, path: Path, report: MigrationReport): void {
  const pair = findPair(hat, 'backend_args') ?? findPair(hat, 'args');
  if (pair === undefined) return;
  const name = toName(pair);
  const given = isSeq(pair.value) ? pair.value.items : [pair.value];
  const backend = findPair(hat, 'backend');
  const described = backend?.value;
  if (described !== undefined && !isMap(described) && !isScalar(described)) return;
  const map = isMap(described) ? described : new yaml.YAMLMap();
  if (isScalar(described)) map.items.push(new yaml.Pair(document.createNode('type') as Scalar, described));
  const before = map.get('args');
  const args = new yaml.YAMLSeq();
  args.flow = true;
  args.items = [...(isSeq(before) ? before.items : []), ...given];
  map.set('args', args);
  hat.items.splice(hat.items.indexOf(pair), 1);
  if (backend === undefined) hat.items.push(new yaml.Pair(document.createNode('backend') as Scalar, map));
  else backend.value = map;
  report.changes.push(`${toKeyPathText([...path, name])} is now ${toKeyPathText([...path, 'backend', 'args'])}.`);
}

function nameBackend(document: Document, map: YAMLMap, path: Path, report: MigrationReport): void {
  const pair = findPair(map, 'backend');
  const named = toTarget(pair?.value, report.targets);
  const name = isScalar(named) ? String(named.value) : '';
  if (pair === undefined || !Object.hasOwn(FOREIGN_BACKENDS, name)) return;
  pair.value = document.createNode(FOREIGN_BACKENDS[name]);
  report.changes.push(`${toKeyPathText([...path, 'backend'])} "${name}" is written out as the program that it starts.`);
}

/** True if nothing stands at the path, nor an alias or a value in the place of a section above it. */
function isFree(root: YAMLMap, path: Path): boolean {
  const section = path.length === 1 ? root : root.get(String(path[0]), true);
  const isEmpty = section === undefined || (isScalar(section) && section.value === null && section.anchor === undefined);
  return isEmpty || (isMap(section) && !root.hasIn(path));
}

function findMap(root: YAMLMap, path: Path): YAMLMap | undefined {
  const found = path.length === 0 ? root : root.getIn(path);
  return isMap(found) ? found : undefined;
}

function ensureMap(root: YAMLMap, path: Path): YAMLMap {
  const found = findMap(root, path);
  if (found !== undefined) return found;
  const made = new yaml.YAMLMap();
  root.setIn(path, made);
  return made;
}

function toText(node: unknown, targets: AliasTargets): string | null {
  const value = toTarget(node, targets);
  return isScalar(value) && typeof value.value === 'string' ? value.value : null;
}
