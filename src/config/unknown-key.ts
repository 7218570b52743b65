import { createNearMissFinder, type Finding, type NearMissFinder, type Repair } from '../core/index.ts';
import { AGENT_KEYS } from './backend-keys.ts';
import { type Path, toPathText } from './located-value.ts';
import type { Keys } from './setting.ts';
import { TOP_KEYS } from './settings-table.ts';
import { quote } from './value-finding.ts';

/** Where a key may have been meant to stand, in the order in which they are asked. */
const SECTIONS = ['event_loop', 'cli', 'core', 'worktree'] as const;

/**
 * The finding for a key that nobody knows. One that was surely meant as another, or stands in the wrong section, is an error: a
 * limit that is not read is worse than none. So is every one in a profile or under `tools`. Any other is a warning.
 *
 * @param isOneOfMany only what is quickly found out is looked for, see {@link NearMissFinder}
 */
export function toUnknownKeyFinding(name: string, path: Path, keys: Keys, isOneOfMany = false): Finding {
  if (name === 'tools' && (path[0] === 'hats' || path[0] === 'ralph')) return toToolsFinding(path);
  const section = findSection(name, keys);
  if (section !== undefined) return toMisplacedFinding(name, section);
  const search = isOneOfMany ? 'findSame' : 'find';
  const finder = finderOf(keys);
  const near = finder[search](name);
  if (near !== undefined) return { ...toNearFinding(name, near, `Write \`${near}:\`.`), repairs: [toRenaming(name, near, finder)] };
  const elsewhere = findNearElsewhere(name, search);
  if (elsewhere !== undefined) return toNearFinding(name, elsewhere.key, `Write:\n\n${elsewhere.section}:\n  ${elsewhere.key}: …`);
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

/** Other tools have such a list. Not read, it would leave a hat free that was meant to be held. */
function toToolsFinding(path: Path): Finding {
  const hat = path.slice(0, -1).join(':\n  ');
  return {
    code: 'key-misplaced',
    severity: 'error',
    message: `\`${toPathText(path)}\` is not read: which tools a hat has is said by its profile.`,
    why: 'Where it stands it would hold nobody back.',
    fix: `Write:\n\nprofiles:\n  mine:\n    allow: [fs_read, git_read]\n${hat}:\n    profile: mine`,
  };
}

function toNearFinding(name: string, near: string, fix: string): Finding {
  return {
    code: 'key-unknown',
    severity: 'error',
    message: `Unknown key ${quote(name)}: did you mean \`${near}\`?`,
    why: `It is not read, and \`${near}\` would silently keep its default.`,
    fix,
  };
}

/** Safe where no other key is as near. */
function toRenaming(name: string, near: string, finder: NearMissFinder): Repair {
  return {
    title: `rename ${quote(name, '`')} to \`${near}\``,
    isSafe: finder.isOnly(name, near),
    change: { kind: 'replace', text: near },
  };
}

const finders = new WeakMap<Keys, NearMissFinder>();

/** A finder among keys; made once for each part of the settings table. */
function finderOf(keys: Keys): NearMissFinder {
  const finder = finders.get(keys) ?? createNearMissFinder(Object.keys(keys));
  finders.set(keys, finder);
  return finder;
}

function findNearElsewhere(name: string, search: 'find' | 'findSame'): { readonly section: string; readonly key: string } | undefined {
  for (const section of SECTIONS) {
    const key = finderOf(TOP_KEYS[section].keys)[search](name);
    if (key !== undefined) return { section, key };
  }
  return undefined;
}

/** The finding for a key that this version knows and does not read. */
export function toLaterFinding(path: Path): Finding {
  return {
    code: 'key-ignored',
    severity: 'note',
    message: `\`${toPathText(path)}\` is ignored in this version.`,
    why: 'It belongs to a feature that is not built yet.',
    fix: 'It can stay; nothing depends on it now.',
  };
}

function findSection(name: string, keys: Keys): string | undefined {
  if ('backend' in keys && !('priority' in keys) && Object.hasOwn(AGENT_KEYS, name)) return 'backend';
  const section = SECTIONS.find((candidate) => Object.hasOwn(TOP_KEYS[candidate].keys, name));
  if (section !== undefined) return section;
  return Object.hasOwn(TOP_KEYS, name) && name !== 'name' && name !== 'description' ? '' : undefined;
}

function toMisplacedFinding(name: string, section: string): Finding {
  const place = section === '' ? 'at the top level of the file' : `under \`${section}:\``;
  return {
    code: 'key-misplaced',
    severity: 'error',
    message: `The key \`${name}\` belongs ${place}.`,
    why: 'Where it stands it is not read.',
    fix: section === '' ? `Write \`${name}:\` at the beginning of a line.` : `Write:\n\n${section}:\n  ${name}: …`,
  };
}

function toKnownText(path: Path, keys: Keys): string {
  const where = path.length <= 1 ? 'Known at the top level' : `Known under \`${toPathText(path.slice(0, -1))}\``;
  return `${where}: ${knownOf(keys)}.`;
}

const known = new WeakMap<Keys, string>();

/** The names that are read; put together once for each part of the settings table. */
function knownOf(keys: Keys): string {
  let names = known.get(keys);
  if (names === undefined) {
    const read = Object.entries(keys).filter(([, setting]) => setting.kind !== 'later');
    names = read.map(([name]) => name).join(', ');
    known.set(keys, names);
  }
  return names;
}
