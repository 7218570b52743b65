import { RALPH, SYSTEM_TOPICS } from '../core/events/reserved.ts';
import { intersectsPatterns } from '../core/events/topics.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { isCompletionTopic } from '../topology/routing/queries.ts';
import { commitRule, isCalledBySeveral, offersOf, type PromptContext } from './prompt-context.ts';
import {
  cleanForPrompt,
  inLine,
  joinWords,
  lines,
  ours,
  type PromptWords,
  receiverNames,
  type Section,
  say,
  section,
  theirs,
  toText,
} from './prompt-text.ts';

/** What coordinators do, by what the turn may do and how many events called it. */
function coordinate(context: PromptContext): readonly string[] {
  const task = isCalledBySeveral(context) ? 'ONE task for each event that calls for one' : 'ONE task';
  const own =
    context.turn.mayWrite === false
      ? context.turn.mayNote === false
        ? 'name a task that fits none in the payload.'
        : 'note a task that fits none in the scratchpad.'
      : `only a task that fits none is yours: do it, verify it${COMMITS[commitRule(context) ?? 'unable']}`;
  return [
    'Gap analysis: the objective and the specs against the code and the evidence in the events.',
    `Plan: small tasks${context.turn.mayNote === false ? '' : ' in the scratchpad'}, the most important first.`,
    `Delegate ${task}: publish a topic that the fitting hat triggers on, with a payload that says what to do, where, and how to tell that it is done. The hat knows only that and the objective.`,
    `Stop. Never do the work of a hat; ${own}`,
  ];
}

const COMMITS = { commit: ', commit it.', none: '. Make no commits.', unable: '.' } as const;

function catchWork(context: PromptContext): readonly string[] {
  const events = isCalledBySeveral(context) ? 'For each event below publish one' : 'Publish ONE event';
  const rule = commitRule(context);
  const kept = `${context.turn.mayNote === false ? 'name it in your payload' : 'note it in the scratchpad'}, and publish the event that lets the team go on.`;
  const own = `do it, verify it${rule === 'commit' ? ', commit it' : ''}, then publish the event that lets the team go on.${rule === 'none' ? ' Make no commits.' : ''}`;
  return [
    'Find out what was meant.',
    `${events} that brings the work back to the fitting hat. The hat knows only your payload and the objective.`,
    `Never do the work of a hat. A task that fits no hat: ${context.turn.mayWrite === false ? kept : own}`,
    'Stop.',
  ];
}

/** The team as Ralph sees it: who takes what, how the events flow, and how to delegate. */
export function planTeam(context: PromptContext): Section | null {
  const { topology } = context;
  const leads = topology.coordination === 'ralph';
  const steps = leads ? coordinate(context) : catchWork(context);
  return section(
    'MY TEAM',
    ours(leads ? 'The hats do the work; you hand it out.' : 'The hats hand the work to each other; you are called when that fails.'),
    lines(ours('| hat | triggers | publishes | description |\n|---|---|---|---|'), ...topology.hats.map((hat) => rowOf(topology, hat))),
    lines(ours('```'), ...flowLines(topology), ours('```')),
    ours(steps.map((step, index) => `${index + 1}. ${step}`).join('\n')),
  );
}

function rowOf(topology: Topology, hat: HatSpec): PromptWords {
  const publishes = [...new Set(hat.publishes.map((entry) => entry.topic))].filter((topic) => !isCompletionTopic(topology, topic));
  const cells = [inLine(hat.id), listOf(hat.triggers), listOf(publishes), aboutOf(hat)];
  return say`| ${joinWords(
    cells.map((cell) => (cell.length === 0 ? ours('-') : toCell(cell))),
    ' | ',
  )} |`;
}

function listOf(topics: readonly string[]): PromptWords {
  return joinWords(topics.map(inLine), ', ');
}

/** The name, where it says more than the id, and the description. */
function aboutOf(hat: HatSpec): PromptWords {
  const plain = (text: string): string =>
    cleanForPrompt(text)
      .toLowerCase()
      .replace(/[\s_-]+/g, ' ')
      .trim();
  const name = plain(hat.name) === plain(hat.id) ? [] : inLine(hat.name);
  return joinWords([name, inLine(hat.description)], ': ');
}

function toCell(words: PromptWords): PromptWords {
  return toText(words).includes('|') ? words.flatMap((piece) => (piece.own ? [piece] : theirs(piece.text.replaceAll('|', '\\|')))) : words;
}

/** Some topics of one hat that go to the same receivers. */
interface Hop {
  readonly topics: readonly string[];
  readonly to: readonly string[];
}

/**
 * The flow of events as lines of text, each edge once: `task.start -> planner -> build.task -> builder -> build.done -> planner`.
 * The first line begins with the topic that starts the run; a line ends where everything that follows is shown already.
 */
export function flowLines(topology: Topology): readonly PromptWords[] {
  const left = new Map([RALPH, ...topology.hats.map((hat) => hat.id)].map((id) => [id, [...hopsFrom(topology, id)]]));
  const shown = [say`${inLine(topology.startTopic)} -> ${follow(left, topology.entry)}`];
  for (const [id, hops] of left) {
    while (hops.length > 0) shown.push(follow(left, id));
  }
  return shown;
}

/** One line from a hat on, as far as it leads; what it shows is taken out of `left`. */
function follow(left: Map<string, Hop[]>, from: string): PromptWords {
  const stations = [inLine(from)];
  let here: string | undefined = from;
  while (here !== undefined) {
    const hop: Hop | undefined = left.get(here)?.shift();
    if (hop === undefined) break;
    stations.push(joinWords(hop.topics.map(inLine), ', '));
    if (hop.to.length > 0) stations.push(receiverNames(hop.to));
    here = hop.to.length === 1 ? hop.to[0] : undefined;
  }
  return joinWords(stations, ' -> ');
}

function hopsFrom(topology: Topology, id: string): readonly Hop[] {
  const hat = topology.hatById.get(id);
  if (id === RALPH || hat === undefined) return topology.coordination === 'ralph' ? ralphHops(topology) : [];
  const hops = new Map<string, Hop>();
  for (const { topic, receivers } of offersOf(topology, hat)) {
    const key = receivers.join('\n');
    hops.set(key, { topics: [...(hops.get(key)?.topics ?? []), topic], to: receivers });
  }
  return [...hops.values()];
}

/** What only Ralph can publish: triggers that neither a hat nor the loop itself publishes. */
function ralphHops(topology: Topology): readonly Hop[] {
  const published = [...SYSTEM_TOPICS, topology.startTopic, ...topology.hats.flatMap((hat) => hat.publishes.map((entry) => entry.topic))];
  const exact = new Set(published);
  const patterns = published.filter((topic) => topic.includes('*'));
  const isPublished = (trigger: string): boolean =>
    exact.has(trigger) || (trigger.includes('*') ? published : patterns).some((topic) => intersectsPatterns(topic, trigger));
  return topology.hats
    .map((hat) => ({ topics: hat.triggers.filter((trigger) => !isPublished(trigger)), to: [hat.id] }))
    .filter((hop) => hop.topics.length > 0);
}
