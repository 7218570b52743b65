import type { Pair, YAMLMap } from 'yaml';
import { loadYamlLibrary } from '../yaml/read-by-library.ts';
import { findAliasTargets, findPair, isPadded, keepAliases, keepHead, removePair, renameKey, toName, toTarget } from './edit-document.ts';
import {
  addBackend,
  type ForeignAgent,
  listForeignAgents,
  move,
  NO_EQUAL,
  type Report,
  setList,
  toOwn,
  toScalarText,
} from './massgen-agents.ts';
import { findOwnRules, PANEL_HAT, toPanelHat } from './massgen-panel.ts';

/** A text in our words, what was done to it, and what is left to be done by hand. */
export interface MigratedTeam {
  readonly text: string;
  readonly changes: readonly string[];
  readonly dropped: readonly string[];
  /** What held an agent and has no equal in the text: left to be said by hand. */
  readonly unheld: readonly string[];
}

const yaml = loadYamlLibrary();
const { isMap, isScalar, isSeq, parseDocument } = yaml;

/** Keys of the whole file that say nothing here. */
const TOP_NOTES: Readonly<Record<string, string>> = {
  orchestrator: 'Nobody votes: every agent has a hat of its own.',
  ui: NO_EQUAL,
  timeout_settings: 'Limits of a run are under event_loop, those of a hat are its timeout_seconds.',
  memory: NO_EQUAL,
};

/** Whether a text is of MassGen: agents, and no hats. */
function hasMassgenAgents(contents: unknown): boolean {
  if (!isMap(contents) || findPair(contents, 'hats') !== undefined) return false;
  const { value: list } = findPair(contents, 'agents') ?? {};
  return (isSeq(list) && list.items.some(isMap)) || isMap(findPair(contents, 'agent')?.value);
}

/**
 * Makes one hat of the agents of MassGen that all of them wear as a panel, with their models, their words and their hooks. Where one has rules of its own, each gets a
 * hat, begins where the one before it is done, and the last one ends the run. `null` for a text that is none of MassGen. The text is known to be YAML without errors; comments stay.
 */
export function migrateMassgen(text: string): MigratedTeam | null {
  const document = parseDocument(text, { schema: 'core', uniqueKeys: false, logLevel: 'silent' });
  const root = document.contents;
  if (!isMap(root) || !hasMassgenAgents(root)) return null;
  const report: Report = { changes: [], dropped: [], unheld: [], targets: findAliasTargets(document) };
  keepHead(document, root);
  const pair = findPair(root, 'agents') ?? findPair(root, 'agent');
  if (pair === undefined) return null;
  const { hats, wearers, isPanel } = toHats(root, pair, report);
  tellOrder(findPair(root, 'permissions')?.value, 'permissions', report);
  renameKey(pair, 'hats');
  pair.value = hats;
  addDefaultAgent(root, wearers, report);
  for (const [name, note] of Object.entries(TOP_NOTES)) {
    const entry = findPair(root, name);
    if (entry === undefined) continue;
    removePair(root, entry);
    if (!isPanel || !OF_PANELS.includes(name)) report.dropped.push(`${name} was left out. ${note}`);
  }
  keepAliases(document, report.targets);
  return {
    text: document.toString({ lineWidth: 0, flowCollectionPadding: isPadded(text) }),
    changes: report.changes,
    dropped: report.dropped,
    unheld: report.unheld,
  };
}

/** Keys of the whole file that a panel takes over one by one. */
const OF_PANELS = ['orchestrator', 'timeout_settings'];

interface MassgenHats {
  readonly hats: YAMLMap;
  /** Whoever has a backend: the hats, or the agents of the one hat. */
  readonly wearers: readonly unknown[];
  readonly isPanel: boolean;
}

function toHats(root: YAMLMap, pair: Pair, report: Report): MassgenHats {
  const hats = new yaml.YAMLMap();
  const items = isSeq(pair.value) ? pair.value.items : [pair.value];
  const members = items.filter((item) => isMap(toTarget(item, report.targets)));
  const isAlone = members.length < 2;
  const draft = listForeignAgents(pair.value, { ...report, changes: [] }, (id) => `hats.${id}`);
  const own = findOwnRules(draft, report.targets);
  if (!isAlone && own === undefined) {
    const agents = listForeignAgents(pair.value, report, (id) => `hats.${PANEL_HAT}.panel.agents.${id}`);
    const hat = toPanelHat(agents, root, report);
    hats.set(PANEL_HAT, hat);
    const list = hat.getIn(['panel', 'agents']);
    return { hats, wearers: isSeq(list) ? list.items : [], isPanel: true };
  }
  const agents = listForeignAgents(pair.value, report, (id) => `hats.${id}`);
  for (const [index, agent] of agents.entries()) hats.set(agent.id, toHat(agent, index, agents, report));
  const order = isAlone ? 'It ends the run' : 'They work one after the other, the last one ends the run';
  const why =
    own === undefined || isAlone
      ? ''
      : ` They are no panel, for ${own.id} has permissions of its own, and the agents of one hat share them.`;
  report.changes.push(
    `${toName(pair)} is now hats: ${agents.map(({ id }) => id).join(', ')}. ${order}, and each may write files (profile: creator).${why}`,
  );
  return { hats, wearers: hats.items.map(({ value }) => value), isPanel: false };
}

function toHat(self: ForeignAgent, index: number, agents: readonly ForeignAgent[], report: Report): YAMLMap {
  const { id, map } = self;
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
    if (name === 'system_message') move(hat, pair, 'instructions', self, report);
    else if (name === 'name' || name === 'hooks' || name === 'permissions') move(hat, pair, name, self, report);
    else if (name === 'backend' && isMap(target)) addBackend(hat, target, self, report);
    else report.dropped.push(`agents.${id}.${name} was left out. ${NO_EQUAL}`);
  }
  tellOrder(hat.get('permissions'), `hats.${id}.permissions`, report);
  return hat;
}

/** Ralph, who takes what no hat takes, has the backend of the first agent: any other would be one that nobody chose. */
function addDefaultAgent(root: YAMLMap, wearers: readonly unknown[], { changes }: Report): void {
  const first = wearers.map((wearer) => (isMap(wearer) ? wearer.get('backend') : undefined)).find(isMap);
  if (first === undefined || findPair(root, 'cli') !== undefined) return;
  const copy = new yaml.YAMLMap();
  copy.flow = true;
  for (const pair of first.items) if (toName(pair) !== 'hooks' && isScalar(pair.value)) copy.set(toName(pair), pair.value.value);
  const cli = new yaml.YAMLMap();
  cli.set('backend', copy);
  root.set('cli', cli);
  changes.push('cli.backend is the backend of the first agent: Ralph has it, and whoever names none.');
}

/** Rules that ask and rules that allow are held against a call in another order there. */
function tellOrder(permissions: unknown, path: string, { changes, targets }: Report): void {
  const rules = toTarget(permissions, targets);
  if (!isMap(rules) || findPair(rules, 'ask') === undefined || findPair(rules, 'allow') === undefined) return;
  changes.push(
    `${path}: a call that is both under allow and under ask was allowed there. Here ask comes first: somebody is asked about it.`,
  );
}
