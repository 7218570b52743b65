import type { Finding, Repair } from '../../core/schema/finding.ts';
import { createNearMissFinder, type NearMissFinder } from '../../core/text/near-miss.ts';
import { readOwn } from '../../core/values/json.ts';
import { quote } from '../findings/diagnostics.ts';
import { type LocatedMap, type LocatedValue, type Path, rawText, toKeyPathText } from '../findings/located.ts';
import { AGENT_KEYS } from './backend-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { GATE_KEYS } from './gate-keys.ts';
import { PANEL_AGENT_KEYS, PANEL_KEYS } from './panel-keys.ts';
import type { Keys, Setting } from './setting.ts';
import { HAT_KEYS, RALPH_KEYS, TOP_KEYS } from './settings-table.ts';

/** Where a key may have been meant to stand, in the order in which they are asked. */
const SECTIONS = ['event_loop', 'cli', 'core', 'worktree'] as const;

const INSTRUCTIONS = { prompt: 'instructions', system_prompt: 'instructions', system: 'instructions', role: 'instructions' };

/** What other tools, and people, call keys of a place: each means the one behind it and nothing else. */
const OTHER_NAMES: ReadonlyMap<Keys, Readonly<Record<string, string>>> = new Map<Keys, Readonly<Record<string, string>>>([
  [
    HAT_KEYS,
    {
      ...INSTRUCTIONS,
      prompt_file: 'instructions_file',
      emits: 'publishes',
      emit: 'publishes',
      outputs: 'publishes',
      produces: 'publishes',
      sends: 'publishes',
      on: 'triggers',
      listens: 'triggers',
      listens_to: 'triggers',
      inputs: 'triggers',
      receives: 'triggers',
      subscribes: 'triggers',
      max_turns: 'max_activations',
      timeout: 'timeout_seconds',
      idle_timeout: 'idle_timeout_seconds',
    },
  ],
  [RALPH_KEYS, { ...INSTRUCTIONS, prompt_file: 'instructions_file' }],
  [PANEL_KEYS, { timeout_seconds: 'timeout', max_cost_usd: 'budget_usd' }],
  [PANEL_AGENT_KEYS, { ...INSTRUCTIONS, system_message: 'instructions', name: 'id' }],
  [
    GATE_KEYS,
    {
      command: 'run',
      cmd: 'run',
      exec: 'run',
      script: 'run',
      check: 'run',
      event: 'on',
      events: 'on',
      topics: 'on',
      triggers: 'on',
      if_changed: 'only_if',
    },
  ],
  [
    EVENT_LOOP_KEYS,
    {
      iterations: 'max_iterations',
      max_turns: 'max_iterations',
      promise: 'completion_promise',
      max_runtime: 'max_runtime_seconds',
      timeout: 'timeout_seconds',
      idle_timeout: 'idle_timeout_seconds',
      max_cost: 'max_cost_usd',
      budget_usd: 'max_cost_usd',
      start_event: 'starting_event',
    },
  ],
]);

/** A key that nobody knows, and where it stands. */
export interface UnknownKey {
  readonly name: string;
  readonly value: LocatedValue;
  readonly path: Path;
  readonly keys: Keys;
  readonly map: LocatedMap;
  /** True if the setting takes the value, slips aside that can be mended surely. */
  readonly fits: (setting: Setting) => boolean;
  /** What would be said first of the value as one of the setting. */
  readonly objection: (setting: Setting) => string;
  /** Only what is quickly found out is looked for, see {@link NearMissFinder}. */
  readonly isOneOfMany: boolean;
}

/**
 * The finding for a key that nobody knows. One that was surely meant as another, or stands in the wrong section, is an error: a
 * limit that is not read is worse than none. So is every one in a profile or under `tools`. Any other is a warning.
 */
export function toUnknownKeyFinding(unknown: UnknownKey): Finding {
  const { name, path, keys } = unknown;
  if (name === 'tools' && (path[0] === 'hats' || path[0] === 'ralph')) return toToolsFinding(path);
  return toNamedFinding(unknown) ?? toPlacedFinding(unknown) ?? toNearFinding(unknown) ?? toPlainFinding(path, name, keys);
}

/** A key that has another name here. */
function toNamedFinding({ name, keys, map, fits }: UnknownKey): Finding | null {
  const names = OTHER_NAMES.get(keys) ?? {};
  const meant = readOwn(names, name);
  const setting = meant === undefined ? undefined : keys[meant];
  if (meant === undefined || setting === undefined || map.entries.has(meant) || !fits(setting)) return null;
  return { ...toMeantFinding(name, meant, `Write \`${meant}:\`.`), repairs: [toRenaming(name, meant, true)] };
}

/** A key that is known in another place, and whose value would be right there. */
function toPlacedFinding(unknown: UnknownKey): Finding | null {
  const { name, keys, fits } = unknown;
  if (isAgentHolder(keys) && isKnown(AGENT_KEYS, name) && fits(AGENT_KEYS[name])) return toMisplacedFinding(unknown, 'backend');
  const section = isSectioned(unknown) ? SECTIONS.find((candidate) => fitsInto(unknown, candidate, name)) : undefined;
  if (section !== undefined) return toMisplacedFinding(unknown, section);
  const isTop = isKnown(TOP_KEYS, name) && !COMMON_NAMES.includes(name) && fits(TOP_KEYS[name]);
  return isTop ? toMisplacedFinding(unknown, '') : null;
}

/** Keys at the top that people write wherever something has a name: there they say nothing of the file. */
const COMMON_NAMES = ['name', 'description'];

/** A key that may have been meant, and what to write then. */
interface KeyCandidate {
  readonly key: string;
  /** The section that it belongs to, if that is another one. */
  readonly section: string;
  readonly setting: Setting;
  readonly fix: string;
  readonly repairs: readonly Repair[];
}

/** A misspelt key: the nearest that takes the value; where none does, the nearest, with what is wrong with the value. */
function toNearFinding(unknown: UnknownKey): Finding | null {
  const candidates = listNear(unknown);
  const found = candidates.find(({ setting }) => unknown.fits(setting));
  if (found !== undefined) {
    const finding = toMeantFinding(unknown.name, found.key, found.fix);
    return found.repairs.length === 0 ? finding : { ...finding, repairs: found.repairs };
  }
  const [nearest] = candidates;
  return nearest === undefined ? null : toUnfitFinding(unknown, nearest);
}

function toUnfitFinding({ name, objection }: UnknownKey, { key, section, setting }: KeyCandidate): Finding {
  const shown = section === '' ? key : `${section}.${key}`;
  const fix = `Write \`${shown}:\` with another value. It is not renamed by \`--fix\`, because its value would be wrong there: ${objection(setting)}`;
  return toMeantFinding(name, shown, fix);
}

/** In the order in which they are likely: here, below `backend:`, in another section. */
function listNear(unknown: UnknownKey): readonly KeyCandidate[] {
  const { name, keys } = unknown;
  const near = findNear(unknown, keys);
  const here = near === undefined ? undefined : keys[near];
  const agentKey = isAgentHolder(keys) ? findNear(unknown, AGENT_KEYS) : undefined;
  const candidates: KeyCandidate[] = [];
  if (near !== undefined && here !== undefined) {
    const repairs = [toRenaming(name, near, finderOf(keys).isOnly(name, near))];
    candidates.push({ key: near, section: '', setting: here, fix: `Write \`${near}:\`.`, repairs });
  }
  if (agentKey !== undefined && isKnown(AGENT_KEYS, agentKey)) {
    const setting: Setting = AGENT_KEYS[agentKey];
    candidates.push({ key: agentKey, section: 'backend', setting, fix: toBackendFix(unknown, agentKey), repairs: [] });
  }
  for (const section of isSectioned(unknown) ? SECTIONS : []) {
    const sectionKeys: Keys = TOP_KEYS[section].keys;
    const key = findNear(unknown, sectionKeys);
    const setting = key === undefined ? undefined : sectionKeys[key];
    if (key === undefined || setting === undefined) continue;
    candidates.push({ key, section, setting, fix: toSectionFix(unknown, section, key), repairs: [] });
  }
  return candidates;
}

function findNear({ name, isOneOfMany }: UnknownKey, keys: Keys): string | undefined {
  const finder = finderOf(keys);
  return isOneOfMany ? finder.findSame(name) : finder.find(name);
}

function toPlainFinding(path: Path, name: string, keys: Keys): Finding {
  const plain: Finding = {
    code: 'key-unknown',
    severity: 'warning',
    message: `Unknown key ${quote(name)}.`,
    why: 'It is not read.',
    fix: `Remove it. ${toKnownText(path, keys)}`,
  };
  return path[0] === 'profiles' || path[0] === 'tools'
    ? { ...plain, severity: 'error', why: 'It is not read: if it was to hold a hat back, it would not.' }
    : plain;
}

/** A hat, an agent of a panel and Ralph have an agent, whose keys stand below `backend:`. */
function isAgentHolder(keys: Keys): boolean {
  return keys === HAT_KEYS || keys === RALPH_KEYS || keys === PANEL_AGENT_KEYS;
}

/** True where a key of a section may stand by mistake: in the sections themselves, in a hat, at the top. A gate has keys of its own. */
function isSectioned({ path, keys }: UnknownKey): boolean {
  return path.length === 1 || isAgentHolder(keys) || (path.length === 2 && SECTIONS.some((section) => section === path[0]));
}

function fitsInto({ fits }: UnknownKey, section: (typeof SECTIONS)[number], key: string): boolean {
  const { keys }: { readonly keys: Keys } = TOP_KEYS[section];
  const setting = readOwn(keys, key);
  return setting !== undefined && fits(setting);
}

function isKnown<K extends Keys>(keys: K, name: string): name is string & keyof K {
  return Object.hasOwn(keys, name);
}

/** `tools:` of a hat, as other tools have it: it is not read, and would leave a hat free that was meant to be held back. */
function toToolsFinding(path: Path): Finding {
  const hat = path.slice(0, -1).join(':\n  ');
  return {
    code: 'key-misplaced',
    severity: 'error',
    message: `\`${toKeyPathText(path)}\` is not read: which tools a hat has is said by its profile.`,
    why: 'Where it stands it would hold nobody back.',
    fix: `Write:\n\nprofiles:\n  mine:\n    allow: [fs_read, git_read]\n${hat}:\n    profile: mine`,
  };
}

function toMeantFinding(name: string, near: string, fix: string): Finding {
  return {
    code: 'key-unknown',
    severity: 'error',
    message: `Unknown key ${quote(name)}: did you mean \`${near}\`?`,
    why: `It is not read, and \`${near}\` would silently keep its default.`,
    fix,
  };
}

function toRenaming(name: string, meant: string, isSafe: boolean): Repair {
  return { title: `rename ${quote(name, '`')} to \`${meant}\``, isSafe, change: { kind: 'replace', text: meant } };
}

const finders = new WeakMap<Keys, NearMissFinder>();

/** A finder among keys; made once for each part of the settings table. */
function finderOf(keys: Keys): NearMissFinder {
  const finder = finders.get(keys) ?? createNearMissFinder(Object.keys(keys));
  finders.set(keys, finder);
  return finder;
}

/** The finding for a key that this version knows and does not read. */
export function toLaterFinding(path: Path): Finding {
  return {
    code: 'key-ignored',
    severity: 'note',
    message: `\`${toKeyPathText(path)}\` is ignored in this version.`,
    why: 'It belongs to a feature that is not built yet.',
    fix: 'It can stay; nothing depends on it now.',
  };
}

/** Where a key belongs; empty: at the top. */
type Home = 'backend' | '' | (typeof SECTIONS)[number];

function toMisplacedFinding(unknown: UnknownKey, section: Home): Finding {
  const { name } = unknown;
  const place = section === '' ? 'at the top level of the file' : `under \`${section}:\``;
  return {
    code: 'key-misplaced',
    severity: 'error',
    message: `The key \`${name}\` belongs ${place}.`,
    why: 'Where it stands it is not read.',
    fix: toHomeFix(unknown, section),
  };
}

function toHomeFix(unknown: UnknownKey, section: Home): string {
  const { name } = unknown;
  if (section === '') return `Write \`${name}:\` at the beginning of a line.`;
  return section === 'backend' ? toBackendFix(unknown, name) : toSectionFix(unknown, section, name);
}

function toSectionFix({ value }: UnknownKey, section: string, key: string): string {
  return `Write:\n\n${section}:\n  ${key}: ${toShown(value)}`;
}

/** Puts a key below `backend:`; a name that stands there becomes its `type`. */
function toBackendFix({ path, map, value }: UnknownKey, key: string): string {
  const given = map.entries.get('backend')?.value;
  const type = given?.kind === 'scalar' && typeof given.value === 'string' ? [`type: ${given.reference ?? given.written}`] : [];
  const above = path.slice(0, -1).map((step, depth) => `${'  '.repeat(depth)}${typeof step === 'number' ? '-' : `${step}:`}`);
  const indent = '  '.repeat(above.length);
  const lines = [...type, `${key}: ${toShown(value)}`].map((line) => `${indent}  ${line}`);
  return `Write:\n\n${[...above, `${indent}backend:`, ...lines].join('\n')}`;
}

/** A short value as it is written; `…` for any other. */
function toShown(value: LocatedValue): string {
  const raw = rawText(value.place);
  const isShort = raw !== '' && raw.length <= 60 && !/[\r\n&*]/.test(raw) && !(value.kind === 'scalar' && value.reference !== undefined);
  const isInline = value.kind === 'scalar' || raw.startsWith('[') || raw.startsWith('{');
  return isShort && isInline ? raw : '…';
}

function toKnownText(path: Path, keys: Keys): string {
  const where = path.length <= 1 ? 'Known at the top level' : `Known under \`${toKeyPathText(path.slice(0, -1))}\``;
  return `${where}: ${knownOf(keys)}.`;
}

const known = new WeakMap<Keys, string>();

/** The names that are read; put together once for each part of the settings table. */
function knownOf(keys: Keys): string {
  const names = known.get(keys) ?? listRead(keys).join(', ');
  known.set(keys, names);
  return names;
}

function listRead(keys: Keys): readonly string[] {
  return Object.entries(keys).flatMap(([name, setting]) => (setting.kind === 'later' ? [] : [name]));
}
