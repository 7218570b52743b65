import type { Pair, YAMLMap } from 'yaml';
import { readOwn } from '../../core/values/json.ts';
import { loadYamlLibrary } from '../yaml/read-by-library.ts';
import { type AliasTargets, findPair, toName, toTarget } from './edit-document.ts';
import { addBackend, type ForeignAgent, move, NO_EQUAL, type Report, setList, toOwn, toScalarText } from './massgen-agents.ts';

const yaml = loadYamlLibrary();
const { isMap } = yaml;

/** The hat that all of them wear. */
export const PANEL_HAT = 'team';

/** An agent whose rules are its own, so that it needs a hat of its own; `undefined`: one hat can be for all. */
export function findOwnRules(agents: readonly ForeignAgent[], targets: AliasTargets): ForeignAgent | undefined {
  return agents.find(({ map }) => {
    const backend = toTarget(findPair(map, 'backend')?.value, targets);
    return findPair(map, 'permissions') !== undefined || (isMap(backend) && findPair(backend, 'permissions') !== undefined);
  });
}

/** One hat that all agents wear: they answer side by side and vote, as they did there. */
export function toPanelHat(agents: readonly ForeignAgent[], root: YAMLMap, report: Report): YAMLMap {
  const hat = new yaml.YAMLMap();
  const panel = new yaml.YAMLMap();
  const list = new yaml.YAMLSeq();
  list.items = agents.map((agent) => toPanelAgent(agent, report));
  panel.set('agents', list);
  const words = readCoordination(root, report);
  for (const [key, value] of Object.entries(words)) panel.set(key, value);
  // As there: of answers with equally many votes the one of the agent that stands first.
  if (agents.length % 2 === 0) panel.set('tie', 'first');
  setList(hat, 'triggers', ['task.start', 'task.resume']);
  setList(hat, 'publishes', ['task.complete']);
  hat.set('profile', 'creator');
  const seconds = Number.parseInt(words.timeout ?? '0', 10);
  if (seconds > USUAL_TURN_S) hat.set('timeout_seconds', seconds);
  hat.set('panel', panel);
  report.changes.push(
    `The agents ${agents.map(({ id }) => id).join(', ')} wear one hat, ${PANEL_HAT}, as a panel: they answer side by side and vote, and each may write files (profile: creator). What wins ends the run.`,
  );
  if (words.max_answers_per_agent === undefined)
    report.changes.push('Each agent answers once, and then votes: there it may answer as often as it likes. More: max_answers_per_agent.');
  return hat;
}

/** `event_loop.timeout_seconds`, where nobody says another. */
const USUAL_TURN_S = 3600;

function toPanelAgent(agent: ForeignAgent, report: Report): YAMLMap {
  const { id, map } = agent;
  const made = new yaml.YAMLMap();
  if (map.commentBefore) made.commentBefore = map.commentBefore;
  made.set('id', id);
  for (const pair of map.items) {
    const name = toName(pair);
    const target = toOwn(pair.value, report.targets);
    if (name === 'id' || (name === 'name' && toScalarText(target, report.targets) === id)) continue;
    if (name === 'system_message') move(made, pair, 'instructions', agent, report);
    else if (name === 'hooks') move(made, pair, 'hooks', agent, report);
    else if (name === 'backend' && isMap(target)) addBackend(made, target, agent, report);
    else
      report.dropped.push(`agents.${id}.${name} was left out. ${name === 'name' ? 'Agents of a panel are told by their id.' : NO_EQUAL}`);
  }
  return made;
}

/** Keys of a panel, as they are written. */
interface PanelWords {
  strategy?: string;
  max_answers_per_agent?: number;
  max_answers_total?: number;
  voting?: string;
  novelty?: string;
  injection?: string;
  max_injections?: number;
  timeout?: string;
  round_timeout?: string;
  grace?: string;
}

const PANEL_WORDS: readonly (keyof PanelWords)[] = [
  ...(['strategy', 'max_answers_per_agent', 'max_answers_total', 'voting', 'novelty'] as const),
  ...(['injection', 'max_injections', 'timeout', 'round_timeout', 'grace'] as const),
];

/** What a value becomes; a text: why it becomes nothing. */
type Translation = PanelWords | string;

/** A whole number of at least 1. */
function toCount(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

const NO_NUMBER = 'That is no number from 1 on.';

const byCount =
  (make: (count: number) => PanelWords, none = NO_NUMBER) =>
  (text: string): Translation => {
    const count = toCount(text);
    return count === null ? none : make(count);
  };

const VOTINGS: readonly string[] = ['lenient', 'balanced', 'strict'];

/** Keys under `orchestrator:` that have a counterpart. */
const COORDINATION: Readonly<Record<string, (text: string) => Translation>> = {
  max_new_answers_per_agent: byCount((count) => ({ max_answers_per_agent: count }), 'Without a number an agent answers once here.'),
  max_new_answers_global: byCount((count) => ({ max_answers_total: count }), 'Without a number there is no limit for all together.'),
  voting_sensitivity: (text) =>
    VOTINGS.includes(text) ? { voting: text } : 'There are lenient, balanced and strict here: it is balanced.',
  answer_novelty_requirement: (text) =>
    VOTINGS.includes(text) ? { novelty: text === 'lenient' ? 'off' : text } : 'There are off, balanced and strict here.',
  disable_injection: (text) => (text === 'true' ? { injection: 'off' } : 'Agents hear of answers while they work here, too.'),
  defer_peer_updates_until_restart: (text) =>
    text === 'true' ? { injection: 'restart' } : 'Agents hear of answers while they work here, too.',
  max_midstream_injections_per_round: byCount((count) => ({ max_injections: count })),
  final_answer_strategy: (text) =>
    text.startsWith('synth')
      ? { strategy: 'synthesize' }
      : 'The answer that won is taken as it is; strategy: synthesize writes one from all.',
};

const TIMEOUTS: Readonly<Record<string, (text: string) => Translation>> = {
  orchestrator_timeout_seconds: byCount((seconds) => ({ timeout: `${seconds}s` })),
  initial_round_timeout_seconds: byCount((seconds) => ({ round_timeout: `${seconds}s` })),
  subsequent_round_timeout_seconds: () => 'All rounds of an agent have the same limit here: round_timeout.',
  round_timeout_grace_seconds: byCount((seconds) => ({ grace: `${seconds}s` })),
};

/** Why a key under `orchestrator:` says nothing here. */
const COORDINATION_NOTES: Readonly<Record<string, string>> = {
  snapshot_storage: 'What agents hand in is kept in the folder of the run.',
  agent_temporary_workspace: 'Each agent has a copy of the folder, in that of the run.',
  session_storage: 'What a run did is in its folder.',
  context_paths: 'The agents work in copies of the folder of the run.',
  coordination: 'What agents may do until the vote is said by their profile.',
  coordination_mode: 'Work that is divided is done by several hats.',
  skip_coordination_rounds: 'To leave the vote out, let one agent wear the hat.',
  defer_voting_until_all_answered: 'Nobody has to vote as long as somebody may still answer.',
  fairness_enabled: 'Each agent has the same number of answers.',
  fairness_lead_cap_answers: 'Each agent has the same number of answers.',
};

/** A key of a panel, and where what it says was written. */
interface Source {
  readonly from: string;
  readonly key: keyof PanelWords;
}

/** What is said of the coordination, under `orchestrator:` and `timeout_settings:`; what has no counterpart is told by name. */
function readCoordination(root: YAMLMap, report: Report): PanelWords {
  const { targets, changes, dropped } = report;
  const words: PanelWords = {};
  const sources: Source[] = [];
  const take = (path: string, pair: Pair, table: typeof COORDINATION): void => {
    const from = `${path}.${toName(pair)}`;
    const read = readOwn(table, toName(pair));
    const told =
      read === undefined ? (readOwn(COORDINATION_NOTES, toName(pair)) ?? NO_EQUAL) : read(toScalarText(pair.value, targets) ?? '');
    if (typeof told === 'string') return void dropped.push(`${from} was left out. ${told}`);
    Object.assign(words, told);
    for (const key of PANEL_WORDS) if (Object.hasOwn(told, key)) sources.push({ from, key });
  };
  for (const pair of listEntries(findPair(root, 'orchestrator'), targets)) {
    const inner = toName(pair) === 'timeout' ? listEntries(pair, targets) : [];
    if (inner.length === 0) take('orchestrator', pair, COORDINATION);
    for (const entry of inner) take('orchestrator.timeout', entry, TIMEOUTS);
  }
  for (const pair of listEntries(findPair(root, 'timeout_settings'), targets)) take('timeout_settings', pair, TIMEOUTS);
  for (const { from, key } of sources) {
    const why = findIdle(words, key);
    if (why === null) changes.push(`${from} is now hats.${PANEL_HAT}.panel.${key}.`);
    else dropped.push(`${from} was left out. ${why}`);
  }
  return Object.fromEntries(
    Object.entries(words).filter(([key]) => !sources.some((source) => source.key === key && findIdle(words, source.key) !== null)),
  );
}

function listEntries(pair: Pair | undefined, targets: AliasTargets): readonly Pair[] {
  const value = toTarget(pair?.value, targets);
  return isMap(value) ? value.items : [];
}

/** Why a key would say nothing beside the others, which would be a finding; `null`: it does. */
function findIdle(words: PanelWords, key: keyof PanelWords): string | null {
  if (key === 'novelty' && (words.max_answers_per_agent ?? 1) === 1)
    return 'Only further answers of an agent are compared, and each gives one.';
  if (key === 'max_injections' && words.injection !== undefined) return 'Nobody hears of answers while at work.';
  if (key === 'grace' && words.round_timeout === undefined) return 'It is the time after a limit of rounds, and there is none.';
  return null;
}
