import { isTopic, parseJson, RALPH } from '../../core/index.ts';
import { type Topology, traceTopic } from '../../topology/index.ts';
import { toPlainLine } from '../../views/index.ts';
import { addExamples, type CliCommand, type CommandCall } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { addConfigOptions, type ConfigOptions } from '../config-options.ts';
import { addFormatOption } from '../format-option.ts';
import { loadTeam } from '../graph/load-team.ts';
import { printTrace } from '../graph/print-trace.ts';
import { findNearMiss } from '../near-miss.ts';
import { parseCount } from '../parse-values.ts';
import { printJson } from '../terminal.ts';
import { createUsageError } from '../usage-error.ts';

interface TraceOptions extends ConfigOptions {
  readonly from?: string;
  readonly payload?: string;
  readonly depth: string;
  readonly format: string;
}

/** `ralph trace`. */
export const traceCommand: CliCommand = {
  declare: (command) => {
    command.argument('<topic>', 'the topic of the event, such as build.done');
    addConfigOptions(command);
    command
      .option('--from <hat>', 'who would publish it: a hat, or ralph')
      .option('--payload <text>', 'what it would carry; shows how that is read')
      .option('--depth <n>', 'how many hats deep to follow what may come of it', '3');
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
  const { topology } = await loadTeam(context, options);
  if (topology === null) return 1;
  const { from } = options;
  if (from !== undefined) checkWearer(topology, from);
  const trace = traceTopic(topology, { topic, depth, ...(from === undefined ? {} : { from }) });
  if (options.format === 'json') printJson(context.terminal, { v: 1, ...trace });
  else printTrace(context.terminal, trace, options.payload === undefined ? null : toPayloadWords(options.payload));
  const isUnknown = trace.publishers.length === 0 && trace.takers.every((taker) => taker.why === 'net');
  if (isUnknown) context.terminal.err(`No hat knows ${topic}${toSuggestion(topic, listTopics(topology))}\n`);
  return 0;
}

function checkWearer(topology: Topology, from: string): void {
  if (from === RALPH || topology.hatById.has(from)) return;
  const known = [...topology.hatById.keys()];
  const near = findNearMiss(from, [...known, RALPH]);
  throw createUsageError(
    `There is no hat ${JSON.stringify(from.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    known.length === 0 ? 'This team has no hats: leave --from out.' : 'ralph hats lists them.',
  );
}

const MAX_TOPICS = 8;

function toSuggestion(topic: string, known: readonly string[]): string {
  const near = findNearMiss(topic, known);
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
