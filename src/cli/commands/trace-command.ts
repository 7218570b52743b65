import { RALPH, SYSTEM } from '../../core/events/reserved.ts';
import { isTopic } from '../../core/events/topics.ts';
import { parseJson } from '../../core/values/json.ts';
import type { FlowEdge } from '../../topology/graph/flow-graph.ts';
import { type TopicTrace, type TraceMatch, type TracePublisher, traceTopic } from '../../topology/graph/trace-topic.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { toRowLines } from '../../views/text/fact-rows.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions } from '../args/options.ts';
import { parseCount } from '../args/parse-values.ts';
import { createUnknownNameError, createUsageError, suggestWord } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { loadTeam } from '../team/load-team.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

interface TraceOptions extends ConfigOptions {
  readonly from?: string;
  readonly payload?: string;
  readonly depth: string;
  readonly format: string;
}

export const traceCommand: CliCommand = {
  declare: (command) => {
    command.argument('<topic>', 'the topic of the event, such as build.done');
    addConfigOptions(command);
    command
      .option('--from <hat>', 'who would publish it: a hat, or ralph')
      .option('--payload <text>', 'the payload; the answer shows how it is read')
      .option('--depth <n>', 'how many hats deep to follow the event', '3');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
    addExamples(command, [
      ['ralph trace build.done', 'who takes it, and what may follow'],
      ['ralph trace build.done --from builder', 'whether the builder may publish it'],
      ['ralph trace task.start --depth 10', 'the whole way from the start'],
      ['ralph trace build.done --format json | jq .takers', 'for programs'],
    ]);
  },
  perform,
};

async function perform(context: CliContext, call: CommandCall): Promise<number> {
  const options = call.options as unknown as TraceOptions;
  const topic = call.args[0] ?? '';
  if (!isTopic(topic)) {
    throw createUsageError(`${JSON.stringify(topic.slice(0, 80))} is no topic.`, 'A topic is words with dots between them: build.done');
  }
  const depth = parseCount(options.depth, '--depth', 1);
  const { topology } = loadTeam(context, options);
  if (topology === null) return 1;
  const { from } = options;
  if (from !== undefined) checkHat(topology, from);
  const trace = traceTopic(topology, { topic, depth, ...(from === undefined ? {} : { from }) });
  if (options.format === 'json') printJson(context.terminal, { v: 1, ...trace });
  else printTrace(context.terminal, trace, options.payload === undefined ? null : toPayloadWords(options.payload));
  const isUnknown = trace.publishers.length === 0 && trace.takers.every((taker) => taker.why === 'net');
  if (isUnknown) context.terminal.err(`No hat knows ${topic}${toSuggestion(topic, listTopics(topology))}\n`);
  return 0;
}

function checkHat(topology: Topology, from: string): void {
  if (from === RALPH || topology.hatById.has(from)) return;
  const known = [...topology.hatById.keys()];
  const fix = known.length === 0 ? 'This team has no hats: leave --from out.' : 'ralph hats lists them.';
  throw createUnknownNameError('no hat', from, [...known, RALPH], fix);
}

const MAX_TOPICS = 8;

function toSuggestion(topic: string, known: readonly string[]): string {
  const near = suggestWord(topic, known);
  if (near !== undefined) return `: did you mean ${near}?`;
  const more = known.length > MAX_TOPICS ? ', …' : '';
  return known.length === 0 ? '.' : `. Topics that hats know: ${known.slice(0, MAX_TOPICS).join(', ')}${more} (ralph graph shows all)`;
}

function listTopics(topology: Topology): readonly string[] {
  const topics = topology.hats.flatMap((hat) => [...hat.triggers, ...hat.publishes.map((entry) => entry.topic)]);
  return [...new Set([...topics, ...topology.spec.terminalEvents])].filter((topic) => !topic.includes('*'));
}

function toPayloadWords(payload: string): string {
  const value = parseJson(payload);
  const kind = value === undefined || typeof value === 'string' ? 'text' : Array.isArray(value) ? 'a JSON list' : `JSON (${typeof value})`;
  return `${kind}: ${toPlainLine(payload, 120)}`;
}

type TraceRow = readonly [name: string, text: string];

/** Prints for people what would happen if an event were published. `payload`: what it would carry, in words. */
function printTrace(terminal: Terminal, trace: TopicTrace, payload: string | null): void {
  const { style } = terminal;
  const by = trace.from === null ? '' : `, published by ${toPlainLine(trace.from, 60)}`;
  printLine(terminal, `${style('heading', trace.topic)}${by}`);
  const rows = listRows(trace, payload).map(([label, text]) => ({ label, text }));
  const width = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  for (const line of toRowLines(rows, { width, styleLabel: (label) => style('faint', label) })) printLine(terminal, line);
}

function listRows(trace: TopicTrace, payload: string | null): readonly TraceRow[] {
  const publishers = trace.publishers.map((publisher): TraceRow => ['published by', toPublisherText(publisher)]);
  const { blocked } = trace;
  return [
    ...(publishers.length > 0 ? publishers : [['published by', 'nobody: no hat may publish it'] as const]),
    ...(payload === null ? [] : [['carries', payload] as const]),
    ...trace.requires.map((topic): TraceRow => ['needs first', toPlainLine(topic, 60)]),
    ...trace.gates.map((run): TraceRow => ['gate first', toPlainLine(run, 200)]),
    ...(blocked === null
      ? []
      : [['if it fails', `${blocked.topic} → ${blocked.to.join(', ') || 'who published it'}, with what the gate said`] as const]),
    ...toOutcomeRows(trace),
    ...trace.others.map((match): TraceRow => ['not by', `${toPlainLine(match.hat, 60)}: ${toReason(match)}`]),
    ...trace.next.flatMap((hop) => hop.edges.map((edge): TraceRow => ['then', `${'  '.repeat(hop.depth - 1)}${toHopText(hop.hat, edge)}`])),
  ];
}

function toPublisherText({ who, by, target, isDefault }: TracePublisher): string {
  if (who === SYSTEM) return 'the loop itself';
  const notes = [
    ...(by === null || by === '' ? [] : [`publishes ${toPlainLine(by, 60)}`]),
    ...(target === null ? [] : [`only to ${toPlainLine(target, 60)}`]),
    ...(isDefault ? ['default'] : []),
  ];
  return notes.length === 0 ? toPlainLine(who, 60) : `${toPlainLine(who, 60)} (${notes.join(', ')})`;
}

function toOutcomeRows({ outcome, topic, from, takers }: TopicTrace): readonly TraceRow[] {
  switch (outcome) {
    case 'taken':
      return takers.map((match) => ['taken by', `${toPlainLine(match.hat, 60)}: ${toReason(match)}`]);
    case 'completes':
      return [['then', 'the run is completed']];
    case 'terminal':
      return [['taken by', 'nobody: it is a terminal event, recorded and handed to nobody']];
    case 'safety-net':
      return [['taken by', `nobody: no hat takes ${topic}, so ${takers[0]?.hat ?? 'ralph'} gets it`]];
    case 'refused':
      return [['refused', `${from === null ? 'nobody' : toPlainLine(from, 60)} may not publish it: it is recorded, and handed to nobody`]];
  }
}

function toReason({ trigger, why }: TraceMatch): string {
  const pattern = trigger === null ? '' : toPlainLine(trigger, 60);
  switch (why) {
    case 'target':
      return 'the event names it';
    case 'exact':
      return `triggers on ${pattern}`;
    case 'pattern':
      return `triggers on the pattern ${pattern}`;
    case 'net':
      return 'gets what no hat takes';
    case 'entry':
      return 'begins the run, as no hat triggers on its first event';
    case 'lower-precedence':
      return `${pattern} matches too, but less closely`;
    case 'later':
      return `${pattern} matches as closely, but stands later in the file`;
  }
}

/** Where events go that no hat gets. */
const PLACES: Readonly<Record<string, string>> = { nobody: 'nobody (no hat takes it)', handoff: 'nobody (a terminal event)' };

function toHopText(hat: string, edge: FlowEdge): string {
  const to = edge.to.startsWith('hat:') ? edge.to.slice('hat:'.length) : (PLACES[edge.to] ?? edge.to);
  const how = edge.kind === 'blocked' ? ' (when a gate fails)' : edge.isDefault ? ' (default)' : '';
  return `${toPlainLine(hat, 60)} → ${toPlainLine(edge.topic, 60)} → ${toPlainLine(to, 60)}${how}`;
}
